// The methods of bytes. A byte string is handled as text with one character per byte (Latin-1), so the methods of str
// can be used; only ASCII letters, digits and spaces count as such.
import {
  decodeBytes,
  iterate,
  PyError,
  Tuple,
  tuple,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { clampEdges, countArgument, namedTextArgument } from './arguments.ts'
import { method, methodTable } from './builtin.ts'
import { BYTES_HEX_METHODS } from './bytes-hex.ts'
import { isTitle } from './str-kinds.ts'
import * as search from './str-search.ts'
import { expandtabs, justify, zfill } from './str-shape.ts'
import { partition, split } from './str-split.ts'

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const toBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const toBytesList = (texts: string[]): Value[] => texts.map(toBytes)

/** A method that makes bytes of bytes and takes nothing else. */
const mapped = (body: (text: string) => string) => method('', (_rt, bytes: Uint8Array) => toBytes(body(toText(bytes))))
const tested = (pattern: RegExp) => method('', (_rt, bytes: Uint8Array) => pattern.test(toText(bytes)))

const lower = (text: string): string => text.replace(/[A-Z]+/g, (run) => run.toLowerCase())
const upper = (text: string): string => text.replace(/[a-z]+/g, (run) => run.toUpperCase())

function bytesArgument(value: Value): string {
  if (value instanceof Uint8Array) return toText(value)
  throw typeError(`a bytes-like object is required, not '${typeName(value)}'`)
}

/** Return the argument of `find` and `count`: bytes, or one byte by its number. */
function needle(value: Value): string {
  if (value instanceof Uint8Array) return toText(value)
  if (typeof value === 'bigint') throw valueError('byte must be in range(0, 256)')
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isInteger(value))) {
    const byte = Number(value)
    if (byte < 0 || byte > 255) throw valueError('byte must be in range(0, 256)')
    return String.fromCharCode(byte)
  }
  throw typeError(`argument should be integer or bytes-like object, not '${typeName(value)}'`)
}

type Search = (text: string, sub: Value, start?: Value, end?: Value) => number

const searching = (find: Search, must = false) =>
  method(
    'sub start? end?',
    (_rt, bytes: Uint8Array, sub: Value, start?: Value, end?: Value) => {
      clampEdges(bytes.length, start, end)
      const at = find(toText(bytes), needle(sub), start, end)
      if (must && at < 0) throw valueError('subsection not found')
      return at
    },
    'parsed',
  )

const affixed = (name: 'startswith' | 'endswith') =>
  method(
    'prefix start? end?',
    (_rt, bytes: Uint8Array, affix: Value, start?: Value, end?: Value) => {
      clampEdges(bytes.length, start, end)
      const text = toText(bytes)
      if (affix instanceof Tuple) {
        return affix.some((item) => search.hasAffix(name, text, bytesArgument(item), start, end))
      }
      if (!(affix instanceof Uint8Array)) {
        throw typeError(`${name} first arg must be bytes or a tuple of bytes, not ${typeName(affix)}`)
      }
      return search.hasAffix(name, text, toText(affix), start, end)
    },
    'parsed',
  )

const justified = (name: string, side: 'left' | 'right' | 'center') =>
  method('width fillchar?', (_rt, bytes: Uint8Array, width: Value, fill?: Value) => {
    countArgument(width)
    if (fill !== undefined && !(fill instanceof Uint8Array && fill.length === 1)) {
      throw typeError(`${name}() argument 2 must be a byte string of length 1, not ${typeName(fill)}`)
    }
    return toBytes(justify(toText(bytes), side, width, fill === undefined ? ' ' : toText(fill)))
  })

/** `split` or `rsplit`; without a separator at ASCII spaces only. */
function splitBytes(bytes: Uint8Array, separator: Value = null, most: Value = -1, fromEnd = false): Value[] {
  countArgument(most)
  if (separator !== null) return toBytesList(split(toText(bytes), bytesArgument(separator), most, fromEnd))
  // the other spaces of Latin-1 and the separators below 0x20 hide behind a shift to letters
  const shifted = toText(bytes).replace(/[\x1c-\x1f\x80-\xff]/g, (char) =>
    String.fromCharCode(char.charCodeAt(0) + 0x4e00),
  )
  return split(shifted, null, most, fromEnd).map((word) =>
    toBytes(word.replace(/[\u4e00-\u4eff]/g, (char) => String.fromCharCode(char.charCodeAt(0) - 0x4e00))),
  )
}

const stripping = (left: boolean, right: boolean) =>
  method('bytes?', (_rt, bytes: Uint8Array, chars: Value = null) => {
    const unwanted = new Set(chars === null ? '\t\n\v\f\r ' : bytesArgument(chars))
    const text = toText(bytes)
    let start = 0
    let end = text.length
    while (left && start < end && unwanted.has(text[start]!)) start++
    while (right && end > start && unwanted.has(text[end - 1]!)) end--
    return bytes.slice(start, end)
  })

const parted = (fromEnd: boolean) =>
  method('sep', (_rt, bytes: Uint8Array, separator: Value) => {
    const parts = partition(toText(bytes), bytesArgument(separator), fromEnd)
    return tuple(parts.map((part) => toBytes(part as string)))
  })

function joinBytes(separator: Uint8Array, items: Value): Uint8Array {
  let list: Value[]
  try {
    list = [...iterate(items)]
  } catch (error) {
    throw error instanceof PyError && error.code === 'TypeError' ? typeError('can only join an iterable') : error
  }
  const texts = list.map((item, i) => {
    if (item instanceof Uint8Array) return toText(item)
    throw typeError(`sequence item ${i}: expected a bytes-like object, ${typeName(item)} found`)
  })
  return toBytes(texts.join(toText(separator)))
}

function translateBytes(bytes: Uint8Array, table: Value, drop: Value = new Uint8Array()): Uint8Array {
  const map = table === null ? undefined : bytesArgument(table)
  if (map !== undefined && map.length !== 256) throw valueError('translation table must be 256 characters long')
  const dropped = bytesArgument(drop)
  const kept = [...toText(bytes)].filter((char) => !dropped.includes(char))
  return toBytes(kept.map((char) => (map === undefined ? char : map[char.charCodeAt(0)]!)).join(''))
}

function makeTable(from: Value, to: Value): Uint8Array {
  const [before, after] = [bytesArgument(from), bytesArgument(to)]
  if (before.length !== after.length) throw valueError('maketrans arguments must have same length')
  const table = Uint8Array.from({ length: 256 }, (_, i) => i)
  for (let i = 0; i < before.length; i++) table[before.charCodeAt(i)] = after.charCodeAt(i)
  return table
}

export const BYTES_METHODS = methodTable('bytes', {
  ...BYTES_HEX_METHODS,
  decode: method(
    'encoding? errors?',
    (_rt, bytes: Uint8Array, encoding?: Value, errors?: Value) =>
      decodeBytes(
        bytes,
        encoding === undefined ? undefined : namedTextArgument(encoding, "decode() argument 'encoding'"),
        errors === undefined ? undefined : namedTextArgument(errors, "decode() argument 'errors'"),
      ),
    'keywords',
  ),

  capitalize: mapped((text) => upper(text.slice(0, 1)) + lower(text.slice(1))),
  lower: mapped(lower),
  swapcase: mapped((text) => text.replace(/[a-z]/gi, (char) => (char < 'a' ? char.toLowerCase() : char.toUpperCase()))),
  title: mapped((text) => text.replace(/[a-z]+/gi, (word) => upper(word.slice(0, 1)) + lower(word.slice(1)))),
  upper: mapped(upper),

  isalnum: tested(/^[a-z\d]+$/i),
  isalpha: tested(/^[a-z]+$/i),
  isascii: tested(/^[\0-\x7f]*$/),
  isdigit: tested(/^\d+$/),
  islower: tested(/^[^A-Z]*[a-z][^A-Z]*$/),
  isspace: tested(/^[\t-\r ]+$/),
  istitle: method('', (_rt, bytes: Uint8Array) => isTitle(toText(bytes).replace(/[\x80-\xff]/g, '.'))),
  isupper: tested(/^[^a-z]*[A-Z][^a-z]*$/),

  count: searching(search.count),
  find: searching(search.find),
  index: searching(search.find, true),
  rfind: searching(search.rfind),
  rindex: searching(search.rfind, true),
  startswith: affixed('startswith'),
  endswith: affixed('endswith'),

  center: justified('center', 'center'),
  ljust: justified('ljust', 'left'),
  rjust: justified('rjust', 'right'),
  zfill: method('width', (_rt, bytes: Uint8Array, width: Value) => toBytes(zfill(toText(bytes), width))),
  expandtabs: method(
    'tabsize?',
    (_rt, bytes: Uint8Array, size?: Value) => toBytes(expandtabs(toText(bytes), size)),
    'keywords',
  ),

  join: method('iterable_of_bytes', (_rt, bytes, items) => joinBytes(bytes, items)),
  partition: parted(false),
  rpartition: parted(true),
  split: method('sep? maxsplit?', (_rt, bytes, sep, most) => splitBytes(bytes, sep, most), 'keywords'),
  rsplit: method('sep? maxsplit?', (_rt, bytes, sep, most) => splitBytes(bytes, sep, most, true), 'keywords'),
  splitlines: method(
    'keepends?',
    (_rt, bytes: Uint8Array, keep: Value = false) => {
      const lines = toText(bytes).match(/[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+$/g) ?? []
      return toBytesList(countArgument(keep) !== 0 ? lines : lines.map((line) => line.replace(/[\r\n]+$/, '')))
    },
    'keywords',
  ),
  replace: method('old new count?', (_rt, bytes: Uint8Array, before: Value, after: Value, most?: Value) =>
    toBytes(search.replace(toText(bytes), bytesArgument(before), bytesArgument(after), most)),
  ),
  strip: stripping(true, true),
  lstrip: stripping(true, false),
  rstrip: stripping(false, true),
  removeprefix: method('prefix', (_rt, bytes: Uint8Array, prefix: Value) => {
    const [text, unwanted] = [toText(bytes), bytesArgument(prefix)]
    return text.startsWith(unwanted) ? bytes.slice(unwanted.length) : bytes.slice()
  }),
  removesuffix: method('suffix', (_rt, bytes: Uint8Array, suffix: Value) => {
    const [text, unwanted] = [toText(bytes), bytesArgument(suffix)]
    return text.endsWith(unwanted) ? bytes.slice(0, bytes.length - unwanted.length) : bytes.slice()
  }),
  translate: method('table delete?', (_rt, bytes, table, drop) => translateBytes(bytes, table, drop), 'keywords'),
  maketrans: method('frm to', (_rt, _bytes, from, to) => makeTable(from, to)),
})
