// From what the caller has to the text that is scanned: decoded, its byte order mark gone, every character one that
// YAML allows. libyaml reads 16 KiB at a time, so a bad character further on is found only when scanning gets there.
import { PyError } from '../../data/mod.ts'
import { readerError, type YamlError } from '../errors.ts'
import { decodeBytes, type Fault } from './decode.ts'

export interface Source {
  /** What messages call it. */
  name: string
  /** The text, with NULs at its end for the scanner to run into. */
  text: string
  /** Whether it holds surrogate pairs. */
  wide: boolean
  /** The text goes on behind its last character, but reading that fails so. */
  broken?: YamlError
}

/** As many as the scanner ever looks ahead. */
export const END = '\0\0\0\0'
const NOT_ALLOWED = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/
const SURROGATE = /[\ud800-\udfff]/
const LONE_SURROGATES = /\p{Surrogate}+/u
const BYTE_ORDER_MARK = 0xfeff
const CHUNK = 16384

export function openSource(input: string | Uint8Array, name?: string): Source {
  if (typeof input === 'string') {
    if (SURROGATE.test(input)) refuseLoneSurrogates(input)
    return openText(input, name ?? '<unicode string>')
  }
  const { text, fault } = decodeBytes(input)
  return openText(text, name ?? '<byte string>', fault)
}

function openText(input: string, name: string, decodingFault?: Fault): Source {
  const marked = input.charCodeAt(0) === BYTE_ORDER_MARK
  const text = marked ? input.slice(1) : input
  const fault = unwantedCharacter(text, marked ? 3 : 0) ?? decodingFault
  const wide = SURROGATE.test(text)
  if (!fault) return { name, text: text + END, wide }
  const error = readerError(name, fault.value, fault.reason, fault.offset)
  return { name, text: readableBefore(text, fault.offset, error) + END, wide, broken: error }
}

function unwantedCharacter(text: string, skipped: number): Fault | undefined {
  const at = text.search(NOT_ALLOWED)
  if (at < 0) return undefined
  return {
    offset: Buffer.byteLength(text.slice(0, at)) + skipped,
    value: text.charCodeAt(at),
    reason: 'control characters are not allowed',
  }
}

/** The text before the chunk that has the fault; throws for the first chunk, which is read before anything else. */
function readableBefore(text: string, offset: number, error: YamlError): string {
  const bytes = Buffer.from(text)
  let start = 0
  for (;;) {
    let end = Math.min(start + CHUNK, bytes.length)
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
    if (offset < end || end === bytes.length) break
    start = end
  }
  if (start === 0) throw error
  return bytes.toString('utf8', 0, start)
}

function refuseLoneSurrogates(text: string): void {
  const found = LONE_SURROGATES.exec(text)
  if (!found) return
  const start = [...text.slice(0, found.index)].length
  const count = found[0].length
  const what =
    count === 1
      ? `character '\\u${found[0].charCodeAt(0).toString(16)}' in position ${start}`
      : `characters in position ${start}-${start + count - 1}`
  throw new PyError('UnicodeEncodeError', `'utf-8' codec can't encode ${what}: surrogates not allowed`)
}
