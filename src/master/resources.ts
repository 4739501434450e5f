// Resources, as in Salt 3008: devices that a minion manages (switches, appliances, accounts). A minion reports its
// resources and their grains at its start. From then on they can be targeted by name, by `T@type` and by these grains,
// and their returns come through the minion. A resource belongs to one minion at a time, and only that minion returns
// for it.
import { shownText, toError, WorkSlice } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { isValidId } from '../wire/mod.ts'
import type { MasterParts } from './parts.ts'

/** Key: minion id. Value: ids by type. */
const RESOURCES = 'minion_resources'
/** Key: `type:id`. */
const RESOURCE_GRAINS = 'resource_grains'

type Parts = Pick<MasterParts, 'opts' | 'cache' | 'keys' | 'bus' | 'log'>

type IdsByType = Map<string, string[]>

export class Resources {
  private readonly parts: Parts
  /** The minion of each resource, read from the cache at first use. */
  private known: Map<string, string> | undefined
  /** Registrations of one minion follow each other. */
  private readonly last = new Map<string, Promise<unknown>>()

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Whether a minion has registered a resource. */
  isOf(minion: string, resource: string): boolean {
    return this.owners.get(resource) === minion && this.parts.keys.accepted(resource) === undefined
  }

  async register(load: Dict): Promise<Value> {
    const id = str(load.get('id')!)
    const before = this.last.get(id)
    const registering = (before ?? Promise.resolve()).then(() => this.replace(id, load))
    const settled = registering.catch(() => undefined)
    this.last.set(id, settled)
    try {
      return await registering
    } finally {
      if (this.last.get(id) === settled) this.last.delete(id)
    }
  }

  private get owners(): Map<string, string> {
    if (this.known) return this.known
    this.known = new Map()
    const { cache, keys } = this.parts
    const bank = cache.bank(RESOURCES)
    for (const minion of bank.list()) {
      if (keys.accepted(minion) === undefined) continue
      for (const { id } of entries(bank.fetch(minion))) this.known.set(id, minion)
    }
    return this.known
  }

  private async replace(id: string, load: Dict): Promise<Value> {
    const { opts, cache, bus } = this.parts
    const bank = cache.bank(RESOURCES)
    const before = entries(bank.fetch(id))
    const names = await this.free(id, load.get('resources') ?? null)
    const now = entries(new Map<Value, Value>(names))
    if (names.size > 0) bank.store(id, new Map<Value, Value>(names))
    else if (before.length > 0) bank.flush(id)
    const kept = new Set(now.map(({ id: name }) => name))
    for (const { id: old } of before) if (!kept.has(old) && this.owners.get(old) === id) this.owners.delete(old)
    if (!option(opts, 'minion_data_cache')) return true
    await this.keepGrains(id, before, now, load.get('resource_grains') ?? null)
    if (opts.get('minion_data_cache_events') !== false) {
      bus.fire(`resource/refresh/${id}`, new Map([['Resource cache refresh', id]]))
    }
    return true
  }

  /** Return the reported resources without names that are minion ids or resources of other minions. */
  private async free(id: string, told: Value): Promise<IdsByType> {
    const names: IdsByType = new Map()
    const list = (type: string): string[] => {
      const known = names.get(type) ?? []
      names.set(type, known)
      return known
    }
    const slice = new WorkSlice()
    for (const { type, id: name } of entries(told)) {
      if (slice.isOver) await slice.next()
      const taken = isType(type) ? this.takenBy(id, name) : 'its type is no name'
      if (taken === undefined) {
        // claim the name before any await, so that no other minion gets it meanwhile
        this.owners.set(name, id)
        list(type).push(name)
      } else this.parts.log('warning', `Minion ${id} may not have a resource of the name ${shownText(name)}: ${taken}`)
    }
    return names
  }

  private takenBy(id: string, name: string): string | undefined {
    const { keys } = this.parts
    if (!isValidId(name) || isPattern(name)) return 'it is no name'
    if (keys.accepted(name) !== undefined) return 'it is that of a minion'
    const owner = this.owners.get(name)
    if (owner === undefined || owner === id || keys.accepted(owner) === undefined) return undefined
    return `it is a resource of ${owner}`
  }

  private async keepGrains(minion: string, before: Entry[], now: Entry[], told: Value): Promise<void> {
    const bank = this.parts.cache.bank(RESOURCE_GRAINS)
    const grainsOf = (name: string): Dict | undefined => {
      const grains = isDict(told) ? told.get(name) : undefined
      return grains !== undefined && isDict(grains) ? grains : undefined
    }
    const fresh = new Map(now.map(({ type, id }) => [`${type}:${id}`, grainsOf(`${type}:${id}`)]))
    const stale = before.map(({ type, id }) => `${type}:${id}`).filter((name) => fresh.get(name) === undefined)
    const slice = new WorkSlice()
    for (const name of [...stale, ...fresh.keys()]) {
      if (slice.isOver) await slice.next()
      const grains = fresh.get(name)
      try {
        if (grains) bank.store(name, grains)
        else bank.flush(name)
      } catch (error) {
        const { message } = toError(error)
        this.parts.log('warning', `Failed to persist resource_grains for minion '${minion}': ${message}`)
      }
    }
  }
}

/** Names that functions read as a glob mean others. */
const isPattern = (name: string): boolean => /[*?[\]]/.test(name)

/** A type must not contain a colon, which separates it from the resource id. */
const isType = (type: string): boolean => isValidId(type) && !type.includes(':')

interface Entry {
  type: string
  id: string
}

/** Return the resources in a minion's report, or in the stored form of it. */
function entries(told: Value | undefined): Entry[] {
  if (told === undefined || !isDict(told)) return []
  return [...told].flatMap(([type, ids]) =>
    isList(ids) ? ids.map((id) => ({ type: briefStr(type), id: briefStr(id) })) : [],
  )
}
