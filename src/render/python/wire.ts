// Values as the Python side of the `py` renderer writes and reads them: JSON with a mark for each type that JSON lacks.
import {
  float,
  int,
  isFloat,
  isInt,
  OrderedDict,
  PySet,
  str,
  Tuple,
  textOf,
  tuple,
  type Value,
} from '../../data/mod.ts'

export type Packed = null | boolean | string | Packed[] | { [kind: string]: unknown }

export function pack(value: Value): Packed {
  if (value === null || typeof value === 'boolean') return value
  if (isInt(value)) return { i: String(value) }
  if (isFloat(value)) return { f: str(value) }
  if (value instanceof Uint8Array) return { b: Buffer.from(value).toString('base64') }
  if (value instanceof Map) {
    const items = Array.from(value, ([key, item]) => [pack(key), pack(item)])
    return value instanceof OrderedDict ? { o: items } : { d: items }
  }
  if (value instanceof Tuple) return { t: Array.from(value as Value[], pack) }
  if (value instanceof PySet) return { s: Array.from(value.values(), pack) }
  if (Array.isArray(value)) return value.map(pack)
  return textOf(value) ?? str(value)
}

export function unpack(packed: Packed): Value {
  if (packed === null || typeof packed !== 'object') return packed
  if (Array.isArray(packed)) return packed.map(unpack)
  const [kind, body] = Object.entries(packed)[0]!
  const pairs = (): Array<[Value, Value]> => (body as Array<[Packed, Packed]>).map(([k, v]) => [unpack(k), unpack(v)])
  switch (kind) {
    case 'i':
      return int(BigInt(String(body)))
    case 'f':
      return float(Number(String(body).replace('inf', 'Infinity')))
    case 'b':
      return new Uint8Array(Buffer.from(String(body), 'base64'))
    case 'o':
      return new OrderedDict(pairs())
    case 'd':
      return new Map(pairs())
    case 't':
      return tuple((body as Packed[]).map(unpack))
    default:
      return new PySet((body as Packed[]).map(unpack))
  }
}
