// Lookup in nested data by a path such as `pillar:hosts:0:name`, and Salt's `filter_by`, which selects by the looked-up
// value.
import { deepCopy } from './copy.ts'
import { dictGet } from './dict.ts'
import { PyError, SaltError, typeError, valueError } from './errors.ts'
import { fnmatch } from './fnmatch.ts'
import { update } from './merge/update.ts'
import { intFromText } from './number-text.ts'
import { loadKeyPart } from './plain-scalar.ts'
import { iterate, noAttribute, truthy } from './protocol.ts'
import { str } from './repr.ts'
import { getItem } from './subscript.ts'
import { type Dict, isInt, isList, numberOf, textOf, typeName, type Value } from './value.ts'

export interface TraverseOptions {
  /** The result for a missing path. Default: None. */
  default?: Value
  delimiter?: string
}

/** Follows the path through dicts alone. */
export function traverseDict(data: Value, path: string, options: TraverseOptions = {}): Value {
  let found = data
  try {
    for (const name of splitPath(path, options.delimiter)) found = getItem(found, name)
  } catch (error) {
    if (!isNoSuchItem(error)) throw error
    return options.default ?? null
  }
  return found
}

/**
 * Follow a path through dicts and lists. In a list, a part is looked up in its dicts, then used as an index; in a dict,
 * a part that is no text key is parsed as YAML, so `1` finds the int key.
 */
export function traverse(data: Value, path: Value, options: TraverseOptions = {}): Value {
  const text = textOf(path)
  const parts = text !== undefined ? splitPath(text, options.delimiter) : isWhole(path) ? [path] : iterate(path)
  let found: Value | undefined = data
  for (const part of parts) {
    found = traverseStep(found, part)
    if (found === undefined) return options.default ?? null
  }
  return found
}

/** One step of `traverse`; undefined where the part leads nowhere. */
export const traverseStep = (value: Value, part: Value): Value | undefined =>
  isList(value) ? inList(value, part) : inOther(value, part)

const isWhole = (value: Value): boolean => isInt(value) || typeof value === 'boolean'

function splitPath(path: string, delimiter = ':'): string[] {
  if (delimiter === '') throw valueError('empty separator')
  return path.split(delimiter)
}

const isNoSuchItem = (error: unknown): error is PyError =>
  error instanceof PyError && (error.code === 'KeyError' || error.code === 'IndexError' || error.code === 'TypeError')

function inList(list: Value[], part: Value): Value | undefined {
  const index = indexOf(part)
  const key = index ?? part
  for (const item of list) {
    if (!(item instanceof Map)) continue
    const found = dictGet(item, key)
    if (found !== undefined) return found
  }
  return index === undefined ? undefined : list.at(Number(index))
}

/** `int(part)`, or undefined where Python's raises ValueError. */
function indexOf(part: Value): number | bigint | undefined {
  const text = textOf(part)
  if (text === undefined) {
    if (isInt(part)) return part
    const number = numberOf(part)
    if (number === undefined) {
      const wanted = 'a string, a bytes-like object or a real number'
      throw typeError(`int() argument must be ${wanted}, not '${typeName(part)}'`)
    }
    return Math.trunc(number)
  }
  try {
    return intFromText(text)
  } catch (error) {
    if (error instanceof PyError && error.code === 'ValueError') return undefined
    throw error
  }
}

function inOther(value: Value, part: Value): Value | undefined {
  // the most frequent case, mostly without a result: throwing and catching an error would cost more than the rest
  if (value instanceof Map && typeof part === 'string') {
    const found = value.get(part)
    if (found !== undefined) return found
    const loaded = loadKeyPart(part)
    return typeof loaded === 'object' && loaded !== null ? hashedItem(value, loaded) : dictGet(value, loaded)
  }
  try {
    return getItem(value, part)
  } catch (error) {
    if (!isNoSuchItem(error) || error.code === 'IndexError') throw error
    if (error.code === 'TypeError') return undefined
  }
  const loaded = typeof part === 'string' ? loadKeyPart(part) : part
  if (loaded === part) return undefined
  try {
    return getItem(value, loaded)
  } catch (error) {
    if (!isNoSuchItem(error) || error.code === 'IndexError') throw error
    return undefined
  }
}

/** Return the item for a key that was parsed from text and may not be hashable. */
function hashedItem(value: Map<Value, Value>, key: Value): Value | undefined {
  try {
    return dictGet(value, key)
  } catch (error) {
    if (isNoSuchItem(error)) return undefined
    throw error
  }
}

export interface FilterByOptions {
  /** Merged over the selected value. */
  merge?: Value
  /** The key to take when no pattern matches. */
  default?: Value
  /** The key whose dict the selected value is merged into. */
  base?: Value
}

/**
 * Select from `choices`, whose keys are globs, by the value or values at the path `lookup` in `data`. As in Salt,
 * `merge` is merged into the choice itself unless there is a `base`.
 */
export function filterBy(choices: Value, lookup: Value, data: Value, options: FilterByOptions = {}): Value {
  const { merge = null, base = null } = options
  const found = traverse(data, lookup, { default: [] })
  const values = isList(found) ? found : [found]
  if (!(choices instanceof Map)) return noChoices(choices, values)
  let picked = firstMatch(choices, values)
  picked ??= dictGet(choices, options.default === undefined ? 'default' : options.default) ?? null
  if (truthy(base)) picked = onBase(dictGet(choices, base), picked)
  if (!truthy(merge)) return picked
  if (!(merge instanceof Map)) {
    throw new SaltError('SaltException', 'filter_by merge argument must be a dictionary.')
  }
  return picked === null ? merge : update(picked, deepCopy(merge))
}

/**
 * Throw Python's error for choices that are no dict: it iterates the keys if there is a value to match, else it reads
 * the default.
 */
function noChoices(choices: Value, values: Value[]): never {
  if (values.length > 0) iterate(choices)
  return noAttribute(choices, 'get')
}

/** Return the first choice that is not None and whose key matches one of the values. */
function firstMatch(choices: Dict, values: Value[]): Value {
  for (const value of values) {
    const wanted = str(value)
    for (const [key, choice] of choices) {
      if (!fnmatch(wanted, str(key))) continue
      if (choice !== null) return choice
      break
    }
  }
  return null
}

function onBase(base: Value | undefined, picked: Value): Value {
  if (base === undefined) return picked
  if (picked === null) return base
  if (!(base instanceof Map)) return picked
  if (!(picked instanceof Map)) {
    throw new SaltError('SaltException', 'filter_by default and look-up values must both be dictionaries.')
  }
  return update(deepCopy(base), picked)
}
