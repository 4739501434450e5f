// The `aggregate` merge of Salt's yamlex: only values marked as aggregates join; of all others the later one stays.
import { shallowCopy } from '../copy.ts'
import { dictGet, dictSet } from '../dict.ts'
import { PySet } from '../set.ts'
import { OrderedDict, type Value } from '../value.ts'
import { lackedBy } from './update.ts'

/** A dict that is merged with another one by keys. */
export class AggregateMap extends OrderedDict {}

/** A list that is continued by another one. */
export class AggregateList extends Array<Value> {
  // map, filter and slice of it give plain arrays
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }
}

/** How many levels, from the top, are merged even if unmarked; true for all of them. */
export type AggregateLevel = boolean | number

export function aggregate(a: Value, b: Value, level: AggregateLevel = false): Value {
  const deep = Boolean(level)
  const below = typeof level === 'number' && deep ? level - 1 : level
  const first = deep ? marked(a) : a
  const second = deep ? marked(b) : b
  if (first instanceof Map && second instanceof Map) {
    const both = first instanceof AggregateMap && second instanceof AggregateMap
    const merged = shallowCopy(both ? first : second) as Map<Value, Value>
    for (const [key, value] of second) {
      const present = dictGet(first, key)
      dictSet(merged, key, present === undefined ? value : aggregate(present, value, below))
    }
    return merged
  }
  if (first instanceof AggregateList && second instanceof AggregateList) {
    const lacks = lackedBy(first)
    const merged = shallowCopy(first) as AggregateList
    for (const item of second) if (lacks(item)) merged.push(item)
    return merged
  }
  return shallowCopy(second)
}

function marked(value: Value): Value {
  if (value instanceof AggregateMap || value instanceof AggregateList) return value
  if (value instanceof Map) {
    const map = new AggregateMap()
    for (const [key, item] of value) map.set(key, item)
    return map
  }
  const list = new AggregateList()
  if (Array.isArray(value)) for (const item of value) list.push(item)
  else if (value instanceof PySet) for (const item of value.values()) list.push(item)
  else list.push(value)
  return list
}
