// The command `rights`: whether the caller, or another user, may make calls, and which entry of the access list says so. Nothing is
// called, and no job begins.
import { type Dict, isDict, isList, str, textOf, type Value } from '../../data/mod.ts'
import { isName } from '../publication.ts'
import { judgedCalls } from './allowed.ts'
import type { AccessVerdict, AskedCall, CallFamily } from './explain.ts'
import { ruleText } from './explain.ts'

/** A call in a query of the command `rights`, and its target. */
export interface AskedRight {
  call: AskedCall
  target?: { tgt: Value; kind: string }
}

/** The most calls of one command. */
const MOST_CALLS = 200
/** Each target except a plain id is matched against all minions. */
const MOST_TARGETS = 20

const FAMILIES: ReadonlySet<string> = new Set(['execution', 'runner', 'wheel'])

/** Read the calls in a command; return a text if they are invalid. */
export function readAsked(load: Dict): AskedRight[] | string {
  const calls = load.get('calls') ?? null
  if (!isList(calls) || calls.length > MOST_CALLS) return `calls must be a list of at most ${MOST_CALLS}`
  const asked: AskedRight[] = []
  for (const call of calls) {
    const read = isDict(call) ? readCall(call) : undefined
    if (!read) return 'A call must have a family and a function'
    asked.push(read)
  }
  const targets = new Set(asked.flatMap(({ target }) => (target ? [targetKey(target)] : [])))
  return targets.size > MOST_TARGETS ? `The calls have more than ${MOST_TARGETS} different targets` : asked
}

export const targetKey = ({ tgt, kind }: { tgt: Value; kind: string }): string => `${kind} ${str(tgt)}`

function readCall(given: Dict): AskedRight | undefined {
  const [family, fun] = [textOf(given.get('family') ?? null) ?? '', given.get('fun') ?? null]
  if (!FAMILIES.has(family) || !isName(fun)) return undefined
  const [arg, kwarg, tgt] = [given.get('arg') ?? [], given.get('kwarg') ?? null, given.get('tgt')]
  const args = isList(arg) ? [...arg] : []
  const kwargs = new Map<Value, Value>(isDict(kwarg) ? kwarg : [])
  const name = str(fun!)
  if (family !== 'execution') return { call: { family: family as CallFamily, fun: name, args, kwargs } }
  const published = kwargs.size > 0 ? [...args, new Map<Value, Value>(kwargs).set('__kwarg__', true)] : args
  const [call] = judgedCalls(name, published)
  if (!call) return undefined
  const kind = textOf(given.get('tgt_type') ?? null) ?? 'glob'
  return { call: { family: 'execution', ...call }, ...(tgt !== undefined && { target: { tgt, kind } }) }
}

/** Return verdicts as the answer of the command. */
export const verdictsAnswer = (verdicts: readonly AccessVerdict[]): Dict =>
  new Map<Value, Value>([
    [
      'items',
      verdicts.map(({ allowed, rule, reason }) =>
        new Map<Value, Value>([['allowed', allowed]])
          .set('rule', rule === undefined ? null : ruleText(rule))
          .set('reason', reason),
      ),
    ],
  ])
