// `extra_minion_data_in_pillar`: what a minion sent along with its request for pillar (`pass_to_ext_pillars`).
import { type Dict, dictGet, iterate, PyError, textOf, truthy, typeName, type Value } from '../../data/mod.ts'
import type { ExtPillar } from '../ext-pillar.ts'

export const extraMinionData: ExtPillar = {
  parameters: ['include', 'extra_minion_data'],
  required: 1,
  run: (_ctx, { named }) => {
    const data = named.get('extra_minion_data') ?? null
    if (!truthy(data) || !(data instanceof Map)) return new Map()
    const include = named.get('include')!
    if (include === '*' || include === '<all>') return data
    const chosen: Dict = new Map()
    for (const key of iterate(include)) {
      const path = textOf(key)
      if (path === undefined) throw new PyError('AttributeError', `'${typeName(key)}' object has no attribute 'split'`)
      for (const [name, value] of subtree(data, path.split(':'))) chosen.set(name, value)
    }
    return chosen
  },
}

/** Return the value at a path within dicts of its own, or an empty dict when it is not there. */
export function subtree(data: Dict, path: readonly string[]): Dict {
  let value: Value = data
  for (const name of path) {
    const found: Value | undefined = value instanceof Map ? dictGet(value, name) : undefined
    if (found === undefined) return new Map()
    value = found
  }
  return path.reduceRight<Value>((inner, name) => new Map([[name, inner]]), value) as Dict
}
