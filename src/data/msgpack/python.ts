// The dialect for a Python process: types that plain MessagePack lacks are extensions of Brine, so that tuples stay
// tuples and integers of any size stay exact. python/brine_worker/wire.py is the other side.
import { PyDate, PyDatetime } from '../date/date.ts'
import { PyTime, type TimeOfDay } from '../date/time.ts'
import { PyTimedelta } from '../date/timedelta.ts'
import { isIterable, iterate } from '../protocol.ts'
import { PyFrozenSet, PySet } from '../set.ts'
import { int, OrderedDict, PyObject, PyStr, Tuple, tuple, type Value } from '../value.ts'
import { MsgpackError } from './dialect.ts'

export const EXT_BIG = 1
const EXT_TUPLE = 2
const EXT_SET = 3
const EXT_FROZENSET = 4
const EXT_ORDERED = 5
const EXT_TIMESTAMP = 6
const EXT_DATE = 7
const EXT_TIME = 8
const EXT_DELTA = 9

type Encode = (value: unknown) => Uint8Array

export interface MsgpackExtension {
  code: number
  content: Uint8Array
}

/** Return the extension for a value, or a plainer value that represents it; undefined if it needs neither. */
export function toExtension(value: object, encode: Encode): MsgpackExtension | Value[] | undefined {
  if (value instanceof Tuple) return { code: EXT_TUPLE, content: encode([...value]) }
  if (value instanceof OrderedDict) return { code: EXT_ORDERED, content: encode(new Map(value)) }
  if (!(value instanceof PyObject) || value instanceof PyStr) return undefined
  if (value instanceof PySet) {
    const code = value instanceof PyFrozenSet ? EXT_FROZENSET : EXT_SET
    return { code, content: encode([...value.values()]) }
  }
  if (value instanceof PyDatetime) return { code: EXT_TIMESTAMP, content: Buffer.from(value.isoformat()) }
  if (value instanceof PyDate) return { code: EXT_DATE, content: Buffer.from(value.isoformat()) }
  if (value instanceof PyTime) return { code: EXT_TIME, content: Buffer.from(value.str()) }
  if (value instanceof PyTimedelta) return { code: EXT_DELTA, content: Buffer.from(String(value.total)) }
  return isIterable(value) ? [...iterate(value)] : undefined
}

export function fromExtension(code: number, content: Uint8Array, decode: (bytes: Uint8Array) => Value): Value {
  const text = (): string => Buffer.from(content).toString()
  switch (code) {
    case EXT_BIG:
      return int(BigInt(text()))
    case EXT_TUPLE:
      return tuple(decode(content) as Value[])
    case EXT_SET:
      return new PySet(decode(content) as Value[])
    case EXT_FROZENSET:
      return new PyFrozenSet(decode(content) as Value[])
    case EXT_ORDERED:
      return new OrderedDict(decode(content) as Map<Value, Value>)
    case EXT_DELTA:
      return new PyTimedelta(BigInt(text()))
    default:
      return moment(code, text())
  }
}

const MOMENT = /^(?:(\d{4})-(\d\d)-(\d\d))?T?(?:(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?([+-]\d\d:\d\d(?::\d\d)?)?)?$/

/** Parse the text of Python's `isoformat()`. */
function moment(code: number, text: string): Value {
  const match = MOMENT.exec(text)
  if (!match || ![EXT_TIMESTAMP, EXT_DATE, EXT_TIME].includes(code)) {
    throw new MsgpackError('BadExtension', `Cannot read message: extension ${code} with ${JSON.stringify(text)}`)
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  if (code === EXT_DATE) return new PyDate(year, month, day)
  const microsecond = Number((match[7] ?? '').padEnd(6, '0'))
  const time: TimeOfDay = { hour, minute, second, microsecond, offset: zoneOf(match[8]) }
  return code === EXT_TIME ? new PyTime(time) : new PyDatetime(year, month, day, time)
}

/** Seconds east of UTC. */
function zoneOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = text.slice(1).split(':').map(Number)
  const total = hours * 3600 + minutes * 60 + seconds
  return text.startsWith('-') ? -total : total
}
