// How long a master may be silent before it counts as lost. A master that usually answers fast is given up after two
// fifths of `master_alive_interval`, or after a quarter if heartbeats are unanswered too, as with a stopped process. A
// slow master, for example on a loaded machine, gets four times its longest recent answer time. Time in which this
// process was not scheduled does not count: the answer may already have arrived.

/** Milliseconds that every master may take. */
const LEAST_MS = 2000
/** Milliseconds that a master may take that answers no heartbeat. */
const LEAST_MUTE_MS = 1000
/** The part of the interval after which a quick master counts as lost. */
const PART = 0.4
/** The same for a master that answers no heartbeat. */
const MUTE_PART = 0.25
/** Factor on the longest recent answer time. */
const TIMES = 4
/** Decay of the longest answer time with each new answer. */
const FADING = 0.9
/** Milliseconds between two looks that count at most. */
const MOST_STEP_MS = 500

export class Silence {
  private readonly least: number
  private readonly leastMute: number
  private readonly most: number
  private slowest = 0
  private counted = 0
  /** Milliseconds without an answer to a heartbeat. */
  private mute = 0
  private last = 0

  /** `interval`: milliseconds of `master_alive_interval`, the most that a master may take. */
  constructor(interval: number) {
    this.least = Math.max(LEAST_MS, PART * interval)
    this.leastMute = Math.max(LEAST_MUTE_MS, MUTE_PART * interval)
    this.most = Math.max(LEAST_MS, interval)
  }

  /** Milliseconds of silence after which the master counts as lost. */
  get patience(): number {
    return this.patienceFrom(this.least)
  }

  private patienceFrom(least: number): number {
    return Math.min(this.most, Math.max(least, TIMES * this.slowest))
  }

  /** Milliseconds of silence so far. */
  get length(): number {
    return this.counted
  }

  /** Begin a query; the earlier one must be answered. `mute`: milliseconds since a heartbeat that has no answer. */
  begin(now: number, mute = 0): void {
    this.counted = 0
    this.mute = Math.min(MOST_STEP_MS, mute)
    this.last = now
  }

  /** Count the time since the last look, and return whether the master is lost; `isMute`: a heartbeat has no answer. */
  goesOn(now: number, isMute = false): boolean {
    const step = Math.min(MOST_STEP_MS, now - this.last)
    this.last = now
    this.counted += step
    this.mute = isMute ? this.mute + step : 0
    const patience = this.patienceFrom(this.leastMute)
    return this.counted >= this.patience || (this.mute >= patience && this.counted >= patience / 2)
  }

  /** The master has answered the question. */
  end(now: number): void {
    this.goesOn(now)
    this.slowest = Math.max(this.counted, FADING * this.slowest)
  }
}
