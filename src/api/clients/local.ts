// The clients that publish jobs to minions.
import { collectReturns, shuffled } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, dictFrom, isDict, isList, numberOf, str, truthy, type Value } from '../../data/mod.ts'
import { publishedTarget } from '../../match/mod.ts'
import { type MinionReturn, type Published, unreturnedText } from '../../sdk/mod.ts'
import { answered, HttpError, needFields } from '../errors.ts'
import type { JobEvents } from '../job-watch.ts'
import type { ClientWork } from './work.ts'

/** Fields of a chunk that are no keywords of the publication. */
const OWN = new Set(['client', 'tgt', 'fun', 'arg', 'timeout', 'tgt_type', 'ret', 'jid', 'full_return', 'kwarg'])

/** Publish and wait: `{minion: value}`. A minion that did not return is false. */
export async function local(work: ClientWork, low: Dict): Promise<Dict> {
  return gathered(work, low, await begin(work, low))
}

/** Publish and return at once: `{jid, minions}`; empty if the target matches nothing. */
export async function localAsync(work: ClientWork, low: Dict): Promise<Dict> {
  const { published, events } = await begin(work, low)
  events.close()
  if (!published) return new Map()
  return dictFrom({ jid: published.jid, minions: published.minions })
}

const SUBSET = 3

/** Run a function on some of the minions that have it, chosen at random. */
export async function localSubset(work: ClientWork, low: Dict): Promise<Dict> {
  needFields(low, ['tgt', 'fun'])
  const asking = new Map(low).set('fun', 'sys.list_functions').set('ret', '')
  for (const field of ['arg', 'kwarg', 'subset', 'full_return', 'jid']) asking.delete(field)
  const wanted = low.get('fun') ?? null
  const able = [...(await local(work, asking))]
    .filter(([, functions]) => isList(functions) && functions.includes(wanted))
    .map(([id]) => str(id))
  const most = numberOf(low.get('subset') ?? SUBSET) ?? SUBSET
  const tgt = shuffled(able).slice(0, Math.max(0, most))
  const chosen = new Map(low).set('tgt', tgt).set('tgt_type', 'list')
  chosen.delete('subset')
  return tgt.length === 0 ? new Map() : local(work, chosen)
}

interface Begun {
  published: Published | undefined
  events: JobEvents
}

/** Publish a job; its returns are kept from before it was published. */
async function begin({ master, watch, peer }: ClientWork, low: Dict): Promise<Begun> {
  const load = publishLoad(low, master.access.opts)
  const { begun, events } = await watch.begin(
    async () => publishedOf(answered(await master.command(load, peer))),
    (published) => published?.jid,
  )
  return { published: begun, events }
}

/** Return the command that publishes the job of a chunk. */
function publishLoad(low: Dict, opts: Dict): Dict {
  needFields(low, ['tgt', 'fun'])
  const [tgt, fun] = [low.get('tgt')!, low.get('fun')!]
  const kind = str(low.get('tgt_type') ?? 'glob')
  const resolved = publishedTarget(tgt, kind, opts)
  const kwargs: Dict = new Map([...low].filter(([name]) => typeof name === 'string' && !OWN.has(name)))
  return new Map<Value, Value>([
    ['cmd', 'publish'],
    ['tgt', resolved.target],
    ['fun', fun],
    ['arg', publishedWords(low)],
    ['tgt_type', resolved.kind],
    ['ret', low.get('ret') ?? ''],
    ['jid', low.get('jid') ?? ''],
    ['kwargs', kwargs],
    ['client', 'brine'],
  ])
}

/** Return positional arguments, followed by keywords in the form of publications. */
export function publishedWords(low: Dict): Value[] {
  const arg = low.get('arg') ?? []
  const kwarg = low.get('kwarg') ?? null
  const positional = isList(arg) ? [...arg] : [arg]
  // minions leave out keywords of several functions
  if (isDict(kwarg) && kwarg.size > 0 && !isList(low.get('fun') ?? null))
    positional.push(new Map<Value, Value>([['__kwarg__', true], ...kwarg]))
  return positional
}

function publishedOf(answer: Dict): Published | undefined {
  const load = answer.get('load')
  if (load === undefined || !isDict(load)) throw new HttpError(502, 'The master gave an answer that cannot be read')
  const jid = load.get('jid') ?? null
  if (jid === null || load.has('error')) return undefined
  return { jid: str(jid), minions: texts(load.get('minions')), missing: texts(load.get('missing')) }
}

const texts = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])

/** Longest time of a chunk, in seconds: timers cannot count much longer. */
export const LONGEST_WAIT = 1_000_000

/** Return the times of a chunk, in seconds. */
export function timesOf(low: Dict, opts: Dict): { timeout: number; gatherJobTimeout: number } {
  const read = (name: 'timeout' | 'gather_job_timeout'): number => {
    const given = numberOf(low.get(name) ?? null) ?? Number.parseFloat(str(low.get(name) ?? ''))
    return Number.isFinite(given) && given >= 0 ? Math.min(given, LONGEST_WAIT) : option(opts, name)
  }
  return { timeout: read('timeout'), gatherJobTimeout: read('gather_job_timeout') }
}

/** Yield the returns of a job that was begun. */
async function* returnsOf(
  { master, watch, signal }: ClientWork,
  low: Dict,
  published: Published,
  events: JobEvents,
): AsyncGenerator<MinionReturn> {
  const { access } = master
  const leave = (): void => events.close()
  signal.addEventListener('abort', leave)
  const ask = async (jid: string, ids: string[]): Promise<string | undefined> => {
    const question = { tgt: ids, tgtType: 'list', fun: 'saltutil.find_job', arg: [jid] }
    const { begun } = await watch.begin(
      () => access.publish(question),
      (asked) => asked?.jid,
      events,
    )
    return begun?.jid
  }
  try {
    yield* collectReturns(events, ask, published, timesOf(low, access.opts))
  } finally {
    signal.removeEventListener('abort', leave)
    events.close()
  }
}

async function gathered(work: ClientWork, low: Dict, { published, events }: Begun): Promise<Dict> {
  const results: Dict = new Map()
  if (!published) {
    events.close()
    return results
  }
  const isFull = truthy(low.get('full_return') ?? null)
  for await (const { id, data, reason } of returnsOf(work, low, published, events)) {
    if (!data) results.set(id, reason === 'missing' ? unreturnedText({ jid: published.jid }) : false)
    else results.set(id, isFull ? fullReturn(data, published.jid) : (data.get('return') ?? null))
  }
  return results
}

/** Return the result of `full_return` for a minion. */
function fullReturn(data: Dict, jid: string): Dict {
  const full: Dict = new Map<Value, Value>([['ret', data.get('return') ?? null]])
  if (truthy(data.get('out') ?? null)) full.set('out', data.get('out')!)
  return full.set('retcode', data.get('retcode') ?? 0).set('jid', data.get('jid') ?? jid)
}
