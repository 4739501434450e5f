// Data about minions that several masters share on a server. The local cache stays the working copy: reads never wait for the server. A
// change goes to the local cache at once and to the server in the background; changes of other masters are fetched at an interval. While
// the server cannot be reached, the newest change of each key waits.
import { BrineError, isAnyError, type Log, recover, silentLog, toError } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import type { Bank, DataCache } from './data-cache.ts'
import { SESSION_BANK } from './shared-sessions.ts'

/** A change of one key, or of a whole bank; without a value it is removed. */
export interface CacheChange {
  bank: string
  key: string | undefined
  value?: Value
}

/** The banks of a server. A time is that of the last change, in seconds since the epoch. */
export interface SharedBanks {
  /** Make changes in their order. */
  apply(changes: readonly CacheChange[]): Promise<void>
  /** Return the values of keys that exist. */
  fetch(bank: string, keys: readonly string[]): Promise<Map<string, Value>>
  /** Return the keys of a bank with their times. */
  times(bank: string): Promise<Map<string, number>>
  /** Return the names of all banks with keys. */
  banks(): Promise<string[]>
  close(): void
}

/** Banks that belong to one master: its logins, its batches and the minions that are connected to it. */
const OWN_BANKS = new Set(['tokens', SESSION_BANK, 'batch', 'presence-data', 'pillar_cache'])

/** Return whether a bank belongs to one master, and is never on a server. */
export const isOwnBank = (name: string): boolean => OWN_BANKS.has(name.split('/').find((part) => part !== '') ?? '')

/** Banks that are fetched in advance. */
const KNOWN_BANKS = ['grains', 'pillar', 'mine', 'minion_resources', 'resource_grains']

export interface SharedCacheSettings {
  /** The name of the driver, for the log. */
  name: string
  /** Seconds between two looks for changes of other masters; 0 for none. */
  interval: number
  log?: Log
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
}

/** The known state of a key on the server. */
interface Seen {
  time: number
  /** When that time was first seen, in milliseconds of the own clock. */
  since: number
  /** Whether the value was fetched after the second of its time was over: another change in that second has the same time. */
  isSettled: boolean
}

/** Milliseconds after which no more changes have the time of a key. */
const SECOND_IS_OVER = 1500
/** How many changes go to the server at a time. */
const BATCH = 500
/** Milliseconds until a change is tried again. */
const RETRY = 2000

export class SharedCache implements DataCache {
  private readonly local: DataCache
  private readonly remote: SharedBanks
  private readonly settings: SharedCacheSettings
  private readonly log: Log
  private readonly now: () => number
  private readonly names = new Set(KNOWN_BANKS)
  private readonly waiting = new Map<string, CacheChange>()
  /** Changes that the server always refuses, such as values that are too large; the local copy stays. */
  private readonly refused = new Set<string>()
  private readonly seen = new Map<string, Map<string, Seen>>()
  private working: Promise<void> | undefined
  private pulling: Promise<void> | undefined
  private timer: NodeJS.Timeout | undefined
  private isFailing = false
  private isClosed = false

  constructor(local: DataCache, remote: SharedBanks, settings: SharedCacheSettings) {
    this.local = local
    this.remote = remote
    this.settings = settings
    this.log = settings.log ?? silentLog
    this.now = settings.now ?? (() => performance.now())
  }

  bank(name: string): Bank {
    const own = this.local.bank(name)
    if (isOwnBank(name)) return own
    this.names.add(name)
    return {
      fetch: (key) => own.fetch(key),
      list: () => own.list(),
      updated: (key) => own.updated(key),
      store: (key, value) => {
        own.store(key, value)
        this.note({ bank: name, key, value })
      },
      flush: (key) => {
        own.flush(key)
        this.note({ bank: name, key })
      },
    }
  }

  private note(change: CacheChange): void {
    if (change.key === undefined) {
      for (const id of this.waiting.keys()) if (id.startsWith(`${change.bank}\0`)) this.waiting.delete(id)
    }
    const id = `${change.bank}\0${change.key ?? ''}`
    // the newest change of a key comes last
    this.waiting.delete(id)
    this.refused.delete(id)
    this.waiting.set(id, change)
    this.working ??= this.send().finally(() => {
      this.working = undefined
    })
  }

  private async send(): Promise<void> {
    // changes of one turn of the event loop go together
    await new Promise((resolve) => setImmediate(resolve))
    while (this.waiting.size > 0 && !this.isClosed) {
      const batch = [...this.waiting].slice(0, BATCH)
      try {
        await this.remote.apply(batch.map(([, change]) => change))
        this.isWorking()
        for (const [id, change] of batch) this.done(id, change)
      } catch (error) {
        if (await this.sendSingly(batch)) continue
        this.fails(error)
        await new Promise((resolve) => setTimeout(resolve, RETRY).unref())
      }
    }
  }

  private done(id: string, change: CacheChange): void {
    if (this.waiting.get(id) === change) this.waiting.delete(id)
  }

  /**
   * Send the changes of a failed batch one by one; return whether the server accepted any: a refused one, such as a
   * value that is too large, must not block the others.
   */
  private async sendSingly(batch: ReadonlyArray<readonly [string, CacheChange]>): Promise<boolean> {
    if (batch.length < 2 || !(await this.isThere())) return false
    const failed: Array<readonly [string, CacheChange, string]> = []
    for (const [id, change] of batch) {
      try {
        await this.remote.apply([change])
        this.done(id, change)
      } catch (error) {
        failed.push([id, change, toError(error).message])
      }
    }
    if (failed.length === batch.length) return false
    for (const [id, change, why] of failed) {
      if (this.waiting.get(id) !== change) continue
      const { bank, key } = change
      this.waiting.delete(id)
      this.refused.add(id)
      this.log('error', `The cache ${this.settings.name} refuses ${key ?? 'a change'} of bank ${bank}: ${why}`)
    }
    return true
  }

  private async isThere(): Promise<boolean> {
    // the error of the batch is reported
    return recover(isAnyError, false, async () => {
      await this.remote.times(KNOWN_BANKS[0]!)
      return true
    })
  }

  private fails(error: unknown): void {
    const text = `The cache ${this.settings.name} cannot be reached; local data serve meanwhile: ${toError(error).message}`
    if (!this.isFailing) this.log('error', text)
    this.isFailing = true
  }

  private isWorking(): void {
    if (this.isFailing) this.log('warning', `The cache ${this.settings.name} can be reached again`)
    this.isFailing = false
  }

  /** Fetch the server's data, and keep polling for changes. */
  async open(): Promise<void> {
    await this.pull()
    const { interval } = this.settings
    if (interval > 0) this.timer = setInterval(() => void this.pull(), interval * 1000).unref()
  }

  /** Take over the changes of other masters; a look that is under way is waited for. */
  pull(): Promise<void> {
    this.pulling ??= this.pullBanks().finally(() => {
      this.pulling = undefined
    })
    return this.pulling
  }

  private async pullBanks(): Promise<void> {
    try {
      for (const name of this.names) await this.pullBank(name)
      this.isWorking()
    } catch (error) {
      this.fails(error)
    }
  }

  /** Copy the local data to an empty server, which is new or lost its data. */
  private fillServer(): void {
    let count = 0
    for (const name of this.names) {
      const bank = this.local.bank(name)
      for (const key of bank.list()) {
        const value = bank.fetch(key)
        if (value === undefined || this.waiting.has(`${name}\0${key}`) || this.refused.has(`${name}\0${key}`)) continue
        this.note({ bank: name, key, value })
        count++
      }
    }
    if (count > 0)
      this.log('warning', `The cache ${this.settings.name} is empty; it gets the local data (${count} values)`)
  }

  private async pullBank(name: string): Promise<void> {
    const bank = this.local.bank(name)
    const isWaiting = (key: string): boolean =>
      this.waiting.has(`${name}\0${key}`) || this.waiting.has(`${name}\0`) || this.refused.has(`${name}\0${key}`)
    // a key that comes to the server while it answers is not in the answer
    const sent = bank.list().filter((key) => !isWaiting(key))
    const times = await this.remote.times(name)
    if (sent.length > 0 && times.size === 0 && (await this.remote.banks()).length === 0) return this.fillServer()
    const seen = this.seen.get(name) ?? new Map<string, Seen>()
    this.seen.set(name, seen)
    for (const key of sent) if (!times.has(key) && !isWaiting(key)) bank.flush(key)
    const changed = [...times].filter(([key, time]) => {
      const known = seen.get(key)
      return !isWaiting(key) && !(known?.time === time && known.isSettled)
    })
    const now = this.now()
    const values = await this.remote.fetch(
      name,
      changed.map(([key]) => key),
    )
    for (const [key, time] of changed) {
      const value = values.get(key)
      if (value === undefined || isWaiting(key)) continue
      this.take(name, key, value)
      const known = seen.get(key)
      const since = known?.time === time ? known.since : now
      seen.set(key, { time, since, isSettled: now - since >= SECOND_IS_OVER })
    }
    for (const key of seen.keys()) if (!times.has(key)) seen.delete(key)
  }

  /** Keep a value of the server; a key that cannot be a name of a file is left out. */
  private take(name: string, key: string, value: Value): void {
    try {
      this.local.bank(name).store(key, value)
    } catch (error) {
      if (!(error instanceof BrineError) || error.code !== 'InvalidKey') throw error
      this.log('warning', `A key of bank ${name} on ${this.settings.name} is left out: ${error.message}`)
    }
  }

  /** Wait until all changes are on the server, at most this many milliseconds. Return whether they are. */
  async settled(most: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    // a program must not end while it waits here
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, most)
    })
    await Promise.race([this.working ?? Promise.resolve(), late])
    clearTimeout(timer)
    return this.waiting.size === 0
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.settled(RETRY)
    this.isClosed = true
    if (this.waiting.size > 0) {
      this.log('error', `${this.waiting.size} changes of the cache did not reach ${this.settings.name}`)
    }
    this.remote.close()
  }
}
