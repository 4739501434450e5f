// Faults of simulated minions. Shares are exact and evenly spread, without chance: of 200 minions, 5 % are every twentieth.

/** Percentages are from 0 to 100. */
export interface Faults {
  /** Minions that take jobs and never answer. */
  silentPercent: number
  /** Returns that fail: retcode 1, and one failed state in results of states. */
  failPercent: number
  /** Returns that are sent twice. */
  twicePercent: number
  /** Returns that arrive `lateMs` later, from minions that meanwhile report that the job does not run. */
  latePercent: number
  lateMs: number
  /** Minions a second that lose their connections and connect again. */
  reconnectsPerSecond: number
}

export const NO_FAULTS: Faults = {
  silentPercent: 0,
  failPercent: 0,
  twicePercent: 0,
  latePercent: 0,
  lateMs: 30_000,
  reconnectsPerSecond: 0,
}

/** Return whether number `index` belongs to the evenly spread share. */
export function isInShare(index: number, percent: number): boolean {
  return Math.floor(((index + 1) * percent) / 100) > Math.floor((index * percent) / 100)
}

/** A share of consecutive items. */
export class Share {
  private readonly percent: number
  private count = 0

  constructor(percent: number) {
    this.percent = percent
  }

  /** Whether the next one belongs to the share. */
  next(): boolean {
    return isInShare(this.count++, this.percent)
  }
}
