// A minion's estimate of the master's clock: the time in the last sign-in reply plus the time since the request. The
// estimate may be ahead by the duration of the sign-in, and is never behind: an attacker who delays a reply does not
// extend the lifetime of a publication. It is also ahead after the machine slept or its clock was set; the next sign-in
// corrects that.

export interface Moment {
  /** Milliseconds of a monotonic clock, which stops while the machine sleeps. */
  steady: number
  /** Milliseconds of the time of day, which may jump. */
  day: number
}

export const thisMoment = (): Moment => ({ steady: performance.now(), day: Date.now() })

export class MasterClock {
  private readonly time: number
  private readonly asked: Moment

  /** `time`: the master's time in seconds; `asked`: when the request was sent. */
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
