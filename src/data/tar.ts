// The headers of tar archives (POSIX 1003.1 ustar, with pax records for long names and large files). Only files, directories and
// symbolic links have a meaning here; readers refuse everything else.
import { BrineError } from '../base/mod.ts'

export const TAR_BLOCK = 512

export type TarKind = 'file' | 'directory' | 'link'

export interface TarEntry {
  path: string
  kind: TarKind
  size: number
  mode: number
  /** Seconds since 1970. */
  mtime: number
  /** The target of a link. */
  link?: string
}

/** A parsed header block. `special`: the kind of a block that is no entry of its own. */
export interface TarHead extends Omit<TarEntry, 'kind'> {
  kind: TarKind | 'pax' | 'pax-global' | 'long-name' | 'long-link' | 'other'
  /** The letter of the type. */
  type: string
}

const KINDS: Readonly<Record<string, TarHead['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '5': 'directory',
  '2': 'link',
  x: 'pax',
  g: 'pax-global',
  L: 'long-name',
  K: 'long-link',
}

const LETTERS: Readonly<Record<TarKind, string>> = { file: '0', directory: '5', link: '2' }

const LARGEST_OCTAL = 0o77777777777

/** Return how many bytes follow the body of an entry to fill its last block. */
export const tarPadding = (size: number): number => (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK

/** Return the header of an entry: one block, or three or more with a pax record. */
export function tarHead(entry: TarEntry): Buffer {
  const records: string[] = []
  const [path, link] = [Buffer.from(entry.path), Buffer.from(entry.link ?? '')]
  if (path.length > 100) records.push(paxRecord('path', entry.path))
  if (link.length > 100) records.push(paxRecord('linkpath', entry.link!))
  if (entry.size > LARGEST_OCTAL) records.push(paxRecord('size', String(entry.size)))
  const own = block(entry, LETTERS[entry.kind], path, link)
  if (records.length === 0) return own
  const body = Buffer.from(records.join(''))
  const head = block({ ...entry, size: body.length }, 'x', Buffer.from('pax'), Buffer.alloc(0))
  return Buffer.concat([head, body, Buffer.alloc(tarPadding(body.length)), own])
}

function block({ size, mode, mtime }: TarEntry, type: string, path: Buffer, link: Buffer): Buffer {
  const bytes = Buffer.alloc(TAR_BLOCK)
  const octal = (value: number, at: number, digits: number): void => {
    bytes.write(value.toString(8).padStart(digits, '0'), at, 'latin1')
  }
  path.copy(bytes, 0, 0, 100)
  octal(mode & 0o7777, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(Math.min(size, LARGEST_OCTAL), 124, 11)
  octal(Math.min(Math.max(0, Math.floor(mtime)), LARGEST_OCTAL), 136, 11)
  bytes.fill(' ', 148, 156)
  bytes.write(type, 156, 'latin1')
  link.copy(bytes, 157, 0, 100)
  bytes.write('ustar\x0000', 257, 'latin1')
  octal(checksum(bytes), 148, 6)
  bytes[154] = 0
  return bytes
}

function paxRecord(name: string, value: string): string {
  const rest = Buffer.byteLength(` ${name}=${value}\n`)
  let length = rest + String(rest).length
  if (rest + String(length).length > length) length++
  return `${length} ${name}=${value}\n`
}

function checksum(bytes: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < TAR_BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : bytes[at]!
  return sum
}

/** Read a header block; undefined for a block of zeros, which ends an archive. */
export function readTarHead(bytes: Buffer): TarHead | undefined {
  if (bytes.every((byte) => byte === 0)) return undefined
  if (number(bytes, 148, 8) !== checksum(bytes))
    throw new BrineError('BadArchive', 'A header of the archive is damaged')
  const type = bytes.toString('latin1', 156, 157)
  const prefix = bytes.toString('latin1', 257, 262) === 'ustar' ? text(bytes, 345, 155) : ''
  const name = text(bytes, 0, 100)
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    type,
    kind: Object.hasOwn(KINDS, type) ? KINDS[type]! : 'other',
    size: number(bytes, 124, 12),
    mode: number(bytes, 100, 8),
    mtime: number(bytes, 136, 12),
    link: text(bytes, 157, 100),
  }
}

function text(bytes: Buffer, at: number, length: number): string {
  const end = bytes.indexOf(0, at)
  return bytes.toString('utf8', at, end < 0 || end > at + length ? at + length : end)
}

function number(bytes: Buffer, at: number, length: number): number {
  // large numbers are binary, with the first bit set
  if (bytes[at]! >= 0x80) {
    let value = 0
    for (let index = at + 1; index < at + length; index++) value = value * 256 + bytes[index]!
    if (Number.isSafeInteger(value)) return value
  }
  const digits = text(bytes, at, length).trim()
  if (!/^[0-7]*$/.test(digits)) throw new BrineError('BadArchive', 'A number in a header of the archive is damaged')
  return Number.parseInt(digits || '0', 8)
}

/** Read pax records. */
export function readPax(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.toString('latin1', at, space))
    if (space < 0 || !Number.isInteger(length) || length < 5 || at + length > bytes.length) {
      throw new BrineError('BadArchive', 'A pax record of the archive is damaged')
    }
    const [, name = '', value = ''] = /^([^=]*)=([\s\S]*)\n$/.exec(bytes.toString('utf8', space + 1, at + length)) ?? []
    records.set(name, value)
    at += length
  }
  return records
}
