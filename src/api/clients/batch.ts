// The client `local_batch`: the master runs the batch, and the results are the returns in order of arrival.
import { batchSize } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, numberOf, SaltError, str, truthy, type Value } from '../../data/mod.ts'
import { isBatchOver, returnedBy } from '../../sdk/mod.ts'
import { answered, HttpError, needFields } from '../errors.ts'
import type { JobEvents } from '../job-watch.ts'
import { local, publishedWords, timesOf } from './local.ts'
import type { ClientWork } from './work.ts'

/** After so many seconds without an event the stored state of the batch is read. */
const LOOK_SECONDS = 5

/** Run a job in batches. Return one mapping for each minion that returned. */
export async function runApiBatch(work: ClientWork, low: Dict): Promise<Value[]> {
  needFields(low, ['tgt', 'fun'])
  const minions = await answering(work, low)
  if (minions.length === 0) return []
  const { master, watch, peer } = work
  const load = batchLoad(work, low, minions)
  const { begun, events } = await watch.begin(
    async () => answered(await master.command(load, peer)),
    (answer) => str(answer.get('jid') ?? ''),
  )
  const jid = str(begun.get('jid') ?? '')
  const isRaw = truthy(low.get('raw') ?? null)
  return new BatchReturns(work, { jid, minions, isRaw }, events).gather()
}

/** Begin a batch of all minions that the target means: `{jid, minions}`. The master drives it, also when the caller is gone. */
export async function beginBatch(work: ClientWork, low: Dict): Promise<Dict> {
  return answered(await work.master.command(batchLoad(work, low), work.peer))
}

/** Minions that answer a ping take part. */
async function answering(work: ClientWork, low: Dict): Promise<string[]> {
  const ping = new Map(low).set('fun', 'test.ping').set('ret', '')
  for (const field of ['arg', 'kwarg', 'batch', 'batch_wait', 'failhard', 'raw', 'jid', 'full_return'])
    ping.delete(field)
  return [...(await local(work, ping))].filter(([, value]) => value === true).map(([id]) => str(id))
}

/** Fields of a chunk that the batch itself reads. */
const OF_BATCH = new Set([
  'client',
  'tgt',
  'fun',
  'arg',
  'kwarg',
  'tgt_type',
  'ret',
  'jid',
  'batch',
  'batch_wait',
  'failhard',
])
const NOT_OF_JOB = new Set(['raw', 'full_return', 'timeout', 'gather_job_timeout'])

/** Return the command that starts a batch; without minions, for those that match the target. */
function batchLoad({ master }: ClientWork, low: Dict, minions?: string[]): Dict {
  const { opts } = master.access
  const size = str(low.get('batch') ?? '10%')
  try {
    batchSize(size, minions?.length ?? 1)
  } catch (error) {
    if (error instanceof SaltError) throw new HttpError(400, error.message, error)
    throw error
  }
  const { timeout, gatherJobTimeout } = timesOf(low, opts)
  const kwargs = [...low].filter(([name]) => typeof name === 'string' && !OF_BATCH.has(name) && !NOT_OF_JOB.has(name))
  return new Map<Value, Value>([
    ['cmd', 'batch'],
    ['tgt', low.get('tgt') ?? null],
    ['tgt_type', low.get('tgt_type') ?? 'glob'],
    ['fun', low.get('fun') ?? null],
    ['arg', publishedWords(low)],
    ['ret', low.get('ret') ?? ''],
    ['kwargs', new Map(kwargs)],
    ...(minions ? [['minions', minions] as const] : []),
    ['batch', size],
    ['batch_wait', numberOf(low.get('batch_wait') ?? null) ?? option(opts, 'batch_wait')],
    ['failhard', truthy(low.get('failhard') ?? option(opts, 'failhard'))],
    ['timeout', timeout],
    ['gather_job_timeout', gatherJobTimeout],
    ['driver', minions ? 'cli' : 'master'],
  ])
}

interface WatchedBatch {
  jid: string
  minions: readonly string[]
  /** Whether results are whole returns. */
  isRaw: boolean
}

/** Gathers the returns of a batch. An event can be missed, so that the stored returns and state are read as well. */
class BatchReturns {
  private readonly work: ClientWork
  private readonly batch: WatchedBatch
  private readonly events: JobEvents
  private readonly waiting: Set<string>
  private readonly results: Value[] = []

  constructor(work: ClientWork, batch: WatchedBatch, events: JobEvents) {
    this.work = work
    this.batch = batch
    this.events = events
    this.waiting = new Set(batch.minions)
  }

  async gather(): Promise<Value[]> {
    const leave = (): void => this.events.close()
    this.work.signal.addEventListener('abort', leave)
    try {
      while (!(await this.isOver()));
      this.takeStored()
      return this.results
    } finally {
      this.work.signal.removeEventListener('abort', leave)
      this.events.close()
    }
  }

  private async isOver(): Promise<boolean> {
    const { jid } = this.batch
    const event = await this.events.next(LOOK_SECONDS)
    if (!event) {
      if (!this.events.isOpen) throw new HttpError(503, 'The request ended before its batch')
      const state = this.work.master.access.stores.cache.bank('batch').fetch(jid)
      this.takeStored()
      return state !== undefined && isDict(state) && isBatchOver(state)
    }
    const id = returnedBy(event, jid)
    if (id !== undefined) this.take(id, event.data)
    const [, family, , what] = event.tag.split('/')
    return family === 'batch' && event.origin.kind === 'master' && (what === 'complete' || what === 'halted')
  }

  private take(id: string, data: Dict): void {
    if (!this.waiting.delete(id)) return
    const { isRaw } = this.batch
    this.results.push(isRaw ? new Map<Value, Value>([['data', data]]) : new Map([[id, data.get('return') ?? null]]))
  }

  private takeStored(): void {
    for (const [id, data] of this.events.stored(this.batch.jid, this.waiting)) this.take(id, data)
  }
}
