// Facts about all minions, in memory, so that a list of 10,000 minions does not need 10,000 reads: keys, presence, a
// few grains, the last job and the last highstate. They are refreshed in time slices, when a request arrives and they
// are older than a second. During the refresh, requests get the present facts, unless these are too old or an event
// reported a change of a key or connection: an answer includes all earlier events.

import { setImmediate as nextTick } from 'node:timers/promises'
import type { BusEvent } from '../../bus/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { isDict, textOf, truthy } from '../../data/mod.ts'
import { addressesIn, connectedAddresses } from '../../match/mod.ts'
import type { MasterAccess } from '../../runner/mod.ts'
import type { KeyFolder } from '../../store/mod.ts'
import type { EventFeed } from '../master.ts'
import { LastReturns } from './last-returns.ts'
import { slices } from './slices.ts'

export const KEY_STATES = ['accepted', 'pending', 'rejected', 'denied'] as const

export type KeyStateName = (typeof KEY_STATES)[number]

export const FOLDERS: Readonly<Record<KeyStateName, KeyFolder>> = {
  accepted: 'minions',
  pending: 'minions_pre',
  rejected: 'minions_rejected',
  denied: 'minions_denied',
}

export interface MinionFact {
  id: string
  key: KeyStateName
  isConnected: boolean
  /** When the connection was seen to come or go, in seconds since 1970; undefined before a change was seen. */
  since?: number
  os?: string
  version?: string
  /** Undefined for minions of Salt. */
  brineVersion?: string
}

interface GrainFacts {
  /** The grains that the facts were read from. */
  grains: Value
  addresses: readonly string[]
  os?: string
  version?: string
  /** Undefined for minions of Salt. */
  brineVersion?: string
}

/** Characters of a grain that the list of all minions has. */
const LONGEST_GRAIN = 100

const FRESH_MS = 1000
/** Older facts are not shown. */
const OLD_MS = 15_000

export class MinionFacts {
  readonly last: LastReturns
  /** The number of the last event that the API had heard before it looked at the minions. */
  eventNumber = 0
  private readonly events: Pick<EventFeed, 'last'>
  private readonly access: MasterAccess
  private facts: ReadonlyMap<string, MinionFact> = new Map()
  private readonly read = new Map<string, GrainFacts>()
  private at = Number.NEGATIVE_INFINITY
  private looking: Promise<void> | undefined
  /** Whether an event reported a change that the facts may lack. */
  private hasNews = false

  constructor(access: MasterAccess, events: Pick<EventFeed, 'last' | 'listen'>) {
    this.access = access
    this.events = events
    this.last = new LastReturns(access.stores)
    events.listen((event) => {
      this.hasNews ||= this.isNews(event)
    })
  }

  /** Return the facts about all minions, by id. */
  async all(): Promise<ReadonlyMap<string, MinionFact>> {
    const age = performance.now() - this.at
    // a running refresh may have passed the changed minion
    if (this.hasNews && this.looking) await this.looking
    if (age > FRESH_MS || this.hasNews) {
      const mustWait = age > OLD_MS || this.hasNews
      this.looking ??= this.look().finally(() => {
        this.looking = undefined
      })
      if (mustWait) await this.looking
      else this.looking.catch((error) => this.access.log('error', `The minions cannot be listed: ${error.message}`))
    }
    await this.last.follow(this.facts.keys())
    return this.facts
  }

  /** The event number of the next shown facts; undefined if they are too old and must be refreshed first. */
  get shownNumber(): number | undefined {
    return this.hasNews || performance.now() - this.at > OLD_MS ? undefined : this.eventNumber
  }

  private isNews({ tag, fields }: BusEvent): boolean {
    if (tag === 'salt/key' || tag === 'salt/presence/change') return true
    if (tag.startsWith('salt/minion/')) return tag.endsWith('/start')
    if (tag !== 'salt/auth') return false
    // minions with pending keys sign in repeatedly
    const known = this.facts.get(textOf(fields.get('id') ?? null) ?? '')?.key
    return known === undefined || (fields.get('act') === 'accept' && known !== 'accepted')
  }

  /** Return the master's cached grains of a minion. */
  grains(id: string): Dict | undefined {
    const grains = this.access.stores.cache.bank('grains').fetch(id)
    return grains !== undefined && isDict(grains) ? grains : undefined
  }

  private async look(): Promise<void> {
    const turn = slices()
    this.hasNews = false
    // the request that asks is answered first
    await nextTick()
    const { last } = this.events
    const addresses = connectedAddresses(this.access.opts)
    const facts = new Map<string, MinionFact>()
    for (const key of KEY_STATES) {
      const ids = this.access.stores.keys.list(FOLDERS[key])
      await turn()
      for (const id of ids) {
        if (!facts.has(id)) facts.set(id, this.factOf(id, key, addresses))
        await turn()
      }
    }
    for (const id of this.read.keys()) if (!facts.has(id)) this.read.delete(id)
    await this.last.follow(facts.keys())
    this.facts = facts
    this.eventNumber = last
    this.at = performance.now()
  }

  private factOf(id: string, key: KeyStateName, connected: ReadonlySet<string>): MinionFact {
    if (key !== 'accepted') return { id, key, isConnected: false }
    const { addresses = [], os, version, brineVersion } = this.grainFacts(id) ?? {}
    const isConnected = addresses.some((address) => connected.has(address))
    const before = this.facts.get(id)
    const since = before && before.isConnected !== isConnected ? Date.now() / 1000 : before?.since
    return {
      id,
      key,
      isConnected,
      ...(since !== undefined && { since }),
      ...(os !== undefined && { os }),
      ...(version !== undefined && { version }),
      ...(brineVersion !== undefined && { brineVersion }),
    }
  }

  private grainFacts(id: string): GrainFacts | undefined {
    const grains = this.grains(id)
    const known = this.read.get(id)
    if (!grains || known?.grains === grains) return grains && known
    const text = (name: string): string => {
      const value = grains.get(name) ?? null
      return truthy(value) ? (textOf(value) ?? '').slice(0, LONGEST_GRAIN) : ''
    }
    const [os, version] = [`${text('os')} ${text('osrelease')}`.trim(), text('saltversion')]
    const brineVersion = text('brine_version')
    const facts = {
      grains,
      addresses: addressesIn(grains),
      ...(os && { os }),
      ...(version && { version }),
      ...(brineVersion && { brineVersion }),
    }
    this.read.set(id, facts)
    return facts
  }
}
