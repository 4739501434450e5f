// `str.encode` and `bytes.decode`: the encodings people use in templates, Python's error handlers and error texts.
import { isUtf8 } from 'node:buffer'
import { type Codec, codecOf, type Endian } from './codec-names.ts'
import { PyError } from './errors.ts'

interface Fault {
  start: number
  end: number
  reason: string
}

/** `text.encode(encoding, errors)`. */
export function encodeText(text: string, encoding = 'utf-8', errors = 'strict'): Uint8Array {
  const codec = codecOf(encoding, 'encode')
  const mark = 'marked' in codec && codec.marked ? '\ufeff' : ''
  if (codec.kind === 'utf-8' && !LONE_SURROGATE.test(text)) return new Uint8Array(Buffer.from(mark + text))
  const bytes: number[] = []
  for (const char of mark) bytes.push(...encodeChar(codec, char)!)
  const chars = Array.from(text)
  for (let at = 0; at < chars.length; at++) {
    const encoded = encodeChar(codec, chars[at]!)
    if (encoded !== undefined) {
      for (const byte of encoded) bytes.push(byte)
      continue
    }
    let end = at + 1
    if (codec.kind !== 'units') while (end < chars.length && encodeChar(codec, chars[end]!) === undefined) end++
    for (const byte of encodeFault(codec, chars.slice(at, end), at, errors)) bytes.push(byte)
    at = end - 1
  }
  return Uint8Array.from(bytes)
}

const LONE_SURROGATE = /\p{Surrogate}/u

function encodeChar(codec: Codec, char: string): readonly number[] | undefined {
  const code = char.codePointAt(0)!
  switch (codec.kind) {
    case 'narrow':
      return code < codec.limit ? [code] : undefined
    case 'table': {
      const byte = codec.chars.indexOf(char)
      return byte < 0 ? undefined : [byte]
    }
    case 'utf-8':
      return LONE_SURROGATE.test(char) ? undefined : [...Buffer.from(char)]
    case 'units':
      return LONE_SURROGATE.test(char) ? undefined : encodeUnits(codec.size, codec.endian, code)
  }
}

function encodeUnits(size: 2 | 4, endian: Endian, code: number): number[] {
  if (size === 2 && code > 0xffff) {
    const high = 0xd800 + ((code - 0x10000) >> 10)
    return [...encodeUnits(2, endian, high), ...encodeUnits(2, endian, 0xdc00 + (code & 0x3ff))]
  }
  const bytes = Array.from({ length: size }, (_, i) => (code >>> (8 * i)) & 0xff)
  return endian === 'le' ? bytes : bytes.reverse()
}

/** Return the replacement for characters that the codec cannot encode. */
function encodeFault(codec: Codec, bad: string[], at: number, errors: string): number[] {
  const plain = (text: string): number[] => Array.from(text).flatMap((char) => [...encodeChar(codec, char)!])
  switch (errors) {
    case 'ignore':
      return []
    case 'replace':
      return plain('?'.repeat(bad.length))
    case 'xmlcharrefreplace':
      return plain(bad.map((char) => `&#${char.codePointAt(0)};`).join(''))
    case 'backslashreplace':
      return plain(bad.map(backslashed).join(''))
    case 'surrogateescape': {
      if (codec.kind === 'units') break
      const firstOther = bad.findIndex((char) => !/[\udc80-\udcff]/.test(char))
      if (firstOther < 0) return bad.map((char) => char.charCodeAt(0) - 0xdc00)
      if (codec.kind === 'table') break
      throw encodeError(codec, bad.slice(firstOther), at + firstOther)
    }
    case 'surrogatepass':
      if (codec.kind === 'units') return encodeUnits(codec.size, codec.endian, bad[0]!.charCodeAt(0))
      if (codec.kind === 'utf-8') return bad.flatMap(surrogateBytes)
      break
    case 'strict':
      break
    default:
      throw new PyError('LookupError', `unknown error handler name '${errors}'`)
  }
  throw encodeError(codec, bad, at)
}

function encodeError(codec: Codec, bad: string[], at: number): PyError {
  const where =
    bad.length === 1
      ? `character '${backslashed(bad[0]!)}' in position ${at}`
      : `characters in position ${at}-${at + bad.length - 1}`
  return new PyError('UnicodeEncodeError', `'${codec.name}' codec can't encode ${where}: ${encodeReason(codec)}`)
}

function encodeReason(codec: Codec): string {
  if (codec.kind === 'narrow') return `ordinal not in range(${codec.limit})`
  return codec.kind === 'table' ? 'character maps to <undefined>' : 'surrogates not allowed'
}

function backslashed(char: string): string {
  const code = char.codePointAt(0)!
  const hex = code.toString(16)
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** The three bytes UTF-8 would give a surrogate if it allowed one. */
function surrogateBytes(char: string): number[] {
  const code = char.charCodeAt(0)
  return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]
}

/** Return bytes as text if they are valid UTF-8, else the bytes. */
export function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : bytes
}

/** `bytes.decode(encoding, errors)`. */
export function decodeBytes(bytes: Uint8Array, encoding = 'utf-8', errors = 'strict'): string {
  const codec = codecOf(encoding, 'decode')
  switch (codec.kind) {
    case 'utf-8': {
      const body =
        codec.marked && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
      return isUtf8(body) ? Buffer.from(body).toString() : decodeWith(body, codec.name, errors, utf8Step)
    }
    case 'narrow':
      return decodeWith(bytes, codec.name, errors, (at) =>
        bytes[at]! < codec.limit
          ? [String.fromCharCode(bytes[at]!), 1]
          : { start: at, end: at + 1, reason: `ordinal not in range(${codec.limit})` },
      )
    case 'table':
      return decodeWith(bytes, codec.name, errors, (at) => {
        const char = codec.chars[bytes[at]!]
        return char === undefined ? { start: at, end: at + 1, reason: 'character maps to <undefined>' } : [char, 1]
      })
    case 'units':
      return decodeUnits(bytes, codec.size, codec.endian, codec.marked, errors)
  }
}

/** Decodes one character at a position: its text and length in bytes, or the error. */
type Step = (at: number, bytes: Uint8Array) => [text: string, length: number] | Fault

function decodeWith(bytes: Uint8Array, name: string, errors: string, step: Step, start = 0): string {
  let out = ''
  for (let at = start; at < bytes.length; ) {
    const read = step(at, bytes)
    if (Array.isArray(read)) {
      out += read[0]
      at += read[1]
    } else {
      out += decodeFault(bytes, name, read, errors)
      at = read.end
    }
  }
  return out
}

function decodeFault(bytes: Uint8Array, name: string, { start, end, reason }: Fault, errors: string): string {
  const bad = [...bytes.subarray(start, end)]
  switch (errors) {
    case 'ignore':
      return ''
    case 'replace':
      return '\ufffd'
    case 'backslashreplace':
      return bad.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
    case 'surrogateescape':
      if (bad.every((byte) => byte >= 0x80)) return String.fromCharCode(...bad.map((byte) => 0xdc00 + byte))
      break
    case 'strict':
    case 'surrogatepass':
      break
    default:
      throw new PyError('LookupError', `unknown error handler name '${errors}'`)
  }
  const where =
    end - start === 1
      ? `byte 0x${bad[0]!.toString(16).padStart(2, '0')} in position ${start}`
      : `bytes in position ${start}-${end - 1}`
  throw new PyError('UnicodeDecodeError', `'${name}' codec can't decode ${where}: ${reason}`)
}

const utf8Step: Step = (at, bytes) => {
  const first = bytes[at]!
  if (first < 0x80) return [String.fromCharCode(first), 1]
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4) return { start: at, end: at + 1, reason: 'invalid start byte' }
  // the second byte's range depends on the first: no overlong forms, no surrogates, nothing past U+10FFFF
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) return { start: at, end: at + i, reason: 'unexpected end of data' }
    if (byte < (i === 1 ? low : 0x80) || byte > (i === 1 ? high : 0xbf)) {
      return { start: at, end: at + i, reason: 'invalid continuation byte' }
    }
  }
  return [Buffer.from(bytes.subarray(at, at + length)).toString(), length]
}

function decodeUnits(bytes: Uint8Array, size: 2 | 4, endian: Endian, marked: boolean, errors: string): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const unit = (at: number, little: boolean): number =>
    size === 2 ? view.getUint16(at, little) : view.getUint32(at, little)
  let little = endian === 'le'
  let start = 0
  if (marked && bytes.length >= size) {
    const first = unit(0, true)
    const swapped = size === 2 ? 0xfffe : 0xfffe0000
    if (first === 0xfeff || first === swapped) {
      little = first === 0xfeff
      start = size
    }
  }
  const name = `utf-${size * 8}-${little ? 'le' : 'be'}`
  const step: Step = (at) => {
    if (at + size > bytes.length) return { start: at, end: bytes.length, reason: 'truncated data' }
    const code = unit(at, little)
    if (size === 4) {
      if (code > 0x10ffff) return { start: at, end: at + 4, reason: 'code point not in range(0x110000)' }
      if (code >= 0xd800 && code < 0xe000) {
        return { start: at, end: at + 4, reason: 'code point in surrogate code point range(0xd800, 0xe000)' }
      }
      return [String.fromCodePoint(code), 4]
    }
    if (code < 0xd800 || code >= 0xe000) return [String.fromCharCode(code), 2]
    if (code >= 0xdc00) return { start: at, end: at + 2, reason: 'illegal encoding' }
    if (at + 4 > bytes.length) return { start: at, end: bytes.length, reason: 'unexpected end of data' }
    const next = unit(at + 2, little)
    if (next < 0xdc00 || next >= 0xe000) return { start: at, end: at + 2, reason: 'illegal UTF-16 surrogate' }
    return [String.fromCharCode(code, next), 4]
  }
  return decodeWith(bytes, name, errors, step, start)
}
