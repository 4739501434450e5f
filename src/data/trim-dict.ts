// Shrinks dicts for an event, like Salt with `max_event_size`: large values are replaced, the largest first.
import { deepCopy } from './copy.ts'
import { Packed } from './msgpack/packed.ts'
import { type Dict, isDict, type Value } from './value.ts'

const REPLACEMENT = 'VALUE_TRIMMED'

/** Bytes that Python's objects need besides their content. */
const OBJECT = 40
/** Bytes of a Python `bytes` object besides its content; Salt compares the size of the whole object. */
const BYTES_OBJECT = 33

/** Values larger than these shares of the limit are replaced, in turn until the dict is small enough. */
const SHARES = [0.5, 0.4, 0.3, 0.2, 0.1]

/** Return a dict with values replaced if it needs more than `most` bytes; return a smaller dict unchanged. */
export function trimDict(data: Dict, most: number): Dict {
  if (fits(data, most)) return data
  const trimmed = deepCopy(data)
  for (const share of SHARES) {
    replaceLarge(trimmed, most * share)
    if (fits(trimmed, most)) break
  }
  return trimmed
}

function replaceLarge(dict: Dict, most: number): void {
  for (const [key, value] of dict) {
    if (isDict(value)) replaceLarge(value, most)
    else if (objectSize(value) > most) dict.set(key, REPLACEMENT)
  }
}

/** Return the size of a Python object; as with `sys.getsizeof`, the items of a list count as references. */
function objectSize(value: Value): number {
  if (typeof value === 'string') return OBJECT + Buffer.byteLength(value)
  if (value instanceof Uint8Array) return BYTES_OBJECT + value.length
  if (value instanceof Packed) return OBJECT + value.bytes.length
  return Array.isArray(value) ? OBJECT + 8 * value.length : OBJECT
}

/** Return whether a dict fits into this many bytes of MessagePack; counting stops once it does not. */
const fits = (data: Dict, most: number): boolean => bytesLeft(data, most - BYTES_OBJECT) >= 0

function bytesLeft(value: Value, left: number): number {
  if (left < 0) return left
  if (typeof value === 'string') return left - withHead(Buffer.byteLength(value))
  if (value instanceof Uint8Array) return left - withHead(value.length)
  if (value instanceof Packed) return left - value.bytes.length
  let rest = left
  if (Array.isArray(value)) {
    rest -= withHead(0)
    for (const item of value) {
      rest = bytesLeft(item, rest)
      if (rest < 0) break
    }
    return rest
  }
  if (isDict(value)) {
    rest -= withHead(0)
    for (const [key, item] of value) {
      rest = bytesLeft(item, bytesLeft(key, rest))
      if (rest < 0) break
    }
    return rest
  }
  return left - numberBytes(value)
}

/** Return the bytes of a content with the head that gives its length. */
const withHead = (length: number): number => length + (length < 32 ? 1 : length < 256 ? 2 : length < 65536 ? 3 : 5)

function numberBytes(value: Value): number {
  if (value === null || typeof value === 'boolean') return 1
  if (typeof value !== 'number' || !Number.isInteger(value)) return 9
  const size = Math.abs(value)
  return size < 128 ? 1 : size < 256 ? 2 : size < 65536 ? 3 : size < 2 ** 32 ? 5 : 9
}
