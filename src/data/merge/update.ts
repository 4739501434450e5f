// Salt's recursive dict update: `upd` overrides, mappings are merged key by key, lists are replaced or, on request,
// extended by missing items. The destination is changed in place, and shares the merged values with `upd`.
import { deepCopy } from '../copy.ts'
import { dictGet, dictSet } from '../dict.ts'
import { typeError } from '../errors.ts'
import { contains } from '../protocol.ts'
import { repr } from '../repr.ts'
import { type Dict, isList, OrderedDict, type Value } from '../value.ts'

export interface DictUpdateOptions {
  /** false: the top level only, as Python's `dict.update`. */
  recursive?: boolean
  mergeLists?: boolean
  /** Refuse to put a mapping where a list is (only with `mergeLists`, and only at the top level). */
  strict?: boolean
}

/** Merges `upd` into `dest` and gives `dest`. */
export function update(dest: Value, upd: Value, options: DictUpdateOptions = {}): Dict {
  if (!(dest instanceof Map && upd instanceof Map)) {
    throw typeError('Cannot update using non-dict types in dictupdate.update()')
  }
  const { recursive = true, mergeLists = false, strict = false } = options
  if (!recursive) {
    for (const [key, value] of upd) dictSet(dest, key, value)
    return dest
  }
  return updateDeep(dest, upd, mergeLists, strict && mergeLists)
}

function updateDeep(dest: Dict, upd: Dict, mergeLists: boolean, strict: boolean): Dict {
  for (const [key, value] of upd) {
    const present = dictGet(dest, key)
    let merged = value
    if (present instanceof Map && value instanceof Map) {
      merged = updateDeep(present, value, mergeLists, false)
    } else if (present !== undefined && isList(present)) {
      if (mergeLists && isList(value)) merged = completed(present, value)
      else if (strict && value instanceof Map) throw listMeetsMapping(key, value)
    }
    dictSet(dest, key, merged)
  }
  return dest
}

/** A copy of `list` followed by the items of `more` that it lacks. */
function completed(list: Value[], more: Value[]): Value[] {
  const merged = deepCopy(list)
  const lacks = lackedBy(merged)
  const added = more.filter(lacks)
  for (const item of added) merged.push(item)
  return merged
}

/** Whether an item is not in the list, answered in constant time for a list of nothing but text. */
export function lackedBy(list: Value[]): (item: Value) => boolean {
  if (list.length > 8 && list.every((item) => typeof item === 'string')) {
    const texts = new Set<Value>(list)
    return (item) => !texts.has(item) && (typeof item === 'string' || !contains(list, item))
  }
  return (item) => !contains(list, item)
}

function listMeetsMapping(key: Value, value: Dict): Error {
  const keys = `${value instanceof OrderedDict ? 'odict_keys' : 'dict_keys'}(${repr([...value.keys()])})`
  return typeError(
    `With merge_lists=True we cannot update list under key=${repr(key)} with mapping containing keys ` +
      `val.keys()=${keys} in dictupdate.update()`,
  )
}
