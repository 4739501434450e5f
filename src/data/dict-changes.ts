// The difference of two dicts: `old` and `new` by key, with an empty text for a missing value.
import { equals } from './compare.ts'
import { dictSet } from './dict.ts'
import { contains, iterate, truthy } from './protocol.ts'
import { PySet } from './set.ts'
import { getItem } from './subscript.ts'
import type { Dict, Value } from './value.ts'

export function compareDicts(old: Value, fresh: Value): Dict {
  const orEmpty = (value: Value): Value => (truthy(value) ? value : new Map())
  const keys = new PySet(iterate(orEmpty(fresh)))
  for (const key of iterate(orEmpty(old))) keys.add(key)
  const changes: Dict = new Map()
  for (const key of iterate(keys)) {
    if (!contains(old, key)) dictSet(changes, key, change('old', '', 'new', getItem(fresh, key)))
    else if (!contains(fresh, key)) dictSet(changes, key, change('new', '', 'old', getItem(old, key)))
    else if (!equals(getItem(fresh, key), getItem(old, key))) {
      dictSet(changes, key, change('old', getItem(old, key), 'new', getItem(fresh, key)))
    }
  }
  return changes
}

const change = (firstKey: string, first: Value, secondKey: string, second: Value): Dict =>
  new Map([
    [firstKey, first],
    [secondKey, second],
  ])
