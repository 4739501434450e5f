// The client for machines without minions. The API itself runs the job, with the rights of the master's owner; so the master judges
// the caller for the very targets and arguments that are used after that.
import { type Dict, isDict, isList, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { parseInput, publishedArguments, type SshCall } from '../../sdk/mod.ts'
import { answered, HttpError } from '../errors.ts'
import { LONGEST_WAIT } from './local.ts'
import { CREDENTIALS, secondsOf } from './master-calls.ts'
import type { ClientWork } from './work.ts'

/** Fields of a chunk that are no options of salt-ssh. */
const OWN = new Set([...CREDENTIALS, 'client', 'tgt', 'tgt_type', 'fun', 'arg', 'kwarg', 'timeout', 'raw_shell', 'jid'])

/** Kinds of targets whose matching takes a bounded time and reveals no pillar data. */
const KINDS = new Set(['glob', 'list', 'nodegroup'])

const LONGEST_TARGET = 10_000

/** Run a function on targets of rosters and return the whole answers: `{id: {return, retcode, …}}`. */
export async function ssh(work: ClientWork, low: Dict): Promise<Dict> {
  const { access } = work.master
  const { overSsh } = access
  if (!overSsh) throw new HttpError(501, 'The client ssh is not here: this program has no salt-ssh')
  const { fun, arg, ...call } = callOf(low)
  // authenticate the caller before rosters are read
  const user = await judged(work, low, { fun, arg }, [])
  const targets = await overSsh.targets(access, call)
  if (targets.length === 0) return new Map()
  await judged(work, low, { fun, arg }, targets)
  const chosen = { ...call, tgt: targets, tgtType: 'list', fun, arg, isLiteral: true, user }
  const answers: Dict = new Map()
  for await (const { id, answer } of overSsh.run(access, chosen, work.signal)) answers.set(id, answer)
  return answers
}

type ApiCall = SshCall & { arg: readonly Value[]; isRaw: boolean }

function callOf(low: Dict): ApiCall {
  const fun = textOf(low.get('fun') ?? null)
  const tgt = low.get('tgt')
  if (!fun) throw new HttpError(400, 'The client ssh needs the field fun')
  if (tgt === undefined) throw new HttpError(400, 'The client ssh needs the field tgt')
  const tgtType = textOf(low.get('tgt_type') ?? null) ?? 'glob'
  if (!KINDS.has(tgtType))
    throw new HttpError(400, `The client ssh takes targets of the kinds ${[...KINDS].join(', ')}`)
  if (str(tgt).length > LONGEST_TARGET) throw new HttpError(400, 'The target is too long')
  const seconds = secondsOf(low.get('timeout') ?? null)
  const options: Dict = new Map([...low].filter(([name]) => !OWN.has(str(name))))
  const isRaw = truthy(low.get('raw_shell') ?? null)
  const more = {
    options,
    isFromOutside: true,
    ...(seconds !== undefined && { timeout: Math.min(seconds, LONGEST_WAIT) }),
  }
  return { tgt, tgtType, fun, arg: argumentsOf(low, isRaw), isRaw, ...more }
}

/**
 * Return the arguments as the function gets them, so that authorisation sees the same as the call. A raw shell command
 * stays unchanged.
 */
function argumentsOf(low: Dict, isRaw: boolean): Value[] {
  const arg = low.get('arg') ?? []
  const given = isList(arg) ? [...arg] : [arg]
  if (isRaw) return given.map(str)
  const parsed = parseInput(given)
  const kwarg = low.get('kwarg') ?? null
  if (isDict(kwarg)) for (const [name, value] of kwarg) parsed.kwargs.set(str(name), value)
  return publishedArguments(parsed)
}

/** Throw the refusal of the master, or return the user of the chunk. */
async function judged(
  { master, peer }: ClientWork,
  low: Dict,
  { fun, arg }: Pick<ApiCall, 'fun' | 'arg'>,
  targets: readonly string[],
): Promise<string> {
  const load: Dict = new Map([...low].filter(([name]) => CREDENTIALS.includes(name as string)))
  load
    .set('cmd', 'judge')
    .set('family', 'ssh')
    .set('fun', fun)
    .set('arg', [...arg])
  load.set('targets', [...targets]).set('raw_shell', truthy(low.get('raw_shell') ?? null))
  return str(answered(await master.command(load, peer)).get('user') ?? '')
}
