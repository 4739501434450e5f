// Prepares the input for scanning: decodes it, removes the byte order mark, and checks that YAML allows every
// character. libyaml reads 16 KiB at a time, so a later invalid character is reported only when scanning reaches it.
import { encodeText, splitLines } from '../../data/mod.ts'
import { readerError, type YamlError } from '../errors.ts'
import { type Decoded, decodeSource, type Fault } from './decode.ts'

export interface Source {
  /** The name in messages. */
  name: string
  /** The text, with NULs at its end for the scanner to run into. */
  text: string
  /** Whether it holds surrogate pairs. */
  wide: boolean
  /** The text goes on behind its last character, but reading that fails so. */
  broken?: YamlError
}

/** As many as the scanner looks ahead. */
export const END = '\0\0\0\0'
const NOT_ALLOWED = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/
const SURROGATE = /[\ud800-\udfff]/
const BYTE_ORDER_MARK = 0xfeff
const CHUNK = 16384

export function openSource(input: string | Uint8Array, name?: string): Source {
  if (typeof input === 'string') {
    // throws for a lone surrogate: it has no UTF-8, which libyaml reads
    if (SURROGATE.test(input)) encodeText(input)
    return openText({ text: input }, name ?? '<unicode string>')
  }
  return openText(decodeSource(input), name ?? '<byte string>')
}

function openText(decoded: Decoded, name: string): Source {
  const marked = decoded.text.charCodeAt(0) === BYTE_ORDER_MARK && decoded.unitBytes === undefined
  const text = marked ? decoded.text.slice(1) : decoded.text
  const fault = unwantedCharacter(text, marked ? 3 : 0, decoded.unitBytes) ?? decoded.fault
  const wide = SURROGATE.test(text)
  if (!fault) return { name, text: text + END, wide }
  const broken = readerError(name, fault.value, fault.reason, fault.offset, fault.line)
  const readable = fault.atEnd ? text : textBefore(text, fault.offset, decoded.unitBytes)
  if (readable === undefined) throw broken
  return { name, text: readable + END, wide, broken }
}

function unwantedCharacter(text: string, skipped: number, unitBytes: number | undefined): Fault | undefined {
  const at = text.search(NOT_ALLOWED)
  if (at < 0) return undefined
  const offset = unitBytes === undefined ? Buffer.byteLength(text.slice(0, at)) + skipped : (at + 1) * unitBytes
  return { offset, value: text.charCodeAt(at), reason: 'control characters are not allowed', line: lineAt(text, at) }
}

const lineAt = (text: string, index: number): number => splitLines(text.slice(0, index + 1)).length

/** The text before the chunk that has the fault; undefined for the first chunk, which is read before anything else. */
function textBefore(text: string, offset: number, unitBytes: number | undefined): string | undefined {
  if (offset < CHUNK) return undefined
  if (unitBytes !== undefined) return text.slice(0, (Math.floor(offset / CHUNK) * CHUNK) / unitBytes - 1)
  const bytes = Buffer.from(text)
  let start = 0
  for (;;) {
    let end = Math.min(start + CHUNK, bytes.length)
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
    if (offset < end || end === bytes.length) break
    start = end
  }
  return start === 0 ? undefined : bytes.toString('utf8', 0, start)
}
