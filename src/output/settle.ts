// Data for outputters, as Salt's masking of pillar data leaves it.
import { type Dict, Tuple, type Value } from '../data/mod.ts'

/** Copy dicts and lists, as Salt's masking of pillar data does: outputters may change them, and no dict is ordered. */
export function rebuilt(data: Value, above = new Set<Value>()): Value {
  if (data === null || typeof data !== 'object') return data
  const isDict = data instanceof Map
  if ((!isDict && !Array.isArray(data)) || data instanceof Tuple || above.has(data)) return data
  if (isDict && data.size === 0) return new Map()
  above.add(data)
  const copy = isDict ? rebuiltDict(data, above) : data.map((item) => rebuilt(item, above))
  above.delete(data)
  return copy
}

function rebuiltDict(data: Dict, above: Set<Value>): Dict {
  const dict: Dict = new Map()
  data.forEach((value, key) => void dict.set(key, rebuilt(value, above)))
  return dict
}

/** The same in place where possible, for data that is not used afterwards. */
export function settledData(data: Value, above = new Set<Value>()): Value {
  if (!(data instanceof Map) || data.constructor !== Map) return rebuilt(data, above)
  if (data.size === 0 || above.has(data)) return data
  above.add(data)
  data.forEach((value, key) => {
    if (value === null || typeof value !== 'object') return
    const inner = settledData(value, above)
    if (inner !== value) data.set(key, inner)
  })
  above.delete(data)
  return data
}
