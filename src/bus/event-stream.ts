// Events as an async iterator. The reader, or other code, may end the loop at any time, also while it waits; the source
// of the events is then closed.
import type { BusEvent } from './event-bus.ts'

/** A client of the sockets, or a tap of this process' bus. */
export interface EventTap {
  next(seconds: number): Promise<BusEvent | undefined>
  close(): void
  readonly isOpen: boolean
}

/** Timers end at about 24 days. */
const LONGEST = 2_000_000

/** Begins to listen when it is made; ends after `seconds` without an event. */
export function eventStream(
  opening: EventTap | Promise<EventTap>,
  seconds: number = Number.POSITIVE_INFINITY,
): AsyncIterableIterator<BusEvent> {
  const opened = Promise.resolve(opening)
  // a caller that never reads must not get an unhandled rejection when the bus is gone
  opened.catch(() => {})
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    ;(await opened).close()
    return { done: true, value: undefined }
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async () => {
      const tap = await opened
      for (;;) {
        const value = await tap.next(Math.min(seconds, LONGEST))
        if (value) return { done: false, value }
        if (!tap.isOpen || Number.isFinite(seconds)) return end()
      }
    },
    return: end,
  }
}
