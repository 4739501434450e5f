// Data about minions in all members (grains, pillar, mine) and logins (tokens, sessions of the REST API). The local
// cache stays the working copy, so that reads never wait. A change goes to the local cache at once and then to the
// shared state; without a majority, the newest change of each key waits. Changes of other members are written to the
// local cache in the order of the shared state.
import { type Log, toError } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { Bank, DataCache } from '../store/mod.ts'
import type { ClusterEntry, ClusterState } from './state.ts'

/** Banks about one master alone. */
const OWN_BANKS = new Set(['batch', 'presence-data', 'pillar_cache'])
const RETRY_MS = 1000
/** Milliseconds that a call, or a master that stops, waits for changes on their way. */
const PATIENCE_MS = 2000

const isOwn = (name: string): boolean => OWN_BANKS.has(name.split('/').find((part) => part !== '') ?? '')

const inTime = (): Promise<void> => new Promise((done) => setTimeout(done, PATIENCE_MS).unref())
const nameOf = (bank: string, key: string): string => `${bank}\0${key}`

export class ReplicatedCache implements DataCache {
  private readonly local: DataCache
  private readonly log: Log
  private readonly isShared: (bank: string) => boolean
  private state: ClusterState | undefined
  /** Changes that the state has not taken yet; without a value the key is removed. */
  private readonly waiting = new Map<string, { value: Value | undefined }>()
  private sending: Promise<void> | undefined
  private from = 0
  private isClosed = false
  private isFailing = false

  constructor(local: DataCache, log: Log, isShared: (bank: string) => boolean = () => true) {
    this.local = local
    this.log = log
    this.isShared = isShared
  }

  /** The position in the shared state up to which changes were taken. */
  get place(): number {
    return this.state?.place ?? this.from
  }

  /** The values of the cluster, once they are followed. */
  get values(): ClusterState | undefined {
    return this.state
  }

  /** Send changes to the others, and take theirs after a place. */
  follow(from: number, open: (hear: (name: string, entry: ClusterEntry) => void) => ClusterState): void {
    this.from = from
    this.state = open((name, entry) => this.take(name, entry))
    this.begin()
  }

  bank(name: string): Bank {
    const own = this.local.bank(name)
    if (isOwn(name) || !this.isShared(name)) return own
    return {
      fetch: (key) => own.fetch(key),
      list: () => own.list(),
      updated: (key) => own.updated(key),
      store: (key, value) => {
        own.store(key, value)
        this.note(name, key, value)
      },
      flush: (key) => {
        const keys = key === undefined ? own.list() : [key]
        own.flush(key)
        for (const each of keys) this.note(name, each, undefined)
      },
    }
  }

  /** Wait until the cluster has every change so far: not for long, and not while it takes none. */
  async settled(): Promise<void> {
    if (!this.isFailing) await Promise.race([this.sending, inTime()])
  }

  private note(bank: string, key: string, value: Value | undefined): void {
    this.waiting.set(nameOf(bank, key), { value })
    this.begin()
  }

  private begin(): void {
    if (!this.state || this.waiting.size === 0) return
    this.sending ??= this.send(this.state).finally(() => {
      this.sending = undefined
    })
  }

  private async send(state: ClusterState): Promise<void> {
    await new Promise((done) => setImmediate(done))
    while (this.waiting.size > 0 && !this.isClosed) {
      const batch = [...this.waiting].slice(0, 50)
      const sent = await Promise.allSettled(
        batch.map(async ([name, change]) => {
          const value: Dict | undefined = change.value === undefined ? undefined : new Map([['v', change.value]])
          await state.put('bank', name, value)
          if (this.waiting.get(name) === change) this.waiting.delete(name)
        }),
      )
      const failed = sent.find((each) => each.status === 'rejected')
      if (failed?.status === 'rejected') {
        const { message } = toError(failed.reason)
        if (!this.isFailing) this.log('warning', `Data about minions cannot go to the other masters yet: ${message}`)
        await new Promise((done) => setTimeout(done, RETRY_MS).unref())
      }
      this.isFailing = failed !== undefined
    }
  }

  private take(name: string, { value }: ClusterEntry): void {
    // an own change that is on its way comes later
    if (this.waiting.has(name)) return
    const [bank = '', key] = name.split('\0')
    // an answer of the API, which stays in the shared state
    if (key === undefined) return
    const own = this.local.bank(bank)
    try {
      if (value === undefined) own.flush(key)
      else own.store(key, value.get('v') ?? null)
    } catch (error) {
      this.log('error', `Cannot take data of another master about ${bank}/${key}: ${toError(error).message}`)
    }
  }

  async close(): Promise<void> {
    await Promise.race([this.sending, inTime()])
    this.isClosed = true
    this.from = this.place
    await this.state?.close()
    this.state = undefined
  }
}
