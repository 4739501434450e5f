// The name of a low chunk in results: state, ID, name and function.
import { PyError, quote, str, type Value } from '../../data/mod.ts'
import type { LowChunk } from './types.ts'

const SEPARATOR = '_|-'

export function lowTag(low: LowChunk): string {
  return `${part(low, 'state')}${SEPARATOR}${part(low, '__id__')}${SEPARATOR}${part(low, 'name')}${SEPARATOR}${part(low, 'fun')}`
}

function part(low: LowChunk, key: string): string {
  const value = low.get(key)
  if (typeof value === 'string') return value
  if (value === undefined) throw new PyError('KeyError', quote(key))
  return str(value)
}

export interface TagParts {
  state: string
  id: string
  name: string
  fun: string
}

/** Return the parts of a tag; undefined if the text is not a tag. */
export function splitTag(tag: string): TagParts | undefined {
  const parts = tag.split(SEPARATOR)
  if (parts.length !== 4) return undefined
  return { state: parts[0]!, id: parts[1]!, name: parts[2]!, fun: parts[3]! }
}

/** The item, or the KeyError that Python raises. */
export function required(dict: ReadonlyMap<Value, Value>, key: string): Value {
  const value = dict.get(key)
  if (value === undefined) throw new PyError('KeyError', quote(key))
  return value
}
