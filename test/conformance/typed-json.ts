// Typed JSON (cases/yaml/README.md) to values and back. Encoding is canonical: equal values, types and key order
// included, give equal text, so comparing and showing a difference are the same thing.
import {
  type Dict,
  Float,
  float,
  floatText,
  int,
  isFloat,
  isInt,
  OrderedDict,
  PyDate,
  PyDatetime,
  PyObject,
  PySet,
  Tuple,
  textOf,
  tuple,
  typeName,
  type Value,
} from '../../src/data/mod.ts'
import type { Json } from './area.ts'

export interface DecodeOptions {
  /** Every map becomes an OrderedDict. */
  ordered?: boolean
}

export function decodeTyped(json: Json, options: DecodeOptions = {}): Value {
  if (json === null || typeof json === 'boolean' || typeof json === 'string') return json
  if (typeof json === 'number') return decodeInt(json)
  if (Array.isArray(json)) return json.map((item) => decodeTyped(item, options))
  const entries = Object.entries(json)
  const only = entries.length === 1 ? entries[0]! : undefined
  if (only?.[0].startsWith('$')) return decodeForm(only[0], only[1], options)
  return dictOf(entries, options)
}

function decodeInt(n: number): number {
  if (!Number.isSafeInteger(n)) throw new Error(`A plain JSON number is a small integer, this is ${n}`)
  return n
}

function dictOf(entries: Array<[Json, Json]>, options: DecodeOptions, ordered = options.ordered): Dict {
  const dict: Dict = ordered ? new OrderedDict() : new Map()
  for (const [key, value] of entries) dict.set(decodeTyped(key, options), decodeTyped(value, options))
  return dict
}

function decodeForm(form: string, body: Json, options: DecodeOptions): Value {
  const items = () => (body as Json[]).map((item) => decodeTyped(item, options))
  switch (form) {
    case '$float':
      return decodeFloat(String(body))
    case '$int':
      return int(BigInt(String(body)))
    case '$bytes':
      return new Uint8Array(Buffer.from(String(body), 'base64'))
    case '$tuple':
      return tuple(items())
    case '$set':
      return new PySet(items())
    case '$map':
    case '$dict':
      return dictOf(body as Array<[Json, Json]>, options)
    case '$odict':
      return dictOf(body as Array<[Json, Json]>, options, true)
    case '$date':
    case '$datetime':
      return decodeDate(String(body))
  }
  throw new Error(`Typed JSON has no form '${form}' here`)
}

function decodeFloat(text: string): Value {
  const named: Record<string, number> = {
    inf: Number.POSITIVE_INFINITY,
    '-inf': Number.NEGATIVE_INFINITY,
    nan: Number.NaN,
  }
  return float(named[text] ?? Number(text))
}

const ISO = /^(\d+)-(\d+)-(\d+)(?:T(\d+):(\d+):(\d+)(?:\.(\d{1,6}))?(?:([-+])(\d+):(\d+))?)?$/

function decodeDate(text: string): Value {
  const match = ISO.exec(text)
  if (!match) throw new Error(`Not an ISO 8601 date or datetime: '${text}'`)
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    ...number[],
  ]
  if (match[4] === undefined) return new PyDate(year, month, day)
  const offset = Number(`${match[8]}1`) * (Number(match[9]) * 3600 + Number(match[10]) * 60)
  const microsecond = Number((match[7] ?? '').padEnd(6, '0'))
  const time = {
    hour: hour!,
    minute: minute!,
    second: second!,
    microsecond,
    offset: match[8] === undefined ? undefined : offset,
  }
  return new PyDatetime(year, month, day, time)
}

/** The canonical typed JSON of a value. */
function encodeTyped(value: Value): Json {
  if (value === null || typeof value === 'boolean') return value
  const text = textOf(value)
  if (text !== undefined) return text
  if (isFloat(value)) return { $float: floatText(value instanceof Float ? value.value : value) }
  if (isInt(value)) {
    return Number.isSafeInteger(Number(value)) ? Number(value) : { $int: String(value) }
  }
  if (value instanceof Tuple) return { $tuple: value.map(encodeTyped) }
  if (Array.isArray(value)) return value.map(encodeTyped)
  if (value instanceof Map) return encodeDict(value)
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof PySet) return { $set: sortedByText([...value.values()].map(encodeTyped)) }
  return encodeObject(value as PyObject)
}

function encodeDict(dict: Dict): Json {
  const entries = [...dict].map(([key, value]): [Json, Json] => [encodeTyped(key), encodeTyped(value)])
  const plain = entries.every(([key]) => typeof key === 'string' && !/^(\$|\d+$)/.test(key))
  return plain ? Object.fromEntries(entries as Array<[string, Json]>) : { $map: entries }
}

function sortedByText(items: Json[]): Json[] {
  const keyed = items.map((item): [string, Json] => [JSON.stringify(item), item])
  return keyed.sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([, item]) => item)
}

function encodeObject(value: PyObject): Json {
  if (!(value instanceof PyObject)) throw new Error(`Not a value: ${String(value)}`)
  if (value instanceof PyDatetime) return { $datetime: value.isoformat() }
  if (value instanceof PyDate) return { $date: value.isoformat() }
  return { $object: typeName(value), repr: value.repr() }
}

/** Text that is equal exactly when the two values are the same in type, content and order. */
export function canonicalText(value: Value): string {
  return JSON.stringify(encodeTyped(value))
}
