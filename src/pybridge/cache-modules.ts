// Drivers of the data cache from users' own files and extensions, in Salt's form: functions `store`, `fetch`, `updated`, `flush`, `list`
// and `contains` over banks and keys.
import { BrineError } from '../base/mod.ts'
import { type Dict, isDict, isList, numberOf, str, type Value } from '../data/mod.ts'
import type { CacheChange, SharedBanks } from '../sdk/mod.ts'
import { type BoundPlugin, boundPlugin, type PluginRequest } from './bound-plugin.ts'

const NEEDED = ['store', 'fetch', 'updated', 'flush', 'list'] as const

/** Banks of a master. A driver cannot list its banks. */
const BANKS = ['grains', 'pillar', 'mine', 'minion_resources', 'resource_grains']

/** Levels of banks below banks that are looked through; a driver may name a bank as its own part. */
const MOST_DEPTH = 8

class PluginBanks implements SharedBanks {
  private readonly plugin: BoundPlugin
  private readonly cachedir: string
  private further: Promise<Dict> | undefined

  constructor(plugin: BoundPlugin, cachedir: string) {
    this.plugin = plugin
    this.cachedir = cachedir
  }

  /** The keywords that the driver wants with each call. */
  private async keywords(): Promise<Dict> {
    if (!this.plugin.has('init_kwargs')) return new Map()
    const given = await this.plugin.call('init_kwargs', [new Map<Value, Value>([['cachedir', this.cachedir]])])
    return isDict(given) ? given : new Map()
  }

  private async ask(fun: string, ...args: Value[]): Promise<Value> {
    this.further ??= this.keywords()
    // a server that does not answer now may do so later
    this.further.catch(() => {
      this.further = undefined
    })
    return this.plugin.call(fun, args, { kwargs: await this.further })
  }

  async apply(changes: readonly CacheChange[]): Promise<void> {
    for (const { bank, key, value } of changes) {
      if (key !== undefined && value !== undefined) await this.ask('store', bank, key, value)
      else await this.ask('flush', bank, key ?? null)
    }
  }

  async fetch(bank: string, keys: readonly string[]): Promise<Map<string, Value>> {
    const found = new Map<string, Value>()
    for (const key of keys) {
      const value = withoutExpiry(await this.ask('fetch', bank, key))
      if (value !== undefined) found.set(key, value)
    }
    return found
  }

  private async list(bank: string): Promise<string[]> {
    const names = await this.ask('list', bank)
    return isList(names) ? names.map(str) : []
  }

  async times(bank: string): Promise<Map<string, number>> {
    const times = new Map<string, number>()
    for (const key of await this.list(bank)) {
      const time = numberOf(await this.ask('updated', bank, key))
      // without a time it is a bank below this one, or it went in the meantime
      if (time !== undefined) times.set(key, time)
    }
    return times
  }

  /** Return the top-level names, if the driver lists them, and those of a master. */
  async banks(): Promise<string[]> {
    const found = new Set<string>()
    for (const bank of new Set([...(await this.list('')), ...BANKS])) await this.banksFrom(bank, found, 0)
    return [...found]
  }

  private async banksFrom(bank: string, found: Set<string>, depth: number): Promise<void> {
    if (depth > MOST_DEPTH || found.has(bank)) return
    for (const name of await this.list(bank)) {
      if (numberOf(await this.ask('updated', bank, name)) !== undefined) found.add(bank)
      else await this.banksFrom(`${bank}/${name}`, found, depth + 1)
    }
  }

  close(): void {
    // connections are the driver's own, and end with Python
  }
}

/** A driver returns an empty dict for a missing value. Salt stores expiring values together with their time. */
function withoutExpiry(value: Value): Value | undefined {
  if (value === null || !isDict(value)) return value ?? undefined
  if (value.size === 0) return undefined
  const expires = value.size === 2 ? numberOf(value.get('_expires') ?? null) : undefined
  if (expires === undefined || !value.has('data')) return value
  return expires > Date.now() / 1000 ? value.get('data') : undefined
}

/** Return the banks of a driver that is not built in; undefined when no file has a driver of that name. */
export async function ownBanks(
  wish: Omit<PluginRequest, 'family'>,
  cachedir: string,
): Promise<SharedBanks | undefined> {
  const plugin = await boundPlugin({ ...wish, family: 'cache' })
  if (!plugin) return undefined
  const missing = NEEDED.filter((fun) => !plugin.has(fun))
  if (missing.length > 0) {
    throw new BrineError('NoCacheDriver', `The driver '${wish.name}' of the cache has no ${missing.join(', ')}`)
  }
  return new PluginBanks(plugin, cachedir)
}
