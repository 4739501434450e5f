// Past events, page by page, for readers that are behind. Pages and the places where reading stopped are kept for a moment: readers
// that fell behind together, or reconnect together after a restart, share both.
import { type Log, toError } from '../../base/mod.ts'
import type { BusEvent } from '../../bus/mod.ts'
import { HubEvent } from './hub-event.ts'

/** Events and bytes of a page. */
const PAGE_EVENTS = 256
const PAGE_BYTES = 512 * 1024

/** Pages that are kept, and open journals. */
const KEPT_PAGES = 16
const KEPT_PLACES = 8

export class JournalPages {
  private readonly read: (from: number) => Iterator<BusEvent>
  private readonly log: Log
  private readonly pages = new Map<number, readonly HubEvent[]>()
  /** Suspended iterations of the journal, by the number of their next event. */
  private readonly places = new Map<number, Iterator<BusEvent>>()
  private isFailing = false

  constructor(read: (from: number) => Iterator<BusEvent>, log: Log) {
    this.read = read
    this.log = log
  }

  /** Return events from a number on, oldest first; none where the journal has none yet. */
  page(from: number): readonly HubEvent[] {
    const known = this.pages.get(from) ?? this.restFrom(from)
    if (known) return known
    try {
      const page = this.readPage(from)
      this.isFailing = false
      return page
    } catch (error) {
      if (!this.isFailing) this.log('error', `The API cannot read the event journal: ${toError(error).message}`)
      this.isFailing = true
      return []
    }
  }

  close(): void {
    for (const place of this.places.values()) place.return?.()
    this.places.clear()
    this.pages.clear()
  }

  /** Return the rest of a kept page that has the event of a number. */
  private restFrom(from: number): readonly HubEvent[] | undefined {
    for (const [first, page] of this.pages) {
      if (from < first || from > page.at(-1)!.number) continue
      const at = page.findIndex(({ number }) => number === from)
      if (at >= 0) return page.slice(at)
    }
    return undefined
  }

  private readPage(from: number): readonly HubEvent[] {
    const reading = this.places.get(from) ?? this.read(from)
    this.places.delete(from)
    const page: HubEvent[] = []
    let bytes = 0
    let isOver = false
    while (page.length < PAGE_EVENTS && bytes < PAGE_BYTES) {
      const next = reading.next()
      isOver = next.done === true
      if (next.done) break
      const event = new HubEvent(next.value, this.log)
      bytes += event.size
      page.push(event)
    }
    const last = page.at(-1)
    if (!last) return page
    keep(this.pages, from, page, KEPT_PAGES)
    const dropped = isOver ? undefined : keep(this.places, last.number + 1, reading, KEPT_PLACES)
    dropped?.return?.()
    return page
  }
}

/** Store a value; return the oldest value if it was evicted. */
function keep<T>(kept: Map<number, T>, key: number, value: T, most: number): T | undefined {
  const replaced = kept.get(key)
  kept.set(key, value)
  if (replaced !== undefined || kept.size <= most) return replaced
  const [oldest, dropped] = kept.entries().next().value!
  kept.delete(oldest)
  return dropped
}
