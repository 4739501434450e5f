// The clients that call functions of the master: runners and wheel functions.
import { isJid } from '../../base/mod.ts'
import type { BusEvent } from '../../bus/mod.ts'
import { option } from '../../config/mod.ts'
import {
  type Dict,
  dictFrom,
  EncodedDict,
  GrowingJson,
  isDict,
  isList,
  numberOf,
  Packed,
  PackedCursor,
  str,
  truthy,
  type Value,
} from '../../data/mod.ts'
import { parseInput, signatureOf } from '../../sdk/mod.ts'
import { answered, HttpError } from '../errors.ts'
import { LONGEST_WAIT } from './local.ts'
import type { ClientWork } from './work.ts'

/** Fields of a chunk that authenticate the caller. */
export const CREDENTIALS = ['token', 'eauth', 'username', 'password', 'user', 'key']

/** Fields of a chunk that are no keywords of the function. */
const OWN = new Set([...CREDENTIALS, 'client', 'fun', 'arg', 'kwarg', 'timeout', 'full_return'])

function functionOf(low: Dict, client: string): string {
  const fun = low.get('fun')
  if (fun === undefined) throw new HttpError(400, `${client} takes at least 1 argument (0 given)`)
  return str(fun)
}

/**
 * Return the command that runs a runner function. As in Salt, texts such as `a=1` among the arguments are keywords,
 * further fields of the chunk are keywords too, and unknown keywords are dropped.
 */
async function runnerLoad(work: ClientWork, low: Dict, client: string): Promise<Dict> {
  const fun = functionOf(low, client)
  const load: Dict = new Map([...low].filter(([name]) => CREDENTIALS.includes(name as string)))
  load.set('cmd', 'runner').set('fun', fun)
  const { runners } = work.master.access.functions
  if (!runners.has(fun)) await lookAgain(work, load, fun)
  const arg = low.get('arg') ?? []
  const kwarg = low.get('kwarg') ?? null
  const { args, kwargs } = parseInput(isList(arg) ? arg : [arg])
  if (isDict(kwarg)) for (const [name, value] of kwarg) kwargs.set(str(name), value)
  for (const [name, value] of low) if (typeof name === 'string' && !OWN.has(name)) kwargs.set(name, value)
  const { positional, keywordOnly, open } = signatureOf(await runners.find(fun), fun.slice(fun.indexOf('.') + 1))
  const known = new Set([...positional, ...keywordOnly])
  const taken = [...kwargs].filter(([name]) => open || known.has(name))
  return load.set('arg', args).set('kwarg', new Map<Value, Value>(taken))
}

/** Search for a new function of users; only for callers who may call it. */
async function lookAgain({ master, peer }: ClientWork, load: Dict, fun: string): Promise<void> {
  const { functions } = master.access
  answered(await master.command(new Map(load).set('cmd', 'judge').set('family', 'runner'), peer))
  await functions.refreshFor('runner', fun)
  // Salt answers with an unexpected error
  if (!functions.runners.has(fun)) throw new TypeError(`There is no runner function ${fun}`)
}

/** Begin a runner function and wait for its end. */
export async function runner(work: ClientWork, low: Dict): Promise<Value> {
  const { master, watch, peer, signal } = work
  const seconds = secondsOf(low.get('timeout') ?? null) ?? option(master.access.opts, 'rest_timeout')
  const load = await runnerLoad(work, low, 'runner')
  const { begun, events } = await watch.begin(
    async () => answered(await master.command(load, peer)),
    (answer) => str(answer.get('jid') ?? ''),
  )
  const tag = `${str(begun.get('tag') ?? '')}/ret`
  const leave = (): void => events.close()
  signal.addEventListener('abort', leave)
  const end = performance.now() + seconds * 1000
  try {
    for (;;) {
      const event = await events.next(Math.max(0, (end - performance.now()) / 1000))
      if (!event) throw new HttpError(504, `RunnerClient job '${str(begun.get('jid') ?? '')}' timed out`)
      if (event.tag !== tag) continue
      if (!truthy(low.get('full_return') ?? null)) return returnedBy(event)
      return dictFrom({ data: event.data, tag })
    }
  } finally {
    signal.removeEventListener('abort', leave)
    events.close()
  }
}

/** The JSON of the last list of jobs that came from a master beside this process. */
const jobLists = new GrowingJson()

/** Return the result in the last event of a call. An encoded list of jobs stays encoded. */
function returnedBy(event: BusEvent): Value {
  const returned = event.fields.get('return')
  if (returned instanceof EncodedDict) return returned
  const list = returned instanceof Packed && isJobList(returned) ? jobLists.of(returned) : undefined
  return list ?? event.data.get('return') ?? null
}

/** Return whether a packed value is a dict of jobs by their ids. */
function isJobList({ bytes }: Packed): boolean {
  const cursor = new PackedCursor(bytes)
  return (cursor.map() ?? 0) > 0 && isJid(cursor.text() ?? null)
}

/** Read a time of a chunk, in seconds. */
export function secondsOf(value: Value): number | undefined {
  if (value === null) return undefined
  const seconds = numberOf(value) ?? Number(str(value))
  if (!Number.isFinite(seconds)) throw new TypeError('The timeout is no number')
  return Math.min(seconds, LONGEST_WAIT)
}

/** Begin a runner function: `{tag, jid}`. */
export async function runnerAsync(work: ClientWork, low: Dict): Promise<Value> {
  return answered(await work.master.command(await runnerLoad(work, low, 'runner_async'), work.peer))
}

function wheelLoad(low: Dict, client: string, cmd: string): Dict {
  const fun = functionOf(low, client)
  const load: Dict = new Map(low)
  for (const field of ['client', 'timeout', 'full_return']) load.delete(field)
  return load.set('cmd', cmd).set('fun', fun)
}

/** Call a wheel function and wait for it: `{tag, data}`. */
export async function wheel({ master, peer }: ClientWork, low: Dict): Promise<Value> {
  return answered(await master.command(wheelLoad(low, 'wheel', 'wheel'), peer))
}

/** Begin a wheel function: `{tag, jid}`. */
export async function wheelAsync({ master, peer }: ClientWork, low: Dict): Promise<Value> {
  return answered(await master.command(wheelLoad(low, 'wheel_async', 'wheel_async'), peer))
}
