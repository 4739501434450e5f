// Forwards events of the local master to the master above. Events are read in order from the journal, and the number of
// the last forwarded event is on disk, so that no restart of either side loses any.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isAnyError, type Log, PRIVATE_FILE, Repeats, recover, toError } from '../base/mod.ts'
import type { BusEvent, EventTap } from '../bus/mod.ts'
import type { Dict } from '../data/mod.ts'
import { type DescribeJob, eventsLoad, HandedEvents, type JobEvent, jobEvent } from './handed-events.ts'
import type { LowerMaster } from './lower-master.ts'
import { isRefusal, pauseFor } from './upper-master.ts'

/** Milliseconds that lists and returns of jobs wait for others that come at the same time. */
const URGENT_MS = 5
/** Milliseconds until a master that is away is tried again. */
const RETRY_MS = 500
/** Refusals after which events are handed over one by one, and a single one is changed or left out. */
const MOST_REFUSALS = 3
/** Seconds that the next event is waited for. */
const IDLE_SECONDS = 3600

export interface HandOverParts {
  log: Log
  lower: LowerMaster
  /** The id of the syndic. */
  id: string
  /** File with the number of the last event that was handed over. */
  file: string
  /** Seconds that events wait which are not urgent. */
  gather: number
  isMeant(event: BusEvent, kind: JobEvent | undefined): boolean
  describe: DescribeJob
  /** Resolves when a master has taken the requests, of so many bytes; rejects when it may not have. */
  send(requests: readonly Dict[], bytes: number): Promise<void>
}

export class HandOver {
  private readonly parts: HandOverParts
  private readonly stopped = new AbortController()
  private readonly repeats = new Repeats()
  private tap: EventTap | undefined
  private last: number | undefined
  private running: Promise<void> = Promise.resolve()

  constructor(parts: HandOverParts) {
    this.parts = parts
    mkdirSync(dirname(parts.file), { recursive: true, mode: 0o700 })
    this.last = this.read()
  }

  start(): void {
    this.running = this.run()
  }

  async close(): Promise<void> {
    this.stopped.abort()
    this.tap?.close()
    await this.running
  }

  private async run(): Promise<void> {
    const { log, lower } = this.parts
    while (!this.stopped.signal.aborted) {
      try {
        const tap = await lower.events(this.last === undefined ? undefined : this.last + 1)
        this.tap = tap
        // skip events from before the first start
        this.last ??= tap.last
        this.save()
        if (!this.stopped.signal.aborted) await this.pump(tap)
        tap.close()
      } catch (error) {
        if (this.repeats.due('events')) {
          log('error', `The events of the master of this machine cannot be read: ${toError(error).message}`)
        }
      }
      await pauseFor(RETRY_MS, this.stopped.signal)
    }
  }

  private async pump(tap: EventTap): Promise<void> {
    let batch = this.batch()
    while (!this.stopped.signal.aborted) {
      const seconds = batch.isEmpty ? IDLE_SECONDS : Math.max(0, batch.due - performance.now()) / 1000
      const event = batch.isFull ? undefined : await tap.next(seconds)
      if (event) this.add(batch, event)
      else if (!batch.isEmpty) {
        await this.deliver(batch)
        batch = this.batch()
      } else if (!tap.isOpen) return
    }
  }

  private batch(): HandedEvents {
    return new HandedEvents(this.parts.id, this.parts.describe)
  }

  private add(batch: HandedEvents, event: BusEvent): void {
    const kind = jobEvent(event)
    if (!this.parts.isMeant(event, kind)) {
      // the number is written with the next events that are handed over
      if (batch.isEmpty) this.last = event.number
      else batch.last = event.number
      return
    }
    const wait = kind === undefined || kind.what === 'other' ? this.parts.gather * 1000 : URGENT_MS
    batch.add(event, kind, performance.now() + wait)
  }

  /** Forward events, repeatedly until they are accepted. If a group of events is refused, they are sent one by one. */
  private async deliver(batch: HandedEvents): Promise<void> {
    for (let refusals = 0; !this.stopped.signal.aborted; ) {
      try {
        await this.parts.send(batch.requests(), batch.bytes)
        return this.taken(batch)
      } catch (error) {
        if (this.stopped.signal.aborted) return
        const { message } = toError(error)
        this.parts.log(this.repeats.due('send') ? 'warning' : 'debug', `Events wait for a master above: ${message}`)
        if (isRefusal(error)) refusals++
        if (refusals >= MOST_REFUSALS && (await this.isServed())) {
          const apart = batch.apart()
          for (const single of apart ?? []) await this.deliver(single)
          if (apart) return
          if (!batch.shorten(message)) return this.giveUp(batch, message)
          refusals = 0
        }
        await pauseFor(RETRY_MS, this.stopped.signal)
      }
    }
  }

  private taken({ last }: HandedEvents): void {
    this.last = last
    this.save()
  }

  /**
   * Skip an event that is refused with any content, so that a minion with such events does not block the returns
   * of others.
   */
  private giveUp(batch: HandedEvents, reason: string): void {
    this.parts.log('error', `A master above refuses ${batch.shown}, which is left out: ${reason}`)
    this.taken(batch)
  }

  /** Whether the master accepts requests at all; if so, a refusal is about the content. */
  private async isServed(): Promise<boolean> {
    return recover(isAnyError, false, async () => {
      await this.parts.send([eventsLoad(this.parts.id, [])], 0)
      return true
    })
  }

  private read(): number | undefined {
    if (!this.parts.lower.hasJournal) return undefined
    const { file, log } = this.parts
    try {
      const number = Number(readFileSync(file, 'utf8').trim() || Number.NaN)
      if (Number.isSafeInteger(number)) return number
      log('warning', `${file} is damaged: all events of the journal go up again, and each return counts once`)
      return 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  private save(): void {
    const { file, log, lower } = this.parts
    if (!lower.hasJournal) {
      this.last = undefined
      return
    }
    try {
      writeFileSync(`${file}.new`, `${this.last}\n`, { mode: PRIVATE_FILE })
      renameSync(`${file}.new`, file)
    } catch (error) {
      if (this.repeats.due('save')) {
        log('error', `Cannot write ${file}; after a restart events go up again: ${toError(error).message}`)
      }
    }
  }
}
