// `value[key]` and `value[key] = item`, with Python's errors.
import { dictGet, dictSet } from './dict.ts'
import { typeError } from './errors.ts'
import { getIndex, indexError, indexNumber, keyError } from './sequence.ts'
import { PyObject, Tuple, textOf, typeName, type Value } from './value.ts'

/** `value[key]`; throws KeyError, IndexError or TypeError. Slices are the template language's business. */
export function getItem(value: Value, key: Value): Value {
  if (value instanceof Map) return present(dictGet(value, key), key)
  if (Array.isArray(value) || value instanceof Uint8Array) return getIndex(value, key)
  if (value instanceof PyObject && value.getItem) return present(value.getItem(key), key)
  const text = textOf(value)
  if (text !== undefined) return getIndex(text, key)
  throw typeError(`'${typeName(value)}' object is not subscriptable`)
}

function present(found: Value | undefined, key: Value): Value {
  if (found === undefined) throw keyError(key)
  return found
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
  const index = indexNumber(key)
  if (index === undefined) throw typeError(`list indices must be integers or slices, not ${typeName(key)}`)
  const place = index < 0 ? index + value.length : index
  if (place < 0 || place >= value.length) throw indexError('list assignment index out of range')
  value[place] = item
}
