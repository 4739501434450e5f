// The last hour of the master by minute, and the health of this process. Events are counted as they arrive; connected
// minions are counted once a minute.
import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { guarded, hasCode, type Log, recover } from '../../base/mod.ts'
import type { BusEvent } from '../../bus/mod.ts'
import { str } from '../../data/mod.ts'
import type { EventFeed } from '../master.ts'
import { EventKinds } from './event-kinds.ts'
import { timeText } from './json.ts'

const MINUTE_MS = 60_000
const MINUTES = 60

/** Milliseconds between looks at the event loop, which count into each delay. */
const RESOLUTION_MS = 20

const NEW_JOB = /^salt\/job\/[^/]+\/new$/
const STORAGE = /^salt\/master\/[^/]+\/storage\/(failed|recovered)$/

export interface Minute {
  at: string
  /** Per second. */
  events: number
  jobs: number
  up: number
}

export interface Health {
  loopLagMs: number
  rssBytes: number
  cpuPercent: number
  uptimeSeconds: number
  storage: string
  openFiles: number
}

export interface HistoryParts {
  feed: Pick<EventFeed, 'listen'>
  log: Log
  /** Return the number of minions that are up. */
  countUp(): Promise<number>
}

export class MasterHistory {
  readonly kinds = new EventKinds()
  private readonly parts: HistoryParts
  private readonly past: Minute[] = []
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  private readonly stopListening: () => void
  private readonly timer: NodeJS.Timeout
  /** Paths that the master cannot write, with the reason. */
  private readonly troubles = new Map<string, string>()
  private present = { events: 0, jobs: 0 }
  private began = Date.now()
  private cpu = process.cpuUsage()
  /** The longest delay of the minute before, in milliseconds. */
  private lag = 0

  constructor(parts: HistoryParts) {
    this.parts = parts
    this.delay.enable()
    this.stopListening = parts.feed.listen((event) => this.hear(event))
    this.timer = setInterval(
      guarded(parts.log, 'Counting minions', () => this.turn()),
      MINUTE_MS,
    )
    this.timer.unref()
  }

  /** The minutes that are over, oldest first. */
  get minutes(): readonly Minute[] {
    return this.past
  }

  async health(): Promise<Health> {
    const { user, system } = process.cpuUsage(this.cpu)
    const passed = Math.max(1, Date.now() - this.began)
    const rounded = (value: number): number => Math.round(value * 10) / 10
    return {
      loopLagMs: rounded(Math.max(this.lag, this.presentLag)),
      rssBytes: process.memoryUsage.rss(),
      cpuPercent: rounded((user + system) / 10 / passed),
      uptimeSeconds: Math.round(process.uptime()),
      storage: this.troubles.size === 0 ? 'ok' : [...this.troubles.values()].join('\n'),
      openFiles: await openFiles(),
    }
  }

  close(): void {
    clearInterval(this.timer)
    this.stopListening()
    this.delay.disable()
  }

  private get presentLag(): number {
    // without a look at the loop yet the histogram has no largest delay
    const { max } = this.delay
    return Number.isFinite(max) && max > 0 ? Math.max(0, max / 1e6 - RESOLUTION_MS) : 0
  }

  private hear({ tag, origin, fields }: BusEvent): void {
    this.present.events++
    this.kinds.add(tag)
    if (NEW_JOB.test(tag)) this.present.jobs++
    const [, moment] = STORAGE.exec(tag) ?? []
    if (moment === undefined || origin.kind !== 'master') return
    const path = str(fields.get('path') ?? '')
    if (moment === 'recovered') this.troubles.delete(path)
    else this.troubles.set(path, str(fields.get('message') ?? path))
  }

  /** End a minute, and begin the next. */
  private async turn(): Promise<void> {
    const { events, jobs } = this.present
    const seconds = Math.max(1, (Date.now() - this.began) / 1000)
    const at = timeText(this.began / 1000)
    this.present = { events: 0, jobs: 0 }
    this.began = Date.now()
    this.cpu = process.cpuUsage()
    this.lag = this.presentLag
    this.delay.reset()
    this.kinds.turn()
    const up = await this.parts.countUp()
    this.past.push({ at, events: Math.round((events / seconds) * 100) / 100, jobs, up })
    if (this.past.length > MINUTES) this.past.shift()
  }
}

/** Return the number of open files of this process; 0 if the system does not report it. */
async function openFiles(): Promise<number> {
  return recover(hasCode('ENOENT'), 0, async () => (await readdir('/proc/self/fd')).length)
}
