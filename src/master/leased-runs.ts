// Scheduled jobs in a cluster: the holder of a lease starts them. A master claims a run before it starts it, by a change
// of the shared state that only one master can make. The other masters keep the runs that were due for them and that
// nobody has claimed, and the next holder starts these late. A holder that goes on without a claim has decided not to
// start a run.
import { randomBytes } from 'node:crypto'
import { guarded, type Log, toError } from '../base/mod.ts'
import type { Cluster, ClusterEntry } from '../cluster/mod.ts'
import { type Dict, dictFrom, isDict, numberOf, type Value } from '../data/mod.ts'
import { SCHEDULE_LEASE } from './leases.ts'

const LOOK_MS = 500
/** Milliseconds that clocks of masters may differ: a holder that lives so long after a run was due here does not want it. */
const APART_MS = 5000

/** A run that is due. */
export interface DueRun {
  name: string
  fun: string
  job: Dict
  /** The time for which it was planned, in milliseconds since 1970, equal on all masters; null for a run at the start. */
  moment: number | null
}

interface Waiting extends DueRun {
  /** Unique for the claim. */
  id: string
  /** When it was due here, on the clock that never goes back. */
  at: number
  /** The last claim of the job that was known then. */
  revision: number
}

export interface LeasedRunsParts {
  cluster: Pick<Cluster, 'holds' | 'writer'> & {
    membership: { renewedAt(lease: string): number | undefined } | undefined
    state: RunState | undefined
  }
  log: Log
  /** Starts a run that this master has claimed. */
  start(run: DueRun): void
  /** Hears that another master started a job, with the time of this master's clock. */
  ranElsewhere(name: string, time: number): void
}

/** The claims of all masters, by the name of the job. */
export interface RunState {
  get(kind: 'run', name: string): ClusterEntry | undefined
  all(kind: 'run'): ReadonlyMap<string, ClusterEntry>
  put(kind: 'run', name: string, value: Dict, after: number): Promise<number>
  fetch(kind: 'run', name: string): Promise<ClusterEntry | undefined>
}

export class LeasedRuns {
  private readonly parts: LeasedRunsParts
  private readonly waiting = new Map<string, Waiting>()
  private readonly claiming = new Set<string>()
  /** The last own claim of each job, which the copy of the shared state may not have yet. */
  private readonly claimed = new Map<string, number>()
  private readonly seen = new Map<string, number>()
  private readonly timer: NodeJS.Timeout

  constructor(parts: LeasedRunsParts) {
    this.parts = parts
    if (this.isHeldElsewhere) this.hear(true)
    const look = guarded(parts.log, 'Looking for scheduled jobs without a master', () => this.look())
    this.timer = setInterval(look, LOOK_MS).unref()
  }

  close(): void {
    clearInterval(this.timer)
  }

  /** Start a job that is due, if this is the turn of this master, or keep it for the time when it is. */
  due(run: DueRun): void {
    const { name, moment } = run
    if (moment === null ? this.isHeldElsewhere : this.lastOf(name)?.get('moment') === moment) return
    const id = randomBytes(9).toString('base64url')
    const waiting = { ...run, id, at: performance.now(), revision: this.revisionOf(name) }
    this.waiting.set(name, waiting)
    if (this.isTurn) void this.begin(waiting)
  }

  private get isTurn(): boolean {
    return this.parts.cluster.holds(SCHEDULE_LEASE)
  }

  private get isHeldElsewhere(): boolean {
    return !this.isTurn && this.parts.cluster.membership?.renewedAt(SCHEDULE_LEASE) !== undefined
  }

  private lastOf(name: string): Dict | undefined {
    return this.parts.cluster.state?.get('run', name)?.value
  }

  private revisionOf(name: string): number {
    return Math.max(this.claimed.get(name) ?? 0, this.parts.cluster.state?.get('run', name)?.revision ?? 0)
  }

  private look(): void {
    this.hear(false)
    for (const [name, waiting] of this.waiting) {
      if (this.isOver(waiting)) this.waiting.delete(name)
      else if (this.isTurn) void this.begin(waiting)
    }
  }

  /** Whether another master has started a run, or has decided not to. */
  private isOver({ name, id, at, revision, job }: Waiting): boolean {
    if (this.revisionOf(name) !== revision && this.lastOf(name)?.get('id') !== id) return true
    const renewed = this.isTurn ? undefined : this.parts.cluster.membership?.renewedAt(SCHEDULE_LEASE)
    return renewed !== undefined && renewed > at + APART_MS + splayOf(job)
  }

  private async begin(waiting: Waiting): Promise<void> {
    const { name } = waiting
    if (this.claiming.has(name)) return
    this.claiming.add(name)
    try {
      const isMine = await this.claim(waiting)
      const next = this.waiting.get(name)
      if (next === waiting) this.waiting.delete(name)
      else if (next && isMine) next.revision = this.revisionOf(name)
      if (isMine) this.parts.start(waiting)
    } catch (error) {
      this.parts.log('warning', `Scheduled job ${name} waits for the cluster: ${toError(error).message}`)
    } finally {
      this.claiming.delete(name)
    }
  }

  /** Claim a run; return False if another master has. */
  private async claim({ name, id, moment, revision }: Waiting): Promise<boolean> {
    const { state, writer } = this.parts.cluster
    if (!state) return false
    try {
      const claim = dictFrom({ id, moment, by: writer, at: Date.now() })
      this.claimed.set(name, await state.put('run', name, claim, revision))
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== 'ClusterConflict') throw error
      // an attempt whose answer was lost may have succeeded
      const last = await state.fetch('run', name)
      if (last) this.claimed.set(name, last.revision)
      return last?.value?.get('id') === id
    }
  }

  /** Pass on the runs of other masters. Those before the start of this master tell their time by the other clock alone. */
  private hear(isFirst: boolean): void {
    const { cluster, ranElsewhere } = this.parts
    for (const [name, { revision, value, since }] of cluster.state?.all('run') ?? []) {
      if (this.seen.get(name) === revision) continue
      this.seen.set(name, revision)
      if (!value || value.get('by') === cluster.writer) continue
      const then = isFirst ? (numberOf(value.get('at') ?? null) ?? 0) : Date.now() - (performance.now() - since)
      ranElsewhere(name, Math.min(Date.now(), then))
    }
  }
}

/** The greatest splay of a job, in milliseconds. */
function splayOf(job: Dict): number {
  const splay: Value = job.get('splay') ?? null
  return 1000 * (numberOf(isDict(splay) ? (splay.get('end') ?? null) : splay) ?? 0)
}
