// Read access to the journal of a master, also while the master writes: events with their data. A large return is read
// from the job store.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, str } from '../../data/mod.ts'
import type { JobStore } from '../../store/mod.ts'
import { decodeEvent, framePacked } from '../../wire/mod.ts'
import { BusEvent, type EventFilter } from '../event-bus.ts'
import { frameHead } from '../origin.ts'
import type { FramedEvent } from '../subscriber.ts'
import type { JournalEvent } from './format.ts'
import { type Beginning, beginningOf, type JournalReading, readBackward, readForward, segmentsIn } from './segments.ts'

export interface PastReading extends JournalReading {
  filter?: EventFilter
}

export interface JournalExtent {
  files: number
  bytes: number
  /** Numbers of the first and last event, and when the first was fired in milliseconds. */
  first?: number
  last?: number
  from?: number
}

export const journalFolder = (opts: Dict): string => join(option(opts, 'cachedir'), 'events')

/** Whether a master keeps one. */
export const hasJournal = (opts: Dict): boolean => option(opts, 'event_journal')

/** Throw if the journal is off: past events need it. */
export function checkJournal(opts: Dict): void {
  if (hasJournal(opts)) return
  throw new BrineError('NoJournal', 'The events of the past are not kept: the option event_journal is off')
}

export class JournalReader {
  private readonly folder: string
  private readonly jobs: () => Pick<JobStore, 'returnOf'>

  constructor(folder: string, jobs: () => Pick<JobStore, 'returnOf'>) {
    this.folder = folder
    this.jobs = jobs
  }

  /** Events from a place on, oldest first. */
  *from(beginning: Beginning, { filter, ...reading }: PastReading = {}): Generator<BusEvent> {
    const since = 'time' in beginning ? new Date(beginning.time).toISOString().slice(0, -1) : ''
    for (const event of readForward(this.folder, beginning, reading)) {
      if (filter && !filter(event.tag)) continue
      const read = this.eventOf(event)
      // groups have one time for all
      if (str(read.data.get('_stamp') ?? since) >= since) yield read
    }
  }

  /** Events in the form that listeners get. */
  *framed(from: number, upTo: number): Generator<FramedEvent> {
    for (const event of readForward(this.folder, { number: from }, { upTo })) {
      const { origin, tag, number, body, kept } = event
      const data = (): Uint8Array => body.subarray(Buffer.byteLength(tag) + 2)
      yield kept
        ? this.eventOf(event)
        : { origin, tag, number, frame: framePacked(tag, data(), frameHead(origin).plain) }
    }
  }

  /** Only the tags, for counting. */
  *tags(beginning: Beginning): Generator<string> {
    for (const { tag } of readForward(this.folder, beginning)) yield tag
  }

  /** The marks of events that masters of a cluster share, with their tags. */
  *marks(from: number): Generator<{ mark: string; tag: string }> {
    for (const { mark, tag } of readForward(this.folder, { number: from })) if (mark !== undefined) yield { mark, tag }
  }

  /** Events from the last one back. */
  *back({ filter, ...reading }: PastReading = {}): Generator<BusEvent> {
    for (const event of readBackward(this.folder, reading)) if (!filter || filter(event.tag)) yield this.eventOf(event)
  }

  extent(): JournalExtent {
    const segments = segmentsIn(this.folder)
    const bytes = segments.reduce((sum, { path }) => sum + statSync(path).size, 0)
    const [first] = readForward(this.folder, { number: 0 })
    const [last] = readBackward(this.folder)
    const extent = { files: segments.length, bytes }
    if (!first || !last) return extent
    return { ...extent, first: first.number, last: last.number, from: beginningOf(segments[0]!.path) ?? first.at }
  }

  private eventOf({ number, tag, origin, body, kept }: JournalEvent): BusEvent {
    const { data } = decodeEvent(body)
    const whole = kept && this.jobs().returnOf(kept.jid, kept.id)
    return new BusEvent(origin, tag, whole ? new Map([...whole, ...data]) : data, number)
  }
}
