// Tagged JSON of the wire vectors (cases/wire/README.md) to values and back: maps as pairs, bytes as hex.
import {
  type Dict,
  Float,
  float,
  floatText,
  int,
  isFloat,
  PyDate,
  PyDatetime,
  PySet,
  tuple,
  type Value,
} from '../../../src/data/mod.ts'
import type { Json } from '../area.ts'

const DATETIME = /^(\d{4})(\d\d)(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{6})$/

export function fromTagged(json: Json): Value {
  if (json === null || typeof json !== 'object') return json
  if (Array.isArray(json)) return json.map(fromTagged)
  const [tag, body] = Object.entries(json)[0] ?? ['', null]
  const items = (): Value[] => (body as Json[]).map(fromTagged)
  switch (tag) {
    case '$map':
      return new Map((body as Array<[Json, Json]>).map(([key, value]) => [fromTagged(key), fromTagged(value)]))
    case '$bytes':
      return new Uint8Array(Buffer.from(String(body), 'hex'))
    case '$float':
      return float(Number(body))
    case '$int':
      return int(BigInt(String(body)))
    case '$datetime':
      return datetime(String(body))
    case '$date':
      return date(String(body))
    case '$tuple':
      return tuple(items())
    case '$set':
      return new PySet(items())
    default:
      throw new Error(`Tagged JSON has no ${tag}`)
  }
}

function datetime(text: string): PyDatetime {
  const compact = DATETIME.exec(text)?.slice(1)
  const iso = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/.exec(text)?.slice(1)
  const [year, month, day, hour, minute, second, fraction] = compact ?? iso!
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second) }
  const microsecond = Number((fraction ?? '').padEnd(6, '0'))
  return new PyDatetime(Number(year), Number(month), Number(day), { ...time, microsecond, offset: undefined })
}

function date(text: string): PyDate {
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(text)!
  return new PyDate(Number(year), Number(month), Number(day))
}

export function toTagged(value: Value): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'bigint') return { $int: value.toString() }
  if (isFloat(value)) return { $float: floatText(value instanceof Float ? value.value : Number(value)) }
  if (typeof value === 'number') return value
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('hex') }
  if (value instanceof Map) return { $map: [...(value as Dict)].map(([key, item]) => [toTagged(key), toTagged(item)]) }
  if (value instanceof PyDatetime) return { $datetime: extText(value) }
  if (Array.isArray(value)) return value.map(toTagged)
  throw new Error('A value that wire vectors do not have')
}

function extText(value: PyDatetime): string {
  const two = (n: number): string => String(n).padStart(2, '0')
  const { year, month, day, time } = value
  const clock = `${two(time.hour)}:${two(time.minute)}:${two(time.second)}.${String(time.microsecond).padStart(6, '0')}`
  return `${String(year).padStart(4, '0')}${two(month)}${two(day)}T${clock}`
}

/** Return the difference of two values; undefined if they are equal. */
export function differs(what: string, wanted: Json | undefined, got: Json | undefined): string[] {
  const one = JSON.stringify(wanted)
  const other = JSON.stringify(got)
  return one === other ? [] : [`${what}: wanted ${short(one)}, got ${short(other)}`]
}

function short(text: string | undefined): string {
  return text === undefined || text.length < 400 ? String(text) : `${text.slice(0, 400)}…`
}
