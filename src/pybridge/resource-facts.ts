// The resource for which functions run, by the options of their loader: modules see it as `__resource__`, the functions
// of its type as `__resource_funcs__`, and those of its minion as `__minion__`.
import type { Dict, Value } from '../data/mod.ts'
import type { Families } from '../python/mod.ts'

export interface ResourceFacts {
  resource: Dict
  families: Families
}

const known = new WeakMap<Dict, ResourceFacts>()

export const noteResource = (opts: Dict, facts: ResourceFacts): void => void known.set(opts, facts)

export const resourceFamilies = (opts: Dict): Families => known.get(opts)?.families ?? {}

export const resourceFact = (opts: Dict): Array<[Value, Value]> => {
  const found = known.get(opts)
  return found ? [['resource', found.resource]] : []
}
