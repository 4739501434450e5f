// Batches run in the master, so that they continue after the end of the program that started them. Their states are in
// the cache, and a restarted master resumes unfinished ones. In a cluster another master takes them over.
import { BrineError, guarded, StorageError } from '../../base/mod.ts'
import { BusTap, isOwn, originText } from '../../bus/mod.ts'
import { batchSize, collectReturns } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { returnerNames } from '../../daemon/mod.ts'
import {
  briefStr,
  type Dict,
  dictFrom,
  isDict,
  isList,
  numberOf,
  Packed,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../data/mod.ts'
import type { Bank } from '../../store/mod.ts'
import { isValidId, type Peer } from '../../wire/mod.ts'
import type { MasterParts } from '../parts.ts'
import type { JobRequest } from '../publication.ts'
import type { Publishing } from '../publish.ts'
import { unstoredAnswer } from '../refusals.ts'
import { Batch, type BatchNews, type BatchPlan, MOST_RETURNED } from './batch.ts'
import { SharedBatches } from './shared-batches.ts'
import { type BatchMoment, batchEvent, batchTag } from './telling.ts'

type BatchesParts = Pick<MasterParts, 'opts' | 'log' | 'bus' | 'jobs' | 'cache' | 'cluster'>

const now = (): number => Date.now() / 1000

/** States are written at most that often. */
const WRITE_MS = 500

const RESUME_MS = 5000

/** When work is tried again that the disk or the cluster refused. */
const AGAIN_MS = 5000

/**
 * Every minion reads every publication, so one publication starts many minions: minions whose turn comes are gathered
 * until no return arrived for a moment or the first minion has waited long enough.
 */
const GATHERING_MS = 50
const LONGEST_GATHERING_MS = 500

const STOP = /^salt\/batch\/([^/]+)\/stop$/

export class Batches {
  private readonly parts: BatchesParts
  private readonly publishing: Publishing
  private readonly states: Bank
  private readonly running = new Map<string, Batch>()
  private readonly timers = new Set<NodeJS.Timeout>()
  private readonly unwritten = new Set<Batch>()
  private readonly startingSoon = new Set<Batch>()
  private readonly stopListening: () => void
  /** The batches of all masters of a cluster; undefined for a master alone. */
  readonly shared: SharedBatches | undefined
  private isClosed = false

  constructor(parts: BatchesParts, publishing: Publishing) {
    this.parts = parts
    this.publishing = publishing
    this.states = parts.cache.bank('batch')
    if (parts.cluster) this.shared = this.openShared(parts.cluster)
    this.stopListening = parts.bus.listen(
      ({ tag, data, origin }) => {
        // only the master and programs of its own user may stop batches
        if (isOwn(origin)) this.halt(STOP.exec(tag)![1]!, str(data.get('reason') ?? 'stop'))
        else parts.log('warning', `Did not stop a batch: ${originText(origin)} may not`)
      },
      (tag) => STOP.test(tag),
    )
  }

  private openShared(cluster: NonNullable<BatchesParts['cluster']>): SharedBatches {
    const { log, jobs } = this.parts
    return new SharedBatches(
      { cluster, states: this.states, jobs, log },
      {
        takeUp: (jid) =>
          this.apart(`Taking over batch ${jid}`, () =>
            this.untilStored(`Taking over batch ${jid}`, () => this.resumeOne(jid)),
          ),
        drop: (jid) => this.drop(jid),
      },
    )
  }

  /** Batches that are not over. */
  get count(): number {
    return this.running.size
  }

  close(): void {
    this.isClosed = true
    this.stopListening()
    this.shared?.close()
    for (const timer of this.timers) clearTimeout(timer)
    this.write()
  }

  /**
   * Answer a clear `batch` request at once with the job id. Only the authorised minions take part. A load without
   * minions means those of its target; if none match, the answer has no job id.
   */
  async begin(load: Dict, peer?: Peer): Promise<Dict> {
    const named = load.get('minions')
    const asked = named === undefined ? load : new Map(load).set('tgt', named).set('tgt_type', 'list')
    const judged = await this.publishing.judged(asked, peer)
    if (judged instanceof Map) return judged
    const { request, user, targeted, isFrozen, eauth } = judged
    // unknown ids are left out, unless the caller may reach the minions of other masters
    const isForBelow = named !== undefined && !isFrozen && option(this.parts.opts, 'order_masters')
    const minions = isForBelow ? listOf(named).filter(isValidId) : targeted.minions
    if (named === undefined && minions.length === 0) return new Map([['minions', []]])
    const jid = request.jid ?? this.publishing.freshJid()
    const plan = minions.length === 0 ? NO_MINIONS : planOf(load, request, { user, isForBelow, jid }, minions.length)
    if (plan instanceof SaltError) return refusal(plan)
    if (this.running.has(plan.jid) || this.states.fetch(plan.jid) !== undefined)
      return refusal(new SaltError('SaltInvocationError', `There is a batch of the job id ${plan.jid} already`))
    const batch = new Batch(plan, minions, now())
    if (eauth !== undefined) this.parts.jobs.ledger.noteEauth(plan.jid, eauth)
    // store the batch before the caller gets the job id, so that it survives the end of this master
    try {
      if (this.shared) await this.shared.begin(batch)
      else this.states.store(plan.jid, batch.describe())
    } catch (error) {
      return unstoredAnswer(error, true)
    }
    this.running.set(plan.jid, batch)
    this.tell(batch, 'new')
    await this.advance(batch, {})
    return dictFrom({ jid: plan.jid, minions })
  }

  /** Resume unfinished batches of the last run, after minions had time to reconnect. */
  resume(): void {
    this.later(RESUME_MS, 'Taking up batches', () =>
      this.untilStored('Taking up batches', () => {
        if (this.shared) return this.shared.start()
        for (const jid of this.states.list())
          this.apart(`Taking up batch ${jid}`, () =>
            this.untilStored(`Taking up batch ${jid}`, () => this.resumeOne(jid)),
          )
      }),
    )
  }

  /** Do work; when the disk or the cluster refuses it, or no file can be opened, do it again later. */
  private async untilStored(what: string, work: () => unknown): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isPassing(error) || this.isClosed) throw error
      this.later(AGAIN_MS, what, () => this.untilStored(what, work))
    }
  }

  private async resumeOne(jid: string): Promise<void> {
    const oldest = now() - option(this.parts.opts, 'keep_jobs_seconds')
    const state = this.states.fetch(jid)
    const batch = state !== undefined && isDict(state) ? Batch.revive(state) : undefined
    if (!batch || batch.lastProgress < oldest) this.states.flush(jid)
    else if (!batch.isOver && !this.running.has(jid)) await this.takeUp(batch)
  }

  /** Run work in the background. */
  private apart(what: string, work: () => unknown): void {
    guarded(this.parts.log, what, work)()
  }

  private later(ms: number, what: string, work: () => unknown): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      this.apart(what, work)
    }, ms)
    this.timers.add(timer)
  }

  private async takeUp(batch: Batch): Promise<void> {
    const { jid } = batch.plan
    const there = this.parts.jobs.returns(jid)
    this.running.set(jid, batch)
    if (this.shared) batch.recall(this.parts.jobs.job(jid)?.minions ?? [], now())
    // the kept state may be old: a minion that returned is not sent the job again
    batch.pending.splice(0, batch.pending.length, ...batch.pending.filter((id) => !there.has(id)))
    const reason = this.shared?.stopOf(jid)
    if (reason === undefined) await this.followed(batch, batch.all, there)
    else this.halt(jid, reason)
  }

  /** Another master drives a batch from now on. */
  private drop(jid: string): void {
    const batch = this.running.get(jid)
    if (!batch) return
    this.running.delete(jid)
    this.unwritten.delete(batch)
    this.startingSoon.delete(batch)
  }

  /** Whether this process still drives a batch. */
  private drives(batch: Batch): boolean {
    return !this.isClosed && this.running.get(batch.plan.jid) === batch
  }

  /** Follow the active ones of these minions; returns of the meantime are in the store. */
  private async followed(batch: Batch, minions: readonly string[], there: Map<string, Dict>): Promise<void> {
    const { jid } = batch.plan
    const waiting = minions.filter((id) => batch.active.has(id) && !there.has(id))
    if (waiting.length > 0) this.apart(`Following batch ${jid}`, () => this.follow(batch, waiting, this.tap()))
    const returned = minions.flatMap((id) => (there.has(id) ? [[id, kept(there.get(id)!, jid)] as const] : []))
    await this.advance(batch, { returned: new Map(returned) })
  }

  private tap(): BusTap {
    return new BusTap(this.parts.bus, (tag) => tag.startsWith('salt/job/'))
  }

  private async advance(batch: Batch, news: BatchNews): Promise<void> {
    if (!this.drives(batch)) return
    const isNews = news.returned !== undefined || news.lost !== undefined
    batch.take(news, now())
    // minions that return shortly after each other make room together
    if (isNews && batch.active.size > 0 && !batch.isOver) {
      this.tell(batch, 'progress')
      this.startSoon(batch)
    } else await this.startNext(batch, isNews)
  }

  /** Send the job to the minions whose turn it is. */
  private async startNext(batch: Batch, isNews: boolean): Promise<void> {
    if (!this.drives(batch)) return
    // a master that was cut off may find that another one drives the batch
    if (this.shared?.mayDrive === false) return this.startLater(batch, [])
    const next = batch.next(now())
    if (isNews || next.length > 0) this.tell(batch, 'progress')
    if (next.length > 0) {
      const tap = this.tap()
      try {
        const targeted = { minions: next, missing: [] }
        await this.publishing.send(requestOf(batch, next), batch.plan.user, targeted, sendingOf(batch))
      } catch (error) {
        tap.close()
        if (!isPassing(error)) throw error
        return this.startLater(batch, next)
      }
      this.apart(`Following batch ${batch.plan.jid}`, () => this.follow(batch, next, tap))
    }
    if (batch.isOver) this.end(batch)
    else if (batch.pending.length > 0 && batch.nextWait !== undefined) this.waitUntil(batch, batch.nextWait)
  }

  /**
   * Postpone the start of minions: a job that the master cannot store is not sent. The batch continues when the disk or
   * the cluster accepts the job.
   */
  private startLater(batch: Batch, minions: readonly string[]): void {
    batch.giveBack(minions)
    this.later(AGAIN_MS, `Batch ${batch.plan.jid}`, () => this.startNext(batch, false))
  }

  private startSoon(batch: Batch): void {
    if (batch.pending.length === 0 || this.startingSoon.has(batch)) return
    this.startingSoon.add(batch)
    this.gather(batch, performance.now() + LONGEST_GATHERING_MS)
  }

  /** Start the next minions once no minion has returned for a moment, or at the latest time. */
  private gather(batch: Batch, latest: number): void {
    const returned = (): number => batch.done.size + batch.failed.size
    const before = returned()
    this.later(GATHERING_MS, `Batch ${batch.plan.jid}`, () => {
      if (returned() !== before && performance.now() < latest) return this.gather(batch, latest)
      this.startingSoon.delete(batch)
      return this.startNext(batch, false)
    })
  }

  private waitUntil(batch: Batch, time: number): void {
    const ms = Math.max(0, (time - now()) * 1000) + 1
    this.later(ms, `Batch ${batch.plan.jid}`, () => this.advance(batch, {}))
  }

  /** Collect the returns of minions that were sent the job together. */
  private async follow(batch: Batch, minions: string[], tap: BusTap): Promise<void> {
    const { jid, timeout, gatherJobTimeout } = batch.plan
    try {
      const published = { jid, minions, missing: [] }
      const ask = (_: string, ids: string[]) => this.askWhoRuns(batch, ids)
      // the question goes through the tiers, and so do the answers
      const more = batch.plan.isForBelow ? option(this.parts.opts, 'syndic_wait') : 0
      const options = { timeout, gatherJobTimeout: gatherJobTimeout + more, leavesPacked: true }
      for await (const { id, data } of collectReturns(tap, ask, published, options)) {
        await this.advance(batch, data ? { returned: new Map([[id, kept(data, jid)]]) } : { lost: [id] })
      }
    } catch (error) {
      if (!isPassing(error)) throw error
      // for example, the query about active minions could not be sent
      const what = `Following batch ${jid}`
      const again = (): Promise<void> => this.followed(batch, minions, this.parts.jobs.returns(jid))
      this.later(AGAIN_MS, what, () => this.untilStored(what, again))
    } finally {
      tap.close()
    }
  }

  private async askWhoRuns(batch: Batch, ids: string[]): Promise<string> {
    const { jid } = batch.plan
    const request: JobRequest = { fun: 'saltutil.find_job', arg: [jid], tgt: ids, tgtType: 'list', fields: new Map() }
    return this.publishing.send(request, 'root', { minions: ids, missing: [] }, sendingOf(batch))
  }

  private halt(jid: string, reason: string): void {
    const batch = this.running.get(jid)
    if (!batch) return this.shared?.stop(jid, reason)
    batch.haltedBecause = reason
    this.end(batch)
  }

  private end(batch: Batch): void {
    if (!this.drives(batch)) return
    this.running.delete(batch.plan.jid)
    this.shared?.over(batch)
    this.tell(batch, batch.isHalted ? 'halted' : 'complete')
  }

  private tell(batch: Batch, moment: BatchMoment): void {
    this.parts.bus.fire(batchTag(batch.plan.jid, moment), batchEvent(batch, moment, now()))
    if (this.unwritten.size === 0) this.later(WRITE_MS, 'Writing batches', () => this.write())
    this.unwritten.add(batch)
  }

  private write(): void {
    const batches = [...this.unwritten]
    this.unwritten.clear()
    for (const batch of batches) {
      const what = `Writing batch ${batch.plan.jid}`
      const store = (): void => this.states.store(batch.plan.jid, this.shared?.kept(batch) ?? batch.describe())
      this.apart(what, () => this.untilStored(what, store))
    }
  }
}

/** Whether work that failed can be done later: a disk may get room, and a cluster its majority. */
const isPassing = (error: unknown): boolean =>
  error instanceof StorageError || (error instanceof BrineError && error.code === 'NoQuorum')

const refusal = ({ code, message }: SaltError): Dict =>
  new Map<Value, Value>([['error', dictFrom({ name: code, message })]])

const NO_MINIONS = new SaltError('SaltInvocationError', 'The batch names no minion that this master knows')

const listOf = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])

/** Longest time that a batch may wait for something, in seconds. */
const LONGEST_WAIT = 86_400

function planOf(
  load: Dict,
  request: JobRequest,
  by: Pick<BatchPlan, 'user' | 'isForBelow' | 'jid'>,
  minions: number,
): BatchPlan | SaltError {
  const seconds = (name: string, fallback: number): number => {
    const given = numberOf(load.get(name) ?? fallback) ?? fallback
    return Number.isFinite(given) ? Math.min(Math.max(given, 0), LONGEST_WAIT) : fallback
  }
  try {
    return {
      fun: request.fun,
      arg: request.arg,
      kwargs: new Map<Value, Value>([...request.fields].filter(([name]) => name !== 'ret')),
      tgt: load.get('tgt') ?? '',
      tgtType: briefStr(load.get('tgt_type') ?? 'glob'),
      ret: returnerNames(request.fields.get('ret')).join(','),
      ...by,
      size: batchSize(briefStr(load.get('batch') ?? '1'), minions),
      wait: seconds('batch_wait', 0),
      failhard: truthy(load.get('failhard') ?? false),
      timeout: seconds('timeout', 5),
      gatherJobTimeout: seconds('gather_job_timeout', 10),
      driver: load.get('driver') === 'cli' ? 'cli' : 'master',
    }
  } catch (error) {
    if (error instanceof SaltError) return error
    throw error
  }
}

function requestOf({ plan }: Batch, minions: string[]): JobRequest {
  const { fun, arg, jid, ret, kwargs } = plan
  const fields = new Map<string, Value>([...(ret === '' ? [] : [['ret', ret] as const]), ...fieldsOf(kwargs)])
  return { fun, arg: isList(arg) ? arg : [], tgt: minions, tgtType: 'list', jid, fields }
}

/** Syndics forward only jobs with a list of rights; the empty list is that of a user who may run the job everywhere. */
const sendingOf = ({ plan }: Batch): { authList?: Value[] } => (plan.isForBelow ? { authList: [] } : {})

const fieldsOf = (kwargs: Dict): Array<[string, Value]> => [...kwargs].map(([name, value]) => [str(name), value])

/**
 * The part of a return that a batch remembers. A long return stays packed: the state of the batch does not contain it.
 */
function kept(data: Dict, jid: string): Dict {
  const out = data.get('out')
  const ret = data.get('return') ?? null
  return new Map<Value, Value>([
    ['ret', ret instanceof Packed && ret.bytes.length <= MOST_RETURNED ? ret.unpack() : ret],
    ...(out === undefined ? [] : ([['out', out]] as Array<[Value, Value]>)),
    ['retcode', data.get('retcode') ?? 0],
    ['jid', jid],
  ])
}
