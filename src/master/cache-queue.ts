// The way of jobs and returns to one job cache besides the master's own store. Each entry is on disk before it is sent, a few are
// sent at once, and each is tried until the cache has it. While the cache fails, one entry at a time finds out when it works again.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, Repeats, shownText, toError } from '../base/mod.ts'
import type { CacheEntry, CacheQueueStore } from '../store/mod.ts'

export interface CacheQueueSettings {
  /** Entries that are sent at once. */
  atOnce?: number
  /** How many entries and bytes may wait; further entries are dropped. */
  most?: number
  mostBytes?: number
  /** Milliseconds before the first try after a failure; each further one takes twice as long, up to the most. */
  firstDelayMs?: number
  mostDelayMs?: number
  /** Milliseconds after which a cache without an answer counts as failing. */
  slowMs?: number
  /** Milliseconds after which an entry without an answer is given up and sent again. */
  hungMs?: number
}

const USUAL: Required<CacheQueueSettings> = {
  atOnce: 4,
  most: 100_000,
  mostBytes: 1 << 30,
  firstDelayMs: 1000,
  mostDelayMs: 30_000,
  slowMs: 15_000,
  hungMs: 600_000,
}

/** How often an entry may fail while the cache accepts others. */
const MOST_REFUSALS = 3

/** How long closing waits for entries that are being sent, in milliseconds. */
const LAST_MOMENT_MS = 1000

export interface CacheQueueParts {
  /** The name of the cache. */
  name: string
  store: CacheQueueStore
  log: Log
  /** Resolves when the cache has the entry. */
  send(entry: CacheEntry): Promise<void>
}

interface UnderWay {
  sent: Promise<void>
  /** The job id of a job; undefined for a return. */
  job: string | undefined
}

export class CacheQueue {
  private readonly parts: CacheQueueParts
  private readonly settings: Required<CacheQueueSettings>
  private readonly underWay = new Map<number, UnderWay>()
  /** Callbacks for an entry that is sent or fails. */
  private readonly waiters = new Map<number, () => void>()
  /** Entries that failed: how often while others were taken, and how many were taken by then. */
  private readonly refusals = new Map<number, { count: number; taken: number }>()
  /** Entries that the cache already has, but that could not be removed from the disk. */
  private readonly stuck = new Set<number>()
  private readonly fullness = new Repeats()
  private count: number
  private bytes: number
  private dropped = 0
  private taken = 0
  private failures = 0
  private isFailing = false
  private timer: NodeJS.Timeout | undefined
  private state: 'open' | 'closing' | 'closed' = 'open'

  constructor(parts: CacheQueueParts, settings: CacheQueueSettings = {}) {
    this.parts = parts
    this.settings = { ...USUAL, ...settings }
    const { count, bytes } = parts.store.waiting(parts.name)
    this.count = count
    this.bytes = bytes
  }

  /** Send the entries that an earlier process left. */
  resume(): void {
    const { name, store, log } = this.parts
    if (this.count === 0) return
    log('info', `${this.count} jobs and returns wait for the job cache ${name}`)
    store.retryAll(name)
    this.pump()
  }

  /** Keep an entry and begin to send it. Resolve when the cache has it, when it fails, or when the time is over. */
  async note(entry: Omit<CacheEntry, 'id'>, patienceMs = 0): Promise<void> {
    if (this.state !== 'open') throw new Error('the master is stopping')
    if (this.isFull()) return
    const { id, bytes } = this.parts.store.add(this.parts.name, entry)
    this.count++
    this.bytes += bytes
    const taken = patienceMs > 0 && !this.isFailing ? this.awaited(id, patienceMs) : undefined
    // skip the search while this return waits for its job: the search costs more with each waiting return
    if (entry.fun === 'save_load' || !this.isJobUnderWay(entry.jid)) this.pump()
    await taken
  }

  private isJobUnderWay(jid: string): boolean {
    return [...this.underWay.values()].some(({ job }) => job === jid)
  }

  private isFull(): boolean {
    const { name, log } = this.parts
    const { most, mostBytes } = this.settings
    if (this.count < most && this.bytes < mostBytes) {
      if (this.dropped > 0)
        log('warning', `The queue of the job cache ${name} has room again; it lacks ${this.dropped} jobs and returns`)
      this.dropped = 0
      this.fullness.over()
      return false
    }
    this.dropped++
    if (this.fullness.due()) {
      const what = `${this.count} jobs and returns with ${this.bytes} bytes wait for the job cache ${name}`
      log(
        'error',
        `${what}: no more are kept for it, so it lacks ${this.dropped} so far. The master's own store has them`,
      )
    }
    return true
  }

  private awaited(id: number, patienceMs: number): Promise<void> {
    return new Promise((done) => {
      const finish = (): void => {
        clearTimeout(timer)
        this.waiters.delete(id)
        done()
      }
      const timer = setTimeout(finish, patienceMs)
      this.waiters.set(id, finish)
    })
  }

  /** Begin to send as many as may be sent at once. */
  private pump(): void {
    const { name, store, log } = this.parts
    const most = this.isFailing ? 1 : this.settings.atOnce
    try {
      while (this.state === 'open' && this.timer === undefined && this.underWay.size < most) {
        this.removeStuck()
        const entry = store.next(name, [...this.underWay.keys()])
        if (!entry) return
        const sent = this.deliver(entry).finally(() => {
          this.underWay.delete(entry.id)
          this.pump()
        })
        this.underWay.set(entry.id, { sent, job: entry.fun === 'save_load' ? entry.jid : undefined })
      }
    } catch (error) {
      log('error', `Cannot use the queue of the job cache ${name}: ${toError(error).message}`)
      this.pause()
    }
  }

  /** Remove entries that the cache has. Fail if the disk refuses: after a restart, they would be sent twice. */
  private removeStuck(): void {
    for (const id of this.stuck) {
      this.parts.store.remove(id)
      this.stuck.delete(id)
    }
  }

  private async deliver(entry: CacheEntry & { bytes: number }): Promise<void> {
    const { slowMs, hungMs } = this.settings
    const silent = (ms: number): string => `no answer for ${ms / 1000} seconds`
    const slow = setTimeout(() => this.fails(silent(slowMs)), slowMs)
    let hung: NodeJS.Timeout | undefined
    const givenUp = new Promise<void>((_, fail) => {
      hung = setTimeout(() => fail(new Error(silent(hungMs))), hungMs)
    })
    try {
      // a call that never ends, for example of a returner without a timeout, must not stop the queue
      await Promise.race([this.parts.send(entry), givenUp])
      if (this.state !== 'closed') this.wasTaken(entry)
    } catch (error) {
      if (this.state !== 'closed') this.wasRefused(entry, toError(error).message)
    } finally {
      clearTimeout(slow)
      clearTimeout(hung)
    }
  }

  private wasTaken({ id, bytes }: { id: number; bytes: number }): void {
    const { name, store, log } = this.parts
    try {
      store.remove(id)
    } catch (error) {
      this.stuck.add(id)
      log('error', `What the job cache ${name} has stays in its queue: ${toError(error).message}`)
    }
    this.count--
    this.bytes -= bytes
    this.taken++
    this.failures = 0
    this.refusals.delete(id)
    this.waiters.get(id)?.()
    if (!this.isFailing) return
    this.isFailing = false
    log('warning', `The job cache ${name} works again; ${this.count} jobs and returns still wait for it`)
  }

  private wasRefused({ id, fun, jid }: CacheEntry, why: string): void {
    const { name, store, log } = this.parts
    const known = this.refusals.get(id)
    const count = (known?.count ?? 0) + (known && this.taken > known.taken ? 1 : 0)
    this.refusals.set(id, { count, taken: this.taken })
    this.fails(why)
    this.pause()
    try {
      if (count < MOST_REFUSALS) return store.failed(id)
      store.refuse(id)
      this.refusals.delete(id)
      const what = fun === 'save_load' ? `job ${shownText(jid)}` : `a return of job ${shownText(jid)}`
      log('error', `The job cache ${name} takes others but not ${what}, which is tried again at the next start: ${why}`)
    } catch (error) {
      log('error', `Cannot note what the job cache ${name} did not take: ${toError(error).message}`)
    }
  }

  /** Publications do not wait for a cache that fails. */
  private fails(why: string): void {
    const { name, log } = this.parts
    const text = `The job cache ${name} fails, and jobs and returns wait on disk until it works: ${why}`
    log(this.isFailing ? 'debug' : 'warning', text)
    this.isFailing = true
    for (const finish of [...this.waiters.values()]) finish()
  }

  private pause(): void {
    if (this.timer !== undefined || this.state !== 'open') return
    const { firstDelayMs, mostDelayMs } = this.settings
    const delay = Math.min(mostDelayMs, firstDelayMs * 2 ** Math.min(this.failures++, 20))
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.pump()
    }, delay)
  }

  /** Stop sending; unsent entries stay on disk. */
  async close(): Promise<void> {
    this.state = 'closing'
    clearTimeout(this.timer)
    const sent = [...this.underWay.values()].map(({ sent }) => sent)
    await Promise.race([Promise.all(sent), sleep(LAST_MOMENT_MS, undefined, { ref: false })])
    this.state = 'closed'
    for (const finish of [...this.waiters.values()]) finish()
  }
}
