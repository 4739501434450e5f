// Zip archives: the directory at their end, and the data of one member.
import { inflateRawSync } from 'node:zlib'
import { decodeBytes } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export interface ZipMember {
  name: string
  /** Unix permissions and file type, or 0. */
  mode: number
  encrypted: boolean
  method: number
  packed: number
  offset: number
}

/** The upper half of code page 437, in which names are written unless a flag says UTF-8. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ '

const oldText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : CP437[byte - 128]!)).join('')

/** The error of data that is not a zip archive. */
export class ZipError extends Error {}

const END = 0x06054b50
const ENTRY = 0x02014b50
const TAIL = 22 + 0xffff

export async function readZip(ctx: FunctionContext, path: string): Promise<ZipMember[]> {
  // a missing file is the system's error, not one of the format
  const size = (await ctx.host.stat(path))?.size ?? (await ctx.host.read(path)).length
  const from = Math.max(0, size - TAIL)
  const tail = Buffer.from(await ctx.host.read(path, { offset: from, length: size - from }))
  const at = tail.lastIndexOf(Buffer.from('504b0506', 'hex'))
  if (at < 0 || tail.length - at < 22 || tail.readUInt32LE(at) !== END) throw new ZipError('File is not a zip file')
  const length = tail.readUInt32LE(at + 12)
  const start = tail.readUInt32LE(at + 16)
  const directory = Buffer.from(await ctx.host.read(path, { offset: start, length }))
  return entries(directory)
}

function entries(directory: Buffer): ZipMember[] {
  const members: ZipMember[] = []
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === ENTRY; ) {
    const flags = directory.readUInt16LE(at + 8)
    const nameLength = directory.readUInt16LE(at + 28)
    const rest = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    const name = directory.subarray(at + 46, at + 46 + nameLength)
    members.push({
      name: flags & 0x800 ? decodeBytes(name) : oldText(name),
      mode: directory.readUInt16LE(at + 40),
      encrypted: (flags & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      packed: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    })
    at += 46 + nameLength + rest
  }
  return members
}

export async function zipData(ctx: FunctionContext, path: string, member: ZipMember): Promise<Uint8Array> {
  const header = Buffer.from(await ctx.host.read(path, { offset: member.offset, length: 30 }))
  const skip = 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed = await ctx.host.read(path, { offset: member.offset + skip, length: member.packed })
  if (member.method === 0) return packed
  if (member.method === 8) return inflateRawSync(packed)
  throw new ZipError('That compression method is not supported')
}

const TYPE = 0o170000
export const isZipLink = ({ mode }: ZipMember): boolean => (mode & TYPE) === 0o120000
export const isZipDirectory = ({ mode }: ZipMember): boolean => (mode & TYPE) === 0o040000
