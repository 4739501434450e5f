// The master in its cluster: forwards events to the other masters, and carries out the records of the log.
import { isJid, namedLog, shownText } from '../base/mod.ts'
import {
  type BusEvent,
  type EventBus,
  hasJournal,
  isOwn,
  JournalReader,
  journalFolder,
  stamp,
  withTrace,
} from '../bus/mod.ts'
import { Cluster, type ClusterRecord, type LastKept, type LogGap } from '../cluster/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, isDict } from '../data/mod.ts'
import { hasRules } from '../reactor/mod.ts'
import { runnerReturn } from '../runner/mod.ts'
import type { Telemetry } from '../telemetry/mod.ts'
import type { SharedBatches } from './batch/shared-batches.ts'
import { comparableJobs } from './comparable.ts'
import { LeasedEvents } from './leased-events.ts'
import { REACTOR_LEASE, SCHEDULE_LEASE } from './leases.ts'
import {
  eventRecord,
  readEventRecord,
  readJobRecord,
  readKeptJobRecord,
  readReactedRecord,
  readReturnRecord,
} from './log-records.ts'
import type { MasterParts } from './parts.ts'
import type { Publishing } from './publish.ts'
import type { ReturnForm, ReturnService } from './returns.ts'
import { ReactionSharing } from './shared-reactions.ts'
import { SharedRuns } from './shared-runs.ts'
import { ToldEvents } from './told-events.ts'

type ClusteringParts = Pick<MasterParts, 'opts' | 'log' | 'bus' | 'jobs' | 'kept' | 'deliveries' | 'stores'> & {
  cluster: Cluster
}

/** Events about one master alone: its connections, its disks, its gaps, its own marks. Jobs and returns travel as records of their own. */
const OWN_TAGS =
  /^(?:salt\/job\/\d{20}(?:_\d+)?\/(?:new|publish|ret\/.*)|salt\/presence\/.*|salt\/cluster\/gap\/.*|salt\/master\/[^/]*\/storage\/.*|salt\/event_listen\/start|key|minion\/refresh\/.*|__schedule_return)$/

/** The last event of a runner function. */
const RUNNER_RETURN = /^salt\/run\/\d{20}(?:_\d+)?\/ret$/

/** The member that wrote a record. */
const memberOf = (mark: string): string => mark.slice(0, mark.indexOf('.'))

/** Milliseconds in which a job without delivery window is still published. */
const FRESH_MS = 2000

/** Carries out the records of the other masters. */
export interface ClusterWork {
  publishing: Publishing
  returns: ReturnService
  batches: SharedBatches | undefined
}

export class Clustering {
  private readonly parts: ClusteringParts
  private readonly publishing: Publishing
  private readonly returns: ReturnService
  private readonly batches: SharedBatches | undefined
  private readonly forReactor: LeasedEvents | undefined
  /** The records of orchestration runs of all masters. */
  readonly runs: SharedRuns
  /** The records of reactions of all masters. */
  readonly reactions: ReactionSharing
  /** The events that an earlier process of this master fired. */
  private told: ToldEvents | undefined

  constructor(parts: ClusteringParts, { publishing, returns, batches }: ClusterWork) {
    this.parts = parts
    this.publishing = publishing
    this.returns = returns
    this.batches = batches
    const { cluster, bus, opts } = parts
    this.runs = new SharedRuns(parts)
    this.reactions = new ReactionSharing(parts)
    if (hasRules(opts)) this.forReactor = new LeasedEvents(cluster, bus, REACTOR_LEASE)
    const schedule = option(opts, 'schedule')
    if (isDict(schedule) && schedule.size > 0) cluster.want(SCHEDULE_LEASE)
  }

  begin(): void {
    const { cluster, bus, jobs, kept, opts, log } = this.parts
    if (!hasJournal(opts)) log('warning', 'event_journal is off: after a crash this master may tell of events twice')
    this.told = new ToldEvents(new JournalReader(journalFolder(opts), () => jobs), jobs, cluster.sure)
    bus.share = (event) => this.share(event)
    const last = (): LastKept => ({ event: bus.last, returned: jobs.ledger.lastReturn })
    cluster.onGap = (gap) => this.tellGap(gap)
    const comparable = comparableJobs(this.parts)
    cluster.begin({ apply: (record) => this.apply(record), last, kept: surely(kept), comparable })
  }

  private tellGap({ isRepaired, count, text }: LogGap): void {
    const { bus } = this.parts
    const outcome = isRepaired ? 'repaired' : 'lost'
    bus.fire(`salt/cluster/gap/${outcome}`, dictFrom({ id: bus.own.name, count: count ?? null, comment: text }))
  }

  /** The bus for the reactor: one master of the cluster reacts to an event. */
  reactorBus(): EventBus {
    return this.forReactor?.view() ?? this.parts.bus
  }

  private share(event: BusEvent): string | undefined {
    return OWN_TAGS.test(event.tag) ? undefined : this.parts.cluster.share(eventRecord(event, true))
  }

  private apply(record: ClusterRecord): Promise<void> | void {
    // all that came before this life has come again
    if (!record.isReplayed) this.told = undefined
    const kind = record.fields.get('k')
    if (kind === 'job') return this.applyJob(record)
    if (kind === 'ret') return this.applyReturn(record)
    if (kind === 'kept') this.keepJob(record)
    else if (kind === 'run') this.runs.apply(record)
    else if (kind === 'batch') this.batches?.apply(record)
    else if (kind === 'reaction') this.applyReaction(record)
    else if (kind === 'react') this.forReactor?.claimed(readReactedRecord(record.fields))
    else if (kind === 'evt') return this.applyEvent(record)
    else
      this.parts.log(
        'error',
        `A newer master of the cluster wrote a record of kind ${shownText(String(kind))}: upgrade this one`,
      )
  }

  /** Whether an earlier process of this master fired the event; possible only for replayed records. */
  private wasTold(mark: string, { isReplayed }: ClusterRecord): boolean {
    if (!isReplayed) return false
    return this.told?.has(mark) === true
  }

  private async applyJob(record: ClusterRecord): Promise<void> {
    const { bus, deliveries } = this.parts
    const { fields, isMine, isLeft, isLate, age, mark } = record
    const job = readJobRecord(fields)
    const window = Math.max(FRESH_MS, deliveries.windowOf(job.load) * 1000)
    const isStale = isLate && age > window
    let count = 0
    const fire = (tag: string, data: Dict): void => {
      const own = `${mark}.${count++}`
      if (this.wasTold(own, record)) return
      bus.tell(bus.own, tag, withTrace(data.set('_stamp', stamp())), { mark: own, isForeign: !isMine })
    }
    // the job caches got the job before its first event was fired
    const isForCaches = isMine || (isLeft && !this.wasTold(`${mark}.0`, record))
    await this.publishing.carryOut(job, { isForCaches, isStale, fire })
  }

  /** Keep a job that some master lacked. */
  private keepJob({ fields }: ClusterRecord): void {
    const { jobs } = this.parts
    const job = readKeptJobRecord(fields)
    if (isJid(job.jid) && !jobs.job(job.jid)) jobs.saveJob(job)
  }

  private async applyReturn(record: ClusterRecord): Promise<void> {
    const { fields, isMine, isLeft, isReplayed, mark } = record
    const ret = readReturnRecord(fields)
    const { told } = this
    const isUntold = (isFirst: boolean): boolean => told?.isUntold(mark, ret, isFirst) ?? isFirst
    const form: ReturnForm = { mark, isForeign: !isMine, isLeft, ...(isReplayed && { isUntold }) }
    await this.returns.carryOut(ret, form)
  }

  private applyReaction(record: ClusterRecord): void {
    const claimed = this.reactions.apply(record)
    if (claimed !== undefined) this.forReactor?.claimed(new Set([claimed]))
  }

  private async applyEvent(record: ClusterRecord): Promise<void> {
    const isToldHere = record.isMine && record.fields.get('told') === true
    if (isToldHere) this.forReactor?.placed(record.mark)
    if (isToldHere || this.wasTold(record.mark, record)) return
    const { tag, data, origin } = readEventRecord(record.fields)
    this.parts.bus.tell(origin, tag, data, { mark: record.mark, isForeign: !record.isMine })
    // the program or the master that ran the function has kept the return there
    if (record.isMine || record.isLeft || !RUNNER_RETURN.test(tag) || !isOwn(origin)) return
    const id = this.parts.cluster.membership?.idOf(memberOf(record.mark)) ?? memberOf(record.mark)
    await this.parts.jobs.saveReturn(runnerReturn(id, data))
  }
}

/** Let it be an error that the journal does not take events. */
const surely =
  (kept: MasterParts['kept']): (() => Promise<void>) =>
  async () => {
    if (!(await kept())) throw new Error('the journal does not take events now')
  }

type OpeningParts = Pick<MasterParts, 'opts' | 'keys' | 'kept' | 'log'> & { telemetry: Telemetry }

/** Join the other masters. */
export async function openCluster(
  { opts, keys, kept, log, telemetry }: OpeningParts,
  closings: Array<() => unknown>,
): Promise<Cluster> {
  const cluster = await Cluster.open({ opts, keys, log: namedLog(log, 'salt.cluster') })
  closings.push(() => cluster.close(surely(kept)))
  telemetry.health.works(() => cluster.problem())
  return cluster
}

/** Begin with the records of the other masters. */
export async function beginCluster(parts: ClusteringParts, work: ClusterWork): Promise<Clustering> {
  const clustering = new Clustering(parts, work)
  clustering.begin()
  await parts.cluster.ready()
  clustering.runs.start()
  return clustering
}
