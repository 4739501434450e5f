// A queue of events that the reader has not taken yet.
import type { BusEvent } from './event-bus.ts'

export class EventQueue {
  private readonly waiting: BusEvent[] = []
  private wake: (() => void) | undefined
  /** Whether more may come. */
  isOpen = true

  get length(): number {
    return this.waiting.length
  }

  put(event: BusEvent): void {
    this.waiting.push(event)
    this.wake?.()
  }

  /** End the queue: no more events arrive, but waiting events can still be read. */
  end(): void {
    this.isOpen = false
    this.wake?.()
  }

  /** The next event, or undefined when none comes within the seconds or no more will come. */
  async next(seconds: number): Promise<BusEvent | undefined> {
    if (this.waiting.length === 0 && this.isOpen) {
      await new Promise<void>((done) => {
        // read events that arrived while this process was not scheduled before the time counts as over
        const over = (): unknown => setImmediate(done)
        const timer = seconds > 0 ? setTimeout(over, seconds * 1000) : void over()
        this.wake = () => {
          clearTimeout(timer)
          done()
        }
      })
      this.wake = undefined
    }
    return this.waiting.shift()
  }
}
