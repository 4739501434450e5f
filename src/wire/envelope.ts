// The envelope of every request, and access to its fields: a byte string that happens to be valid UTF-8 arrives as
// text, so readers of bytes accept both.
import { shownText } from '../base/mod.ts'
import { type Dict, isDict, str, type Value } from '../data/mod.ts'

export const PROTOCOL_VERSION = 3

export function clearEnvelope(load: unknown): Map<string, unknown> {
  return new Map<string, unknown>([
    ['enc', 'clear'],
    ['load', load],
    ['version', PROTOCOL_VERSION],
  ])
}

/** The bytes of a field; undefined when it is neither bytes nor text. */
export function bytesOf(value: Value | undefined): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  return typeof value === 'string' ? Buffer.from(value) : undefined
}

export function textField(map: Dict, name: string): string | undefined {
  const value = map.get(name)
  return typeof value === 'string' ? value : undefined
}

/** The version of a request, 0 when it names none. */
export function requestVersion(envelope: Dict): number {
  const version = envelope.get('version')
  // NaN is below any minimum
  if (typeof version === 'number') return Number.isNaN(version) ? 0 : Math.trunc(version)
  return typeof version === 'string' && /^\s*[+-]?\d+\s*$/.test(version) ? Number(version) : 0
}

export function dictOf(value: Value | undefined): Dict | undefined {
  return value !== undefined && isDict(value) ? value : undefined
}

/** The nonce of a request. Salt sends 32 hex digits. */
export const NONCE: RegExp = /^[\dA-Za-z-]{1,64}$/

/** Return a field of a message as text for a log line, safe for any content. */
export function shownField(value: Value | undefined): string {
  if (typeof value === 'string') return shownText(value)
  if (value === undefined || value === null || typeof value !== 'object') return str(value ?? null)
  return `a value of type ${value.constructor.name}`
}

/** The maximum length of a file name. */
const LONGEST_ID = 255

/** Whether a minion may be called so: its key is a file of that name. */
export function isValidId(id: Value | undefined): id is string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') return false
  return id.length <= LONGEST_ID && !/[/\\\p{Cc}]/u.test(id)
}
