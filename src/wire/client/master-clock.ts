// The master's clock as a minion knows it: the time in the last sign-in reply and what has passed here since the request.
// The estimate may run ahead by as long as the sign-in took, and never falls behind: a reply that somebody delays does not
// lengthen the life of a publication. A machine that slept, or whose time of day was set, runs ahead too; the next
// sign-in puts that right.

export interface Moment {
  /** Milliseconds of a clock that counts evenly, but stands still while the machine sleeps. */
  steady: number
  /** Milliseconds of the time of day, which may jump. */
  day: number
}

export const thisMoment = (): Moment => ({ steady: performance.now(), day: Date.now() })

export class MasterClock {
  private readonly time: number
  private readonly asked: Moment

  /** `time`: what the master said, in seconds; `asked`: when it was asked. */
  constructor(time: number, asked: Moment) {
    this.time = time
    this.asked = asked
  }

  /** The second of the master's clock, rounded up. */
  now(): number {
    const { steady, day } = thisMoment()
    return this.time + Math.ceil(Math.max(steady - this.asked.steady, day - this.asked.day) / 1000)
  }
}
