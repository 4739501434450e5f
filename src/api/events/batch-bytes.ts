// The bytes of batches of events. Readers at the same position with the same form and filter share one buffer: events
// are encoded once for all of them, and waiting data is in memory once.
import type { HubEvent, RecordForm } from './hub-event.ts'

/** Batches that are remembered: one for each kind of reader that takes events at the same time. */
const REMEMBERED = 8

interface Encoded {
  form: RecordForm
  events: readonly HubEvent[]
  bytes: Buffer
}

export class BatchBytes {
  private remembered: Encoded[] = []

  /** Return the records of events as bytes, which must not be changed. */
  of(events: readonly HubEvent[], form: RecordForm): Buffer {
    const known = this.remembered.find((each) => each.form === form && isSame(each.events, events))
    if (known) return known.bytes
    const bytes = Buffer.from(events.map((event) => event.record(form)).join(''))
    this.remembered = [{ form, events, bytes }, ...this.remembered.slice(0, REMEMBERED - 1)]
    return bytes
  }

  clear(): void {
    this.remembered = []
  }
}

const isSame = (some: readonly HubEvent[], others: readonly HubEvent[]): boolean =>
  some.length === others.length && some.every((event, index) => event === others[index])
