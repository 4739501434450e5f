// Salt's `salt.utils.data.decode`: bytes in nested data as text, keys included; tuples become lists, datetimes their ISO
// text, and a value that holds itself becomes None at the place where it does.
import { decodeBytes } from './codecs.ts'
import { PyDatetime } from './date/date.ts'
import { dictSet } from './dict.ts'
import type { Dict, Value } from './value.ts'

export function decodeData(data: Value): Value {
  if (data instanceof Uint8Array) return decodeBytes(data)
  return typeof data === 'object' && data !== null ? decodeBelow(data, new Set()) : data
}

function decodeBelow(data: Value, above: Set<Value>): Value {
  if (data instanceof Uint8Array) return decodeBytes(data)
  if (data instanceof PyDatetime) return data.isoformat()
  if (!Array.isArray(data) && !(data instanceof Map)) return data
  if (above.has(data)) return null
  above.add(data)
  const decoded = Array.isArray(data) ? data.map((item) => decodeBelow(item, above)) : decodeDict(data, above)
  above.delete(data)
  return decoded
}

function decodeDict(dict: Dict, above: Set<Value>): Dict {
  const decoded: Dict = new Map()
  for (const [key, value] of dict) dictSet(decoded, decodeBelow(key, above), decodeBelow(value, above))
  return decoded
}
