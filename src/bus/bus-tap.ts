// Events of the bus of this process, one after the other, in the same form as for clients of the sockets.
import type { BusEvent, EventBus, EventFilter } from './event-bus.ts'
import { EventQueue } from './event-queue.ts'

export class BusTap {
  private readonly waiting = new EventQueue()
  private readonly stop: () => void
  private filter: EventFilter

  constructor(bus: EventBus, filter: EventFilter) {
    this.filter = filter
    this.stop = bus.listen((event) => {
      if (this.filter(event.tag)) this.waiting.put(event)
    })
  }

  get isOpen(): boolean {
    return this.waiting.isOpen
  }

  want(filter: EventFilter): void {
    this.filter = filter
  }

  next(seconds: number): Promise<BusEvent | undefined> {
    return this.waiting.next(seconds)
  }

  close(): void {
    this.stop()
    this.waiting.end()
  }
}
