// The cache roster: minions that the master knows, by its keys and its cache of grains, pillar and mine. `roster_order` says where each
// setting comes from.
import { BrineError, type Log } from '../../base/mod.ts'
import { fetchedSdb, option } from '../../config/mod.ts'
import {
  type Dict,
  type IpAddress,
  ipAddress,
  ipNetwork,
  isDict,
  isList,
  str,
  textOf,
  traverse,
  truthy,
  type Value,
} from '../../data/mod.ts'
import { resolveTarget } from '../../match/mod.ts'
import { fetchSdb } from '../../pybridge/mod.ts'
import type { Backend, RosterRequest } from './backend.ts'
import { RosterError } from './errors.ts'

const USUAL_HOST: readonly Value[] = ['ipv6-private', 'ipv6-global', 'ipv4-private', 'ipv4-public']

const FILTERS: ReadonlyMap<string, (address: IpAddress) => boolean> = new Map([
  ['global', (address: IpAddress) => (address.version === 6 ? address.isGlobal : !address.isPrivate)],
  ['public', (address: IpAddress) => !address.isPrivate],
  ['private', (address: IpAddress) => address.isPrivate && !address.isLoopback && !address.isLinkLocal],
  ['local', (address: IpAddress) => address.isLoopback],
])

export const cache: Backend = {
  chooses: true,
  async read(request) {
    const { opts, log, keys, cache: data, tgt, tgtType } = request
    if (!keys || !data) throw new RosterError('RosterUnreadable', "the master's cache cannot be opened here")
    const { minions } = resolveTarget({ opts, keys, cache: data, log }, tgt, tgtType)
    const order = orderOf(opts)
    const entry = (id: string) => () => entryOf(id, order, request)
    return { source: option(opts, 'cachedir'), entries: new Map(minions.map((id) => [id, entry(id)])) }
  },
}

function orderOf(opts: Dict): Dict {
  const order = option(opts, 'roster_order') ?? null
  return isDict(order) ? order : new Map<Value, Value>([['host', isList(order) ? order : [...USUAL_HOST]]])
}

async function entryOf(id: string, order: Dict, { opts, cache: data, log }: RosterRequest): Promise<Value | undefined> {
  const of = (bank: string): Dict => {
    const value = data!.bank(bank).fetch(id)
    return value !== undefined && isDict(value) ? value : new Map()
  }
  const minion: Minion = { id, grains: of('grains'), pillar: of('pillar'), mine: of('mine'), opts, log }
  if (minion.grains.size === 0) log('warning', `No grain data for minion id ${id}`)
  const settings: Dict = new Map()
  for (const [key, sources] of order) {
    for (const source of isList(sources) ? sources : [sources]) {
      const value = await lookedUp(source, minion)
      if (value === null || !truthy(value)) continue
      settings.set(key, value)
      break
    }
  }
  const defaults = option(opts, 'roster_defaults')
  if (settings.has('host') || defaults?.has('host')) return settings
  log('warning', `Could not determine host information for minion ${id}`)
  return undefined
}

interface Minion {
  id: string
  grains: Dict
  pillar: Dict
  mine: Dict
  opts: Dict
  log: Log
}

async function lookedUp(source: Value, minion: Minion): Promise<Value> {
  if (isDict(source)) return fromData(source, minion)
  const key = textOf(source) ?? str(source)
  if (key === 'id') return minion.id
  if (key.startsWith('sdb://')) return (await fetchedSdb(key, minion.opts, minion.log, fetchSdb)) ?? null
  return /^[0-9a-fA-F:./]+$/.test(key) ? withinNetwork(key, minion) : byFilter(key, minion)
}

/** `grain: key`, `pillar: key` or `mine: function`, each also with a list of keys. */
function fromData(source: Dict, minion: Minion): Value {
  const data: Readonly<Record<string, Dict>> = { grain: minion.grains, pillar: minion.pillar, mine: minion.mine }
  for (const [name, keys] of source) {
    const known = Object.hasOwn(data, str(name)) ? data[str(name)]! : undefined
    if (!known) throw wrongOrder(str(name))
    for (const key of isList(keys) ? keys : [keys]) {
      const value = traverse(known, key, { default: null })
      if (truthy(value)) return value
    }
  }
  return null
}

function withinNetwork(text: string, minion: Minion): Value {
  try {
    const network = ipNetwork(text)
    return (
      addressesOf(minion, network.version)
        .find((address) => network.contains(address))
        ?.toString() ?? null
    )
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    minion.log('error', `${text} is an invalid CIDR network`)
    return null
  }
}

function byFilter(key: string, minion: Minion): Value {
  const [, version, name = key] = /^ipv([46])-(.+)$/.exec(key) ?? []
  const filter = FILTERS.get(name)
  if (!filter) throw wrongOrder(key)
  const versions = version === undefined ? ([4, 6] as const) : [version === '4' ? (4 as const) : (6 as const)]
  for (const one of versions) {
    const address = addressesOf(minion, one).find(filter)
    if (address) return address.toString()
  }
  return null
}

const wrongOrder = (name: string): RosterError =>
  new RosterError('RosterBroken', `Invalid filter ${name} specified in roster_order`)

/** Addresses of the grains in their order; texts that are none are left out. */
function addressesOf({ grains }: Minion, version: 4 | 6): IpAddress[] {
  const listed = grains.get(`ipv${version}`)
  const found: IpAddress[] = []
  for (const text of listed !== undefined && isList(listed) ? listed : []) {
    try {
      const address = ipAddress(text)
      if (address.version === version) found.push(address)
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
    }
  }
  return found.sort((left, right) => (left.value < right.value ? -1 : left.value > right.value ? 1 : 0))
}
