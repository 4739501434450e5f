// What minions look after that is no minion itself (switches, appliances, accounts): Salt 3008's resources. A minion tells at its
// start which it has and what their grains are; from then on they can be targeted by name, by `T@type` and by those grains, and
// their returns come through the minion.
import { toError } from '../base/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import { isValidId } from '../wire/mod.ts'
import type { MasterParts } from './parts.ts'

/** By minion: ids by type. */
const RESOURCES = 'minion_resources'
/** By `type:id`. */
const RESOURCE_GRAINS = 'resource_grains'

type Parts = Pick<MasterParts, 'opts' | 'cache' | 'keys' | 'bus' | 'log'>

/** The names of a minion's resources, without those that are minions. */
function namesOf({ keys, log }: Parts, id: string, told: Value): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const [type, ids] of isDict(told) ? told : []) {
    const good = (isList(ids) ? ids.map(str) : []).filter((name) => {
      const isFree = isValidId(name) && keys.accepted(name) === undefined
      if (!isFree) log('warning', `Minion ${id} may not have a resource of the name ${name}`)
      return isFree
    })
    if (good.length > 0) names.set(str(type), good)
  }
  return names
}

/** Whether a minion may answer for a resource: one of its own, or one that nobody has told of. */
export function mayAnswerFor({ cache, keys }: Parts, minion: string, resource: string): boolean {
  if (!isValidId(resource) || keys.accepted(resource) !== undefined) return false
  const bank = cache.bank(RESOURCES)
  const owners = bank.list().filter((id) => has(bank.fetch(id), resource))
  return owners.length === 0 || owners.includes(minion)
}

const has = (told: Value | undefined, resource: string): boolean =>
  told !== undefined && isDict(told) && [...told.values()].some((ids) => isList(ids) && ids.includes(resource))

export function registerResources(parts: Parts, load: Dict): Value {
  const { opts, cache, bus, log } = parts
  const id = str(load.get('id')!)
  const names = namesOf(parts, id, load.get('resources') ?? null)
  const bank = cache.bank(RESOURCES)
  const before = bank.fetch(id)
  if (names.size > 0) bank.store(id, new Map<Value, Value>(names))
  else if (before !== undefined) bank.flush(id)
  if (!truthy(opts.get('minion_data_cache') ?? true)) return true
  const told = load.get('resource_grains') ?? null
  const kept = cache.bank(RESOURCE_GRAINS)
  for (const old of before === undefined ? [] : namesBy(before)) kept.flush(old)
  for (const name of namesBy(new Map<Value, Value>(names))) {
    const grains = isDict(told) ? told.get(name) : undefined
    try {
      if (grains !== undefined && isDict(grains)) kept.store(name, grains)
    } catch (error) {
      log('warning', `Failed to persist resource_grains for minion '${id}': ${toError(error).message}`)
    }
  }
  if (opts.get('minion_data_cache_events') !== false) {
    bus.fire(`resource/refresh/${id}`, new Map([['Resource cache refresh', id]]))
  }
  return true
}

/** `type:id` of all. */
function namesBy(told: Value): string[] {
  if (!isDict(told)) return []
  return [...told].flatMap(([type, ids]) => (isList(ids) ? ids.map((id) => `${str(type)}:${str(id)}`) : []))
}
