// The state machine of one batch: waiting, active and finished minions, and the next step. It has no clock and no bus;
// events and time are passed in. The field names of its description are those of Salt's batch state.
import { returnCode } from '../../client/mod.ts'
import { type Dict, encodeMsgpack, isDict, numberOf, str, type Value } from '../../data/mod.ts'

/** The fixed settings of a batch. */
export interface BatchPlan {
  jid: string
  fun: Value
  arg: Value
  kwargs: Dict
  tgt: Value
  tgtType: string
  ret: string
  user: string
  size: number
  /** Seconds between the return of a minion and the use of its place. */
  wait: number
  failhard: boolean
  timeout: number
  gatherJobTimeout: number
  /** `cli` if a program waits for the batch, else `master`. */
  driver: string
  /** Whether minions of masters below take part, so that syndics hand the job on. */
  isForBelow: boolean
}

/**
 * Size limit of the returns in the state of a batch, in bytes. Each event of a batch contains its state, so larger
 * returns are only in the job store, and the state holds only ids and return codes.
 */
export const MOST_RETURNED = 16_384

export interface BatchNews {
  /** Returns by minion id. */
  returned?: ReadonlyMap<string, Dict>
  /** Minions that will not return. */
  lost?: readonly string[]
}

export class Batch {
  readonly plan: BatchPlan
  readonly all: string[]
  readonly pending: string[]
  /** Since when each works. */
  readonly active = new Map<string, number>()
  readonly done = new Map<string, Dict>()
  readonly failed = new Map<string, string>()
  readonly created: number
  lastProgress: number
  haltedBecause: string | undefined
  private waits: number[] = []
  /** Bytes of the returns in `done`. */
  private returnedBytes = 0

  constructor(plan: BatchPlan, minions: readonly string[], now: number) {
    this.plan = plan
    this.all = [...minions]
    this.pending = [...minions]
    this.created = now
    this.lastProgress = now
  }

  get isHalted(): boolean {
    return this.haltedBecause !== undefined
  }

  get isOver(): boolean {
    return this.isHalted || (this.pending.length === 0 && this.active.size === 0)
  }

  /** The time when the next place becomes free. */
  get nextWait(): number | undefined {
    return this.waits[0]
  }

  /** Process returns and lost minions. */
  take({ returned = new Map(), lost = [] }: BatchNews, now: number): void {
    for (const [id, data] of returned) {
      if (this.done.has(id) || this.failed.has(id)) continue
      this.keep(id, data)
      this.leave(id, now)
      if (this.plan.failhard && returnCode(data) > 0) this.haltedBecause = 'failhard'
    }
    for (const id of lost) {
      if (this.done.has(id) || this.failed.has(id)) continue
      this.failed.set(id, 'timeout')
      this.leave(id, now)
    }
    this.lastProgress = now
  }

  /** Return the minions to start; they count as active from now on. */
  next(now: number): string[] {
    this.waits = this.waits.filter((until) => until > now).sort((a, b) => a - b)
    if (this.isHalted) return []
    const free = Math.max(0, this.plan.size - this.active.size - this.waits.length)
    const next = this.pending.splice(0, free)
    for (const id of next) this.active.set(id, now)
    return next
  }

  /** Take back minions that could not be sent the job: their turn comes again. */
  giveBack(minions: readonly string[]): void {
    for (const id of minions) this.active.delete(id)
    this.pending.unshift(...minions)
  }

  /**
   * Take over a batch: these minions were sent the job, even if the state does not contain it, and count as active from
   * now on.
   */
  recall(sent: readonly string[], now: number): void {
    const known = new Set(sent)
    for (const id of this.pending) if (known.has(id)) this.active.set(id, now)
    this.pending.splice(0, this.pending.length, ...this.pending.filter((id) => !known.has(id)))
  }

  private keep(id: string, data: Dict): void {
    const wasFull = this.returnedBytes > MOST_RETURNED
    if (!wasFull) this.returnedBytes += encodeMsgpack(data, 'bus').length
    if (this.returnedBytes <= MOST_RETURNED) this.done.set(id, data)
    else {
      if (!wasFull) for (const [other, known] of this.done) this.done.set(other, withoutReturn(known))
      this.done.set(id, withoutReturn(data))
    }
  }

  private leave(id: string, now: number): void {
    this.active.delete(id)
    if (this.plan.wait > 0) this.waits.push(now + this.plan.wait)
  }

  describe(): Dict {
    const { plan } = this
    return new Map<Value, Value>([
      ['jid', plan.jid],
      ['all_minions', [...this.all]],
      ['pending', [...this.pending]],
      ['active', new Map<Value, Value>(this.active)],
      ['done', new Map<Value, Value>(this.done)],
      ['failed', new Map<Value, Value>(this.failed)],
      ['wait', [...this.waits]],
      ['batch_size', plan.size],
      ['fun', plan.fun],
      ['arg', plan.arg],
      ['kwargs', plan.kwargs],
      ['tgt', plan.tgt],
      ['tgt_type', plan.tgtType],
      ['failhard', plan.failhard],
      ['batch_wait', plan.wait],
      ['timeout', plan.timeout],
      ['gather_job_timeout', plan.gatherJobTimeout],
      ['last_progress', this.lastProgress],
      ['created', this.created],
      ['halted', this.isHalted],
      ['halted_reason', this.haltedBecause ?? null],
      ['driver', plan.driver],
      ['ret', plan.ret],
      ['user', plan.user],
      ...(plan.isForBelow ? [['for_below', true] as const] : []),
    ])
  }

  /** Restore a batch from its description; minions that were active then stay active. */
  static revive(state: Dict): Batch {
    const text = (name: string): string => str(state.get(name) ?? '')
    const number = (name: string): number => numberOf(state.get(name) ?? 0) ?? 0
    const list = (name: string): string[] => ((state.get(name) ?? []) as Value[]).map(str)
    const dict = (name: string): Dict => (isDict(state.get(name) ?? null) ? (state.get(name) as Dict) : new Map())
    const plan: BatchPlan = {
      jid: text('jid'),
      fun: state.get('fun') ?? '',
      arg: state.get('arg') ?? [],
      kwargs: dict('kwargs'),
      tgt: state.get('tgt') ?? '',
      tgtType: text('tgt_type'),
      ret: text('ret'),
      user: text('user'),
      size: number('batch_size'),
      wait: number('batch_wait'),
      failhard: state.get('failhard') === true,
      timeout: number('timeout'),
      gatherJobTimeout: number('gather_job_timeout'),
      driver: text('driver'),
      isForBelow: state.get('for_below') === true,
    }
    const batch = new Batch(plan, list('all_minions'), number('created'))
    batch.lastProgress = number('last_progress')
    if (state.get('halted') === true) batch.haltedBecause = text('halted_reason')
    batch.pending.splice(0, batch.pending.length, ...list('pending'))
    for (const [id, since] of dict('active')) batch.active.set(str(id), numberOf(since) ?? 0)
    for (const [id, data] of dict('done')) batch.keep(str(id), isDict(data) ? data : new Map())
    for (const [id, why] of dict('failed')) batch.failed.set(str(id), str(why))
    return batch
  }
}

/** A minion chooses the size of everything in its return, so of a large one only the number of its return code stays. */
const withoutReturn = (data: Dict): Dict =>
  new Map<Value, Value>([['retcode', returnCode(data)], ...[...data].filter(([name]) => name === 'jid')])
