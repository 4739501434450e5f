// `value[key]` and `value[key] = item`, with Python's errors.
import { dictGet, dictSet } from './dict.ts'
import { PyError, typeError } from './errors.ts'
import { hasWideChars } from './protocol.ts'
import { repr } from './repr.ts'
import { PyObject, PyStr, Tuple, typeName, type Value } from './value.ts'

/** `value[key]`; throws KeyError, IndexError or TypeError. Slices are the template language's business. */
export function getItem(value: Value, key: Value): Value {
  if (value instanceof Map) return present(dictGet(value, key), key)
  if (Array.isArray(value)) {
    const kind = value instanceof Tuple ? 'tuple' : 'list'
    return itemAt(value, indexOf(key, `${kind} indices must be integers or slices, not `), kind)
  }
  const text = value instanceof PyStr ? value.value : value
  if (typeof text === 'string') {
    if (!isIndex(key)) throw typeError(`string indices must be integers, not '${typeName(key)}'`)
    return itemAt(hasWideChars(text) ? [...text] : text, Number(key), 'string')
  }
  if (value instanceof Uint8Array) {
    return itemAt(value, indexOf(key, 'byte indices must be integers or slices, not '), '')
  }
  if (value instanceof PyObject && value.getItem) return present(value.getItem(key), key)
  throw typeError(`'${typeName(value)}' object is not subscriptable`)
}

/** `value[key] = item`. */
export function setItem(value: Value, key: Value, item: Value): void {
  if (value instanceof Map) {
    dictSet(value, key, item)
    return
  }
  if (!Array.isArray(value) || value instanceof Tuple) {
    throw typeError(`'${typeName(value)}' object does not support item assignment`)
  }
  const index = indexOf(key, 'list indices must be integers or slices, not ')
  const place = index < 0 ? index + value.length : index
  if (place < 0 || place >= value.length) throw new PyError('IndexError', 'list assignment index out of range')
  value[place] = item
}

function present(found: Value | undefined, key: Value): Value {
  if (found === undefined) throw new PyError('KeyError', repr(key))
  return found
}

const isIndex = (key: Value): key is number | bigint | boolean =>
  typeof key === 'number' ? Number.isInteger(key) : typeof key === 'bigint' || typeof key === 'boolean'

function indexOf(key: Value, refusal: string): number {
  if (!isIndex(key)) throw typeError(refusal + typeName(key))
  return Number(key)
}

function itemAt(items: ArrayLike<Value>, index: number, kind: string): Value {
  const item = items[index < 0 ? index + items.length : index]
  if (item === undefined) throw new PyError('IndexError', `${kind} index out of range`.trimStart())
  return item
}
