// The batches of all masters of a cluster. The log of the cluster records which process drives a batch. When that
// process is gone, another one takes the batch over: the first whose record is in the log. Every master stores the
// beginning of a batch; the started minions and their returns are in the job store.
import { guarded, type Log } from '../../base/mod.ts'
import type { Cluster, ClusterRecord } from '../../cluster/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../../data/mod.ts'
import { isBatchOver } from '../../sdk/mod.ts'
import type { Bank, JobStore } from '../../store/mod.ts'
import type { Batch } from './batch.ts'

/** Milliseconds between checks for batches whose process is gone. */
const LOOK_MS = 2000
/** Milliseconds that a new batch waits for the log: clients wait longer, so they receive the reason of a refusal. */
const BEGIN_PATIENCE_MS = 5000

/** The process that drives a batch, in its state. */
const WRITER = 'writer'

export interface SharedBatchesParts {
  cluster: Pick<Cluster, 'append' | 'share' | 'writer' | 'isGone' | 'hasQuorum' | 'isCaughtUp'>
  states: Bank
  jobs: Pick<JobStore, 'progress'>
  log: Log
}

/** The operations on the batches of this process. */
export interface BatchWork {
  /** This process drives a batch from now on. */
  takeUp(jid: string): void
  /** Another process drives a batch from now on, or it is over. */
  drop(jid: string): void
}

export class SharedBatches {
  private readonly parts: SharedBatchesParts
  private readonly work: BatchWork
  /** The processes that drive the batches that are not over. */
  private readonly drivers = new Map<string, string>()
  /** Batches that this process has said it takes over. */
  private readonly asked = new Set<string>()
  /** Why batches were stopped that had no living process at that time. */
  private readonly stops = new Map<string, string>()
  private timer: NodeJS.Timeout | undefined

  constructor(parts: SharedBatchesParts, work: BatchWork) {
    this.parts = parts
    this.work = work
  }

  /** Start watching batches of other processes, including those of an earlier process of this master. */
  start(): void {
    const { states, log } = this.parts
    for (const jid of states.list()) {
      const state = this.stateOf(jid)
      if (state && !isBatchOver(state) && !this.drivers.has(jid)) this.drivers.set(jid, driverOf(state))
    }
    this.timer ??= setInterval(
      guarded(log, 'Looking for batches without a master', () => this.look()),
      LOOK_MS,
    ).unref()
  }

  close(): void {
    clearInterval(this.timer)
  }

  /** Whether this master may send the jobs of its batches: it knows of everything that others have taken over. */
  get mayDrive(): boolean {
    return this.parts.cluster.hasQuorum && this.parts.cluster.isCaughtUp
  }

  /** Resolves when the cluster will not lose a new batch. */
  async begin(batch: Batch): Promise<void> {
    const { cluster } = this.parts
    const { jid } = batch.plan
    try {
      await cluster.append(
        record('begun', jid, [
          ['state', batch.describe()],
          ['by', cluster.writer],
        ]),
        BEGIN_PATIENCE_MS,
      )
    } catch (error) {
      // the record may have reached the log all the same
      cluster.share(record('over', jid, [['reason', 'refused']]))
      throw error
    }
  }

  /** Record the end of a batch for the other masters. */
  over({ plan, haltedBecause, failed }: Batch): void {
    const fields: Array<[string, Value]> = [
      ['reason', haltedBecause ?? null],
      ['failed', [...failed.keys()]],
    ]
    this.parts.cluster.share(record('over', plan.jid, fields))
  }

  /** Note a stop for the process that takes the batch over. */
  stop(jid: string, reason: string): void {
    if (this.drivers.has(jid)) this.stops.set(jid, reason)
  }

  /** The reason of a stop request that arrived while no process drove the batch. */
  stopOf(jid: string): string | undefined {
    return this.stops.get(jid)
  }

  /** The state as it is kept, with the process that drives the batch. */
  kept(batch: Batch): Dict {
    return batch.describe().set(WRITER, this.parts.cluster.writer)
  }

  /** Carry out a record of the log. */
  apply({ fields }: ClusterRecord): void {
    const jid = str(fields.get('jid') ?? '')
    const what = fields.get('what')
    const by = str(fields.get('by') ?? '')
    if (what === 'begun') this.begun(jid, by, fields.get('state') ?? null)
    else if (what === 'taken') this.taken(jid, by, str(fields.get('from') ?? ''))
    else if (what === 'over') this.ended(jid, fields)
  }

  private begun(jid: string, by: string, state: Value): void {
    // a record that comes again after a restart says nothing new
    if (!isDict(state) || this.stateOf(jid)) return
    this.parts.states.store(jid, new Map(state).set(WRITER, by))
    this.drivers.set(jid, by)
  }

  private taken(jid: string, by: string, from: string): void {
    const state = this.stateOf(jid)
    // another process was faster
    if (!state || isBatchOver(state) || driverOf(state) !== from) return
    this.parts.states.store(jid, new Map(state).set(WRITER, by))
    this.drivers.set(jid, by)
    if (by === this.parts.cluster.writer) this.work.takeUp(jid)
    else this.work.drop(jid)
  }

  private ended(jid: string, fields: Dict): void {
    this.drivers.delete(jid)
    this.asked.delete(jid)
    this.stops.delete(jid)
    const state = this.stateOf(jid)
    this.work.drop(jid)
    if (state && !isBatchOver(state)) this.parts.states.store(jid, this.overState(jid, state, fields))
  }

  private overState(jid: string, state: Dict, fields: Dict): Dict {
    const reason = fields.get('reason') ?? null
    const failed = fields.get('failed') ?? null
    const returned = this.parts.jobs.progress(jid).filter((each) => each.state === 'returned')
    return new Map(state)
      .set('pending', [])
      .set('active', new Map())
      .set('done', new Map(returned.map(({ id }) => [id, new Map([['jid', jid]])])))
      .set('failed', new Map(isList(failed) ? failed.map((id) => [id, 'timeout']) : []))
      .set('halted', reason !== null)
      .set('halted_reason', reason)
  }

  private async look(): Promise<void> {
    if (!this.mayDrive) return
    const { cluster, log } = this.parts
    for (const [jid, from] of this.drivers) {
      if (this.asked.has(jid) || from === cluster.writer || !cluster.isGone(from)) continue
      this.asked.add(jid)
      log('info', `The process that drives batch ${jid} is gone: this master asks for the batch`)
      try {
        await cluster.append(
          record('taken', jid, [
            ['from', from],
            ['by', cluster.writer],
          ]),
        )
      } finally {
        this.asked.delete(jid)
      }
    }
  }

  private stateOf(jid: string): Dict | undefined {
    const state = this.parts.states.fetch(jid)
    return state !== undefined && isDict(state) ? state : undefined
  }
}

const driverOf = (state: Dict): string => str(state.get(WRITER) ?? '')

const record = (what: 'begun' | 'taken' | 'over', jid: string, fields: ReadonlyArray<readonly [string, Value]>): Dict =>
  new Map<Value, Value>([['k', 'batch'], ['what', what], ['jid', jid], ...fields])
