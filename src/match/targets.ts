// The minions that match a target, by the keys and caches of this master.
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, type Value } from '../data/mod.ts'
import type { DataCache, PkiKeys } from '../store/mod.ts'
import { matchCertain, matchFleet } from './fleet.ts'
import type { Fleet, Targeted } from './fleet-query.ts'

/** A master's data about its minions. */
export interface MinionKnowledge {
  opts: Dict
  keys: PkiKeys
  cache: DataCache
  log: Log
}

export function resolveTarget(
  parts: MinionKnowledge,
  target: Value,
  kind: string,
  delimiter = ':',
  fun?: Value,
): Targeted {
  return matchFleet(fleetOf(parts), target, kind, { delimiter, ...(fun !== undefined && { fun }) })
}

/**
 * Return the minions that match a compound target of the configuration with certainty, with their resources. Access
 * rights depend on the result, so a minion without enough data is left out.
 */
export function resolveCertain(parts: MinionKnowledge, target: Value): string[] {
  return matchCertain(fleetOf(parts), target)
}

function fleetOf({ opts, keys, cache, log }: MinionKnowledge): Fleet {
  return {
    opts,
    log,
    accepted: keys.list('minions'),
    seen: () => cache.bank('grains').list(),
    grains: (id: string) => cache.bank('grains').fetch(id),
    pillar: (id: string) => cache.bank('pillar').fetch(id),
    resources: new Map(entries(cache, 'minion_resources')),
    resourceGrains: () => entries(cache, 'resource_grains'),
  }
}

/** The dicts of a bank. */
function* entries(cache: DataCache, name: string): Generator<[string, Dict]> {
  const bank = cache.bank(name)
  for (const key of bank.list()) {
    const value = bank.fetch(key)
    if (value !== undefined && isDict(value)) yield [key, value]
  }
}
