// Results as recordings write them: times, process ids and the like replaced by names, tracebacks without their frames.
import { Float, type PyObject, PySet, str, type Value } from '../../../src/data/mod.ts'
import type { Json } from '../area.ts'

/** A value as plain JSON: keys are text, tuples are lists, bytes are text. */
export function asJson(value: Value): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number')
    return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Float) return value.value
  if (value instanceof Uint8Array) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(value)
  if (Array.isArray(value)) return value.map(asJson)
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, item]) => [keyText(key), asJson(item)]))
  if (value instanceof PySet) return [...value.values()].map(asJson)
  return str(value as PyObject)
}

const keyText = (key: Value): string => (typeof key === 'string' ? key : str(key))

export function asValue(json: Json): Value {
  if (Array.isArray(json)) return json.map(asValue)
  if (json === null || typeof json !== 'object') return json
  return new Map(Object.entries(json).map(([key, value]) => [key, asValue(value)]))
}

const NAMED: Readonly<Record<string, string>> = { start_time: '<TIME>', duration: '<DURATION>', inode: '<INODE>' }
const TIMES = new Set(['atime', 'mtime', 'ctime'])

export function normalised(json: Json, key = ''): Json {
  if (key in NAMED && (typeof json === 'string' || typeof json === 'number')) return NAMED[key]!
  if (typeof json === 'number') {
    if (key === 'pid' && json !== 0) return '<PID>'
    return TIMES.has(key) ? '<TIMESTAMP>' : json
  }
  if (typeof json === 'string') return normalisedText(json, key)
  if (Array.isArray(json)) return json.map((item) => normalised(item))
  if (json === null || typeof json !== 'object') return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [normalisedText(name, ''), normalised(value, name)]),
  )
}

const HEAD = 'Traceback (most recent call last):\n'
/** From the first frame to the last one, even of another traceback. */
const FRAMES = /Traceback \(most recent call last\):\n(?:[\s\S]*\n)?(?: {2}File "[^\n]*\n)(?: {4}[^\n]*\n)*/

function normalisedText(text: string, key: string): string {
  if (key === 'jid') return '<JID>'
  const plain = text
    .replace(/\b20\d{18}\b/g, '<JID>')
    .replace(/\/[^\s'"]*__salt\.tmp\.[\w.-]+/g, '<TMPFILE>')
    .replace(/\b0x[0-9a-f]{6,}\b/g, '0x<ADDR>')
  if (!plain.includes(HEAD)) return plain
  return plain.replace(FRAMES.test(plain) ? FRAMES : HEAD, `${HEAD}<TRACEBACK>\n`).trimEnd()
}
