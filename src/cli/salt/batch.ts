// `-b`, and `--static`, which is a batch of everybody that shows all at the end. Who answers a ping takes part; the master
// does the rest, and what is printed here is read from its events.
import type { BusEvent } from '../../bus/mod.ts'
import { batchSize, ClientError, JobHints, NOBODY_MATCHED, type PublishRequest, returnCode } from '../../client/mod.ts'
import {
  type Dict,
  isDict,
  isList,
  numberOf,
  repr,
  SaltError,
  str,
  textOf,
  truthy,
  type Value,
} from '../../data/mod.ts'
import { returnedBy } from '../../sdk/mod.ts'
import { showHints } from './hints.ts'
import { batchGoesOn, tellAtInterrupt } from './messages.ts'
import { flag, publishRequest, times } from './request.ts'
import { showOutcome, showValue } from './show.ts'
import type { SaltWork } from './work.ts'

interface Answered {
  up: string[]
  down: string[]
}

/** Who answers; undefined when nobody is meant. */
async function ping({ client, opts }: SaltWork, request: PublishRequest): Promise<Answered | undefined> {
  const { tgt, tgtType, kwargs } = request
  const ping = { tgt, fun: 'test.ping', arg: [], ...(tgtType && { tgtType }), ...(kwargs && { kwargs }) }
  const published = await client.publish(ping)
  if (!published) return undefined
  const up: string[] = []
  for await (const { id, data } of client.collect(published, times(opts))) if (data) up.push(id)
  const answered = new Set(up)
  return { up: up.sort(), down: published.minions.filter((id) => !answered.has(id)).sort() }
}

/** Undefined for a size that is none. */
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
  const isAsync = flag(opts, 'async') && !flag(opts, 'static')
  const request = await publishRequest(work)
  const answered = await ping(work, request)
  if (!answered) streams.out(NOBODY_MATCHED)
  if (!answered || answered.up.length === 0) {
    if (!isQuiet && (!answered || isAsync)) streams.out('No minions matched the target.\n')
    return isQuiet ? showOutcome(work, new Map()) : 0
  }
  if (!isQuiet) for (const id of answered.down) streams.out(`Minion ${id} did not respond. No job will be sent.\n`)
  const load = batchLoad(opts, request, { size, minions: answered.up, driver: isAsync ? 'master' : 'cli' })
  let jid: string
  try {
    jid = await client.beginBatch(load)
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'NoBatches' || !truthy(opts.get('static') ?? false))
      throw error
    return showOutcome(work, await gatheredAtOnce(work, request, answered.up))
  }
  const events = client.eventsOf(jid)
  if (isAsync) {
    streams.out(`Executed batch command with job ID: ${jid}\n`)
    return 0
  }
  const watch = new Watch(work, jid, isQuiet)
  const stop = tellAtInterrupt(jid, streams, batchGoesOn(jid))
  try {
    while (!watch.isOver) {
      const event = await events.next(3600)
      if (event) await watch.hear(event)
      else if (!events.isOpen) throw new ClientError('SaltClientError', 'The connection to the master was lost')
    }
  } finally {
    stop()
  }
  const shown = isQuiet ? await showOutcome(work, watch.results) : 0
  await showHints(watch.hints, opts, streams)
  if (!isQuiet) return watch.retcode
  return watch.isHalted ? Math.max(1, shown) : shown
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

/** What tells how a program shows returns is none of the job's. */
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
    ['batch_wait', numberOf(opts.get('batch_wait') ?? 0) ?? 0],
    ['failhard', flag(opts, 'failhard')],
    ['timeout', timeout],
    ['gather_job_timeout', gatherJobTimeout],
    ['driver', driver],
  ])
}

class Watch {
  isOver = false
  isHalted = false
  retcode = 0
  readonly results: Dict = new Map()
  readonly hints: JobHints = new JobHints()
  private readonly work: SaltWork
  private readonly jid: string
  private readonly isQuiet: boolean
  private readonly sent = new Set<string>()

  constructor(work: SaltWork, jid: string, isQuiet: boolean) {
    this.work = work
    this.jid = jid
    this.isQuiet = isQuiet
  }

  /** How a batch goes on counts only from the master; Salt's bus does not say who fired an event. */
  async hear(event: BusEvent): Promise<void> {
    const { tag, data, origin } = event
    const [, family, jid = '', what] = tag.split('/')
    if (jid !== this.jid || (origin.kind !== 'master' && origin.kind !== 'unknown')) return
    if (family === 'job' && what === 'new') this.began(data)
    else if (family === 'job' && what === 'ret') await this.returned(returnedBy(event, jid), data)
    else if (family === 'batch' && (what === 'complete' || what === 'halted')) this.ended(what, data)
  }

  private began(data: Dict): void {
    const minions = data.get('minions') ?? []
    const ids = isList(minions) ? minions.map(str).sort() : []
    for (const id of ids) this.sent.add(id)
    if (!this.isQuiet) this.work.streams.out(`\nExecuting run on ${repr(ids)}\n\n`)
  }

  private async returned(id: string | undefined, data: Dict): Promise<void> {
    if (id === undefined || !this.sent.delete(id)) return
    const value = data.get('return') ?? null
    const retcode = returnCode(data)
    this.retcode = Math.max(this.retcode, retcode)
    this.results.set(id, value)
    this.hints.note(id, data)
    if (this.isQuiet) return
    const shown = new Map<Value, Value>([
      ['retcode', data.get('retcode') ?? 0],
      ['jid', data.get('jid') ?? ''],
      [id, value],
    ])
    await showValue(this.work, shown, textOf(data.get('out') ?? null) ?? '', 0)
  }

  /** A minion that was sent the job and did not return counts as an empty return. A batch that was stopped has failed. */
  private ended(how: string, data: Dict): void {
    this.isOver = true
    if (how === 'complete') for (const id of this.sent) this.results.set(id, new Map())
    if (how !== 'halted') return
    this.isHalted = true
    this.retcode = Math.max(1, this.retcode)
    this.work.log('error', `Batch run stopped due to ${reasonOf(data)}`)
  }
}

function reasonOf(data: Dict): string {
  const state = data.get('state')
  const told = state !== undefined && isDict(state) ? state.get('halted_reason') : data.get('reason')
  return str(told ?? 'stop')
}
