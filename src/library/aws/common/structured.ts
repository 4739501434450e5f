// Arguments that contain lists and dicts, or JSON of them.
import { type Dict, isDict, isList, loadJson, misuse, str, type Value } from '../../../data/mod.ts'

/** Return a value, or its parsed JSON. */
export const parsed = (value: Value): Value => (typeof value === 'string' ? loadJson(value) : value)

/** Return the list of an argument; an empty one where nothing is given. */
export function listOf(name: string, value: Value): Value[] {
  const list = parsed(value === '' ? null : value)
  if (list === null) return []
  if (!isList(list)) throw misuse(`'${name}' must be a list, or JSON of one`)
  return list
}

/** Return the list of texts of an argument. */
export const textsOf = (name: string, value: Value): string[] => listOf(name, value).map(str)

/** Return the dicts of an argument. */
export const dictsOf = (name: string, value: Value): Dict[] =>
  listOf(name, value).map((entry) => {
    if (isDict(entry)) return entry
    throw misuse(`'${name}' must be a list of dicts`)
  })

/** Return the dicts in a list; none where the value is no list. */
export const dictsIn = (value: Value): Dict[] => (isList(value) ? value.filter(isDict) : [])

/** Return the dict of an argument; an empty one where nothing is given. */
export function dictOf(name: string, value: Value): Dict {
  const dict = parsed(value === '' ? null : value)
  if (dict === null) return new Map()
  if (!isDict(dict)) throw misuse(`'${name}' must be a dict, or JSON of one`)
  return dict
}

/** Return whether a value means yes; of texts, only `true` does. */
export const isYes = (value: Value): boolean =>
  typeof value === 'string' ? value.toLowerCase() === 'true' : value !== null && value !== false && value !== 0
