// The events per second of the master, over the last minute.
import type { EventFeed } from '../master.ts'

const SECONDS = 60

export class EventRate {
  /** Counts by second, in a ring. */
  private readonly counts = new Array<number>(SECONDS).fill(0)
  private readonly began = now()
  private at = now()

  /** Stop counting. */
  readonly close: () => void

  constructor(feed: Pick<EventFeed, 'listen'>) {
    this.close = feed.listen(() => {
      this.move()
      this.counts[this.at % SECONDS]!++
    })
  }

  get perSecond(): number {
    this.move()
    const seconds = Math.min(SECONDS, Math.max(1, this.at - this.began))
    return Math.round((this.counts.reduce((sum, count) => sum + count, 0) / seconds) * 100) / 100
  }

  /** Forget the seconds that are more than a minute ago. */
  private move(): void {
    const second = now()
    for (let passed = 0; this.at < second && passed < SECONDS; passed++) this.counts[++this.at % SECONDS] = 0
    this.at = second
  }
}

const now = (): number => Math.floor(Date.now() / 1000)
