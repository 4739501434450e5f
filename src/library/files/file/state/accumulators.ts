// Texts that several states collect for one file, kept for one run by file and by name of the accumulator.
import { contains, type Dict, deepCopy, isDict, iterate, str, textOf, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'

interface Accumulated {
  /** File → accumulator → texts. */
  texts: Map<string, Dict>
  /** File → accumulator → the IDs that require it. */
  wantedBy: Map<string, Map<Value, Value[]>>
}

const keyOf = (ctx: StateContext): string => `file accumulators ${ctx.instanceId}`

function open(ctx: StateContext): Accumulated {
  const key = keyOf(ctx)
  const known = ctx.memory.get(key) as unknown as Accumulated | undefined
  if (known) return known
  const fresh: Accumulated = { texts: new Map(), wantedBy: new Map() }
  ctx.memory.set(key, fresh as unknown as Value)
  return fresh
}

/** Return the collected texts of a file, or undefined. */
export function accumulatedFor(ctx: StateContext, path: string): Dict | undefined {
  const found = open(ctx).texts.get(path)
  return found && deepCopy(found)
}

/** Return the texts for the running state; all texts when no accumulator names the state. */
export function textsFor(ctx: StateContext, path: string): string[] {
  const { texts, wantedBy } = open(ctx)
  const found = texts.get(path)
  if (!found) return []
  const id = ctx.low.get('__id__') ?? null
  const meant = [...(wantedBy.get(path) ?? [])].filter(([name, ids]) => contains(ids, id) && found.has(name))
  const names = meant.length > 0 ? meant.map(([name]) => name) : [...found.keys()]
  return names.flatMap((name) => Array.from(iterate(found.get(name)!), (text) => str(text)))
}

interface Accumulation {
  name: string
  filename: string
  text: Value
}

function charge(ctx: StateContext, { name, filename, text }: Accumulation): Answer {
  const answer = begin(name)
  if (name === '') return fail(answer, 'Must provide name to file.accumulated')
  if (text === null) return fail(answer, 'No text supplied for accumulator')
  const list = (key: string): Value[] => {
    const value = ctx.low.get(key) ?? []
    return Array.isArray(value) ? (value as Value[]) : []
  }
  const wanting = [...list('require_in'), ...list('watch_in')]
  if (!wanting.some((requisite) => contains(requisite, 'file'))) {
    const place = `${str(ctx.low.get('__sls__') ?? null)}:${str(ctx.low.get('__id__') ?? null)}`
    return fail(answer, `Orphaned accumulator ${name} in ${place}`)
  }
  const { texts, wantedBy } = open(ctx)
  const collected = texts.get(filename) ?? new Map<Value, Value>()
  const asked = wantedBy.get(filename) ?? new Map<Value, Value[]>()
  texts.set(filename, collected)
  wantedBy.set(filename, asked)
  const ids = asked.get(name) ?? []
  for (const requisite of wanting) ids.push(...(isDict(requisite) ? requisite.values() : iterate(requisite)))
  asked.set(name, ids)
  const chunks = (collected.get(name) ?? []) as Value[]
  collected.set(name, chunks)
  for (const chunk of textOf(text) !== undefined || isDict(text) ? [text] : iterate(text)) {
    if (contains(chunks, chunk)) continue
    chunks.push(chunk)
    answer.comment = `Accumulator ${name} for file ${filename} was charged by text`
  }
  return answer
}

export const accumulated = state({
  doc: 'Collect text for a file. The template of the file sees it as `accumulator`.',
  args: {
    name: arg.string('Name of the accumulator'),
    filename: arg.string('Path of the file'),
    text: arg.textOrList('Text, or a list of texts'),
    kwargs: arg.open('`require_in` or `watch_in` must name the state of the file'),
  },
  run: charge,
})
