// The members of a tar archive, read as a stream: only headers are kept, so size does not matter. Long names of GNU and
// of POSIX (pax) are understood.
import { decodeBytes } from '../../../../data/mod.ts'

export interface TarMember {
  name: string
  type: 'file' | 'directory' | 'link'
}

/** The error of data that is not a tar archive. */
export class TarError extends Error {}

const BLOCK = 512

/** A stream that is read in requested amounts of bytes. */
class Reader {
  private readonly pieces: AsyncIterator<Uint8Array>
  private held: Buffer = Buffer.alloc(0)

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.pieces = pieces[Symbol.asyncIterator]()
  }

  /** Return a number of bytes; fewer only at the end. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let missing = count
    for (;;) {
      const part = this.held.subarray(0, missing)
      this.held = this.held.subarray(part.length)
      parts.push(part)
      missing -= part.length
      if (missing === 0 || !(await this.more())) return Buffer.concat(parts)
    }
  }

  async skip(count: number): Promise<void> {
    let left = count
    while (left > this.held.length) {
      left -= this.held.length
      if (!(await this.more())) return
    }
    this.held = this.held.subarray(left)
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.pieces.next()
    this.held = done ? Buffer.alloc(0) : Buffer.from(value)
    return !done
  }

  async end(): Promise<void> {
    await this.pieces.return?.()
  }
}

const textAt = (block: Buffer, from: number, length: number): string => {
  const field = block.subarray(from, from + length)
  const end = field.indexOf(0)
  return decodeBytes(end < 0 ? field : field.subarray(0, end), 'utf-8', 'surrogateescape')
}

/** Parse a number: octal text, or binary for large ones. */
function numberAt(block: Buffer, from: number, length: number): number {
  if (block[from]! & 0x80) return Number(block.subarray(from + 1, from + length).readUIntBE(length - 7, 6))
  const text = textAt(block, from, length).trim()
  return text === '' ? 0 : Number.parseInt(text, 8)
}

function hasChecksum(block: Buffer): boolean {
  let sum = 0
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : block[i]!
  return sum === numberAt(block, 148, 8)
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK

/** Parse the `length key=value` lines of a pax header. */
function paxPath(data: Buffer): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(decodeBytes(data, 'utf-8', 'surrogateescape'))?.[1]
}

export async function readTar(pieces: AsyncIterable<Uint8Array>): Promise<TarMember[]> {
  const reader = new Reader(pieces)
  const members: TarMember[] = []
  let longName: string | undefined
  try {
    for (let first = true; ; first = false) {
      const block = await reader.take(BLOCK)
      if (block.length < BLOCK || block.every((byte) => byte === 0)) {
        if (first && block.length < BLOCK) throw new TarError('file could not be opened successfully')
        return members
      }
      if (!hasChecksum(block)) {
        if (first) throw new TarError('file could not be opened successfully')
        return members
      }
      const size = numberAt(block, 124, 12)
      const flag = String.fromCharCode(block[156]!)
      if ('LKxg'.includes(flag)) {
        const data = await reader.take(size)
        await reader.skip(padded(size) - size)
        if (flag === 'L') longName = textAt(data, 0, size)
        if (flag === 'x') longName = paxPath(data) ?? longName
        continue
      }
      members.push(memberOf(block, flag, longName))
      longName = undefined
      if (!'123456'.includes(flag)) await reader.skip(padded(size))
    }
  } finally {
    await reader.end()
  }
}

function memberOf(block: Buffer, flag: string, longName: string | undefined): TarMember {
  const isUstar = textAt(block, 257, 5) === 'ustar' && block[262] === 0
  const prefix = isUstar ? textAt(block, 345, 155) : ''
  const short = textAt(block, 0, 100)
  const name = (longName ?? (prefix === '' ? short : `${prefix}/${short}`)).replace(/\/+$/, '')
  const isDirectory = flag === '5' || ((flag === '0' || flag === '\0') && short.endsWith('/'))
  return { name, type: flag === '2' ? 'link' : isDirectory ? 'directory' : 'file' }
}
