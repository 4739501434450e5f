// Anchors, aliases and tags before a node.
import { CLASS, isBlankz, isHex, isWord, URI } from './chars.ts'
import type { Cursor } from './cursor.ts'

export interface ScannedTag {
  /** `!`, `!!` or `!name!`; empty for a tag given in full. */
  handle: string
  suffix: string
}

/** Scans from `&` or `*`. */
export function scanAnchor(cursor: Cursor): string {
  const { text, line, column } = cursor
  const context = text.charCodeAt(cursor.pos) === 38 ? 'while scanning an anchor' : 'while scanning an alias'
  const name = scanWord(cursor, cursor.pos + 1)
  const c = text.charCodeAt(cursor.pos)
  if (name === '' || !(isBlankz(c) || '?:,]}%@`'.includes(String.fromCharCode(c)))) {
    cursor.fail(context, line, column, 'did not find expected alphabetic or numeric character')
  }
  return name
}

/** The letters, digits, `-` and `_` from `from` on. */
export function scanWord(cursor: Cursor, from: number): string {
  const { text } = cursor
  let pos = from
  while (isWord(text.charCodeAt(pos))) pos++
  cursor.pos = pos
  return text.slice(from, pos)
}

/** Scans from `!`. */
export function scanTag(cursor: Cursor, flow: boolean): ScannedTag {
  const { text, line, column } = cursor
  const tag = text.charCodeAt(cursor.pos + 1) === 60 ? scanVerbatimTag(cursor) : scanShortTag(cursor)
  const c = text.charCodeAt(cursor.pos)
  if (!isBlankz(c) && !(flow && c === 44)) {
    cursor.fail('while scanning a tag', line, column, 'did not find expected whitespace or line break')
  }
  return tag
}

/** `!<tag:example.com,2024:x>`. */
function scanVerbatimTag(cursor: Cursor): ScannedTag {
  const { line, column } = cursor
  cursor.pos += 2
  const suffix = scanUri(cursor, { context: 'while parsing a tag', line, column, verbatim: true, head: '' })
  if (cursor.text.charCodeAt(cursor.pos) !== 62) {
    cursor.fail('while scanning a tag', line, column, "did not find the expected '>'")
  }
  cursor.pos++
  return { handle: '', suffix }
}

/** `!name`, `!!name` or `!handle!name`; a lone `!` has no handle. */
function scanShortTag(cursor: Cursor): ScannedTag {
  const { line, column } = cursor
  const handle = scanHandle(cursor)
  const isHandle = handle.length > 1 && handle.endsWith('!')
  const head = isHandle ? '' : handle
  const suffix = scanUri(cursor, { context: 'while parsing a tag', line, column, verbatim: false, head })
  if (isHandle) return { handle, suffix }
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix }
}

/** Scan `!`, the following word and another `!` if there is one. */
export function scanHandle(cursor: Cursor): string {
  const from = cursor.pos
  scanWord(cursor, from + 1)
  if (cursor.text.charCodeAt(cursor.pos) === 33) cursor.pos++
  return cursor.text.slice(from, cursor.pos)
}

export interface UriScan {
  context: string
  line: number
  column: number
  /** Whether commas and brackets belong to it. */
  verbatim: boolean
  /** The part that was scanned as a handle, with its `!`. */
  head: string
}

export function scanUri(cursor: Cursor, scan: UriScan): string {
  const { text } = cursor
  let uri = scan.head.slice(1)
  let from = cursor.pos
  const start = from
  for (;;) {
    const c = text.charCodeAt(cursor.pos)
    if (c === 37) {
      uri += text.slice(from, cursor.pos) + scanUriEscape(cursor, scan)
      from = cursor.pos
    } else if (isUriChar(c, scan.verbatim)) cursor.pos++
    else break
  }
  if (cursor.pos === start && scan.head === '') {
    cursor.fail(scan.context, scan.line, scan.column, 'did not find expected tag URI')
  }
  uri += text.slice(from, cursor.pos)
  const nul = uri.indexOf('\0')
  return nul < 0 ? uri : uri.slice(0, nul)
}

const isUriChar = (c: number, verbatim: boolean): boolean =>
  (c < 128 && (CLASS[c]! & URI) !== 0) || (verbatim && (c === 44 || c === 91 || c === 93))

/** One character written as `%` octets of its UTF-8. */
function scanUriEscape(cursor: Cursor, scan: UriScan): string {
  const { text } = cursor
  const fail = (problem: string): never => cursor.fail(scan.context, scan.line, scan.column, problem)
  const octets: number[] = []
  let width = 0
  do {
    const { pos } = cursor
    if (text.charCodeAt(pos) !== 37 || !isHex(text.charCodeAt(pos + 1)) || !isHex(text.charCodeAt(pos + 2))) {
      fail('did not find URI escaped octet')
    }
    const octet = Number.parseInt(text.slice(pos + 1, pos + 3), 16)
    if (octets.length === 0) {
      width = octet < 0x80 ? 1 : (octet & 0xe0) === 0xc0 ? 2 : (octet & 0xf0) === 0xe0 ? 3 : octet < 0xf8 ? 4 : 0
      if (width === 0 || (octet & 0xc0) === 0x80) fail('found an incorrect leading UTF-8 octet')
    } else if ((octet & 0xc0) !== 0x80) fail('found an incorrect trailing UTF-8 octet')
    octets.push(octet)
    cursor.pos += 3
  } while (octets.length < width)
  return Buffer.from(octets).toString('utf8')
}
