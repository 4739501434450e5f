// The interface of an outputter: a function from data to the printed text. It reads Salt's options by their names. If
// it cannot show the data, it throws like Python, and the data is shown as nested.
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, keyError, PyError, truthy, typeName, type Value } from '../data/mod.ts'
import type { Palette } from './palette.ts'

/** The context of an outputter. */
export interface Screen {
  readonly opts: ReadonlyMap<Value, Value>
  /** Arguments of this call, such as `nested_indent` and `_retcode`. */
  readonly kwargs: ReadonlyMap<Value, Value>
  readonly colors: Palette
  readonly log: Log
  /** Shows a part of the data with another outputter, with the same options and fall-backs. */
  show(out: string, data: Value, kwargs: ReadonlyMap<Value, Value>): string | undefined
}

/** Return the text, whose trailing spaces are not printed; undefined prints nothing. */
export type Outputter = (data: Value, screen: Screen) => string | undefined

/** `map.get(key, fallback)`: None is a value like any other. */
export function getOr(map: ReadonlyMap<Value, Value>, key: string, fallback: Value): Value {
  const value = map.get(key)
  return value === undefined ? fallback : value
}

/** Return the boolean value of an option; `fallback` if it is not set. */
export function screenFlag(screen: Screen, name: string, fallback = false): boolean {
  return truthy(getOr(screen.opts, name, fallback))
}

export function attributeError(value: Value, name: string): PyError {
  return new PyError('AttributeError', `'${typeName(value)}' object has no attribute '${name}'`)
}

/** The value as a dict, because its method of that name is wanted. */
export function dictFor(value: Value, method: string): Dict {
  if (!isDict(value)) throw attributeError(value, method)
  return value
}

/** `dict[key]` for a text key. */
export function need(dict: ReadonlyMap<Value, Value>, key: string): Value {
  const value = dict.get(key)
  if (value === undefined) throw keyError(key)
  return value
}
