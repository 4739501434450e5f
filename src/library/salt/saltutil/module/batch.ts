// Runs a job on a few minions at a time. Minions that answer a ping take part; the master runs the batch, and its events
// are followed here.
import type { Value } from '../../../../data/mod.ts'
import {
  type BusMessage,
  type MasterReach,
  type MinionJob,
  type MinionReturn,
  returnedBy,
} from '../../../../sdk/mod.ts'

async function present(master: MasterReach, { tgt, tgtType = 'glob' }: MinionJob): Promise<string[]> {
  const ids: string[] = []
  for await (const { id, data } of master.run({ tgt, tgtType, fun: 'test.ping' })) if (data) ids.push(id)
  return ids
}

/** Default number of seconds that a batch waits for a minion. */
const TIMEOUT = 60

export async function* inBatches(
  master: MasterReach,
  job: MinionJob,
  batch: string,
  { failhard, gatherJobTimeout }: BatchOptions,
): AsyncGenerator<MinionReturn> {
  const minions = await present(master, job)
  if (minions.length === 0) return
  const events = master.events((tag) => /^salt\/(job|batch)\//.test(tag))[Symbol.asyncIterator]()
  // listen before the start: the batch may begin before its job id is known
  const listened: AsyncIterable<BusMessage> = { [Symbol.asyncIterator]: () => events }
  const arg: Value[] = [...(job.arg ?? [])]
  if (job.kwarg && job.kwarg.size > 0) arg.push(new Map<Value, Value>([['__kwarg__', true], ...job.kwarg]))
  const load = new Map<Value, Value>([
    ['tgt', job.tgt],
    ['tgt_type', job.tgtType ?? 'glob'],
    ['fun', job.fun],
    ['arg', arg],
    ['ret', job.ret ?? ''],
    ['kwargs', job.options ?? new Map()],
    ['minions', minions],
    ['batch', batch],
    ['batch_wait', 0],
    ['failhard', failhard],
    ['timeout', job.timeout ?? TIMEOUT],
    ['gather_job_timeout', gatherJobTimeout],
    ['driver', 'cli'],
  ])
  const jid = await master.beginBatch(load).catch(async (error: unknown) => {
    await events.return?.()
    throw error
  })
  const sent = new Set(minions)
  for await (const event of listened) {
    const id = returnedBy(event, jid)
    if (id !== undefined && sent.has(id)) yield { id, data: event.data }
    else if (isEnd(event, jid)) return
  }
}

/** Return whether an event is the end of the batch. Only the master may say so; Salt's bus has no sender. */
const isEnd = ({ tag, origin }: BusMessage, jid: string): boolean =>
  (origin.kind === 'master' || origin.kind === 'unknown') &&
  (tag === `salt/batch/${jid}/complete` || tag === `salt/batch/${jid}/halted`)

export interface BatchOptions {
  failhard: boolean
  gatherJobTimeout: number
}
