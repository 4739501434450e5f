// `-b`, and `--static`, which is a batch of all minions that shows all returns at the end. Minions that answer a ping take part; the
// master drives the batch, and `BatchWatch` prints it.
import { batchSize, ClientError, NOBODY_MATCHED, type PublishRequest } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, SaltError, type Value } from '../../data/mod.ts'
import { BatchWatch } from './batch-watch.ts'
import { showHints } from './hints.ts'
import { batchGoesOn, tellAtInterrupt } from './messages.ts'
import { isOptionSet, publishRequest, times } from './request.ts'
import { showOutcome } from './show.ts'
import type { SaltWork } from './work.ts'

interface Answered {
  up: string[]
  down: string[]
  /** Ids in a list target that no accepted minion has. */
  missing: string[]
}

/** Ping the minions of a target. Return undefined if the target matches no minion. */
async function ping({ client, opts }: SaltWork, request: PublishRequest): Promise<Answered | undefined> {
  const { tgt, tgtType, kwargs } = request
  const ping = { tgt, fun: 'test.ping', arg: [], ...(tgtType && { tgtType }), ...(kwargs && { kwargs }) }
  const published = await client.publish(ping)
  if (!published) return undefined
  const answered: Answered = { up: [], down: [], missing: [] }
  for await (const { id, data, reason } of client.collect(published, times(opts)))
    answered[data ? 'up' : reason === 'missing' ? 'missing' : 'down'].push(id)
  for (const ids of [answered.up, answered.down]) ids.sort()
  return answered
}

/** Return why a batch size cannot be used, or undefined if it can. */
function sizeProblem(spec: string): string | undefined {
  try {
    batchSize(spec, 1)
    return undefined
  } catch (error) {
    if (error instanceof SaltError) return error.message
    throw error
  }
}

export async function runBatch(work: SaltWork, size: string, isQuiet: boolean): Promise<number> {
  const { client, opts, streams } = work
  const problem = sizeProblem(size)
  if (problem !== undefined) {
    streams.err(`${problem}\n`)
    return 1
  }
  const isAsync = isOptionSet(opts, 'async') && !option(opts, 'static')
  const request = await publishRequest(work)
  const answered = await ping(work, request)
  if (!answered || answered.up.length === 0) return nobodyAnswered(work, answered, { isAsync, isQuiet })
  if (!isQuiet) for (const id of answered.down) streams.out(noAnswer(id))
  const load = batchLoad(opts, request, { size, minions: answered.up, driver: isAsync ? 'master' : 'cli' })
  let jid: string
  try {
    jid = await client.beginBatch(load)
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'NoBatches' || !option(opts, 'static')) throw error
    return showOutcome(work, await gatheredAtOnce(work, request, answered.up))
  }
  const events = client.eventsOf(jid)
  if (isAsync) {
    streams.out(`Executed batch command with job ID: ${jid}\n`)
    return 0
  }
  const watch = new BatchWatch(work, { jid, minions: answered.up, isQuiet }, events)
  const stop = tellAtInterrupt(jid, streams, batchGoesOn(jid))
  try {
    await watch.follow()
  } finally {
    stop()
  }
  const shown = isQuiet ? await showOutcome(work, watch.results) : 0
  await showHints(watch.hints, opts, streams)
  if (!isQuiet) return watch.retcode
  return watch.isHalted ? Math.max(1, shown) : shown
}

const noAnswer = (id: string): string => `Minion ${id} did not respond. No job will be sent.\n`

/** Salt prints nothing if no minion answers the ping, and exits with 0. Standard error reports it. */
function nobodyAnswered(
  work: SaltWork,
  answered: Answered | undefined,
  { isAsync, isQuiet }: { isAsync: boolean; isQuiet: boolean },
): number | Promise<number> {
  const { streams } = work
  if (!answered) streams.out(NOBODY_MATCHED)
  else for (const id of [...answered.down, ...answered.missing]) streams.err(noAnswer(id))
  if (!isQuiet && (!answered || isAsync)) streams.out('No minions matched the target.\n')
  return isQuiet ? showOutcome(work, new Map()) : 0
}

/** `--static` with a master that knows no batches: one job, and all of its returns. */
async function gatheredAtOnce({ client, opts }: SaltWork, request: PublishRequest, minions: string[]): Promise<Dict> {
  const results: Dict = new Map()
  const published = await client.publish({ ...request, tgt: minions, tgtType: 'list' })
  if (!published) return results
  for await (const { id, data } of client.collect(published, times(opts))) {
    results.set(id, data?.get('return') ?? new Map())
  }
  return results
}

interface BatchFacts {
  size: string
  minions: string[]
  driver: string
}

/** Return the keywords of a job without those that only control the output. */
const ofJob = (kwargs: Dict): Dict =>
  new Map(
    [...kwargs].filter(
      ([name, value]) => name !== 'show_timeout' && name !== 'show_jid' && (name !== 'delimiter' || value !== ':'),
    ),
  )

function batchLoad(opts: Dict, request: PublishRequest, { size, minions, driver }: BatchFacts): Dict {
  const { timeout, gatherJobTimeout } = times(opts)
  return new Map<Value, Value>([
    ['tgt', request.tgt],
    ['tgt_type', request.tgtType ?? 'glob'],
    ['fun', request.fun],
    ['arg', request.arg],
    ['ret', request.ret ?? ''],
    ['kwargs', ofJob(request.kwargs ?? new Map())],
    ['minions', minions],
    ['batch', size],
    ['batch_wait', option(opts, 'batch_wait')],
    ['failhard', option(opts, 'failhard')],
    ['timeout', timeout],
    ['gather_job_timeout', gatherJobTimeout],
    ['driver', driver],
  ])
}
