// Which minions a target means, by the keys and the caches of this master.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { matchFleet, type Targeted } from '../match/mod.ts'
import type { DataCache, PkiKeys } from '../store/mod.ts'

/** What the master knows about its minions. */
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
  const { opts, keys, cache, log } = parts
  const fleet = {
    opts,
    log,
    accepted: keys.list('minions'),
    seen: () => cache.bank('grains').list(),
    grains: (id: string) => cache.bank('grains').fetch(id),
    pillar: (id: string) => cache.bank('pillar').fetch(id),
  }
  return matchFleet(fleet, target, kind, { delimiter, ...(fun !== undefined && { fun }) })
}
