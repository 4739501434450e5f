// The entries of a tar archive, read as a stream. Only the format is checked: callers decide which paths, kinds and
// links they accept.
import { BrineError } from '../base/mod.ts'
import { readPax, readTarHead, TAR_BLOCK, type TarHead, tarPadding } from './tar.ts'

/** Bytes of pax records and long names. */
const LARGEST_RECORD = 1 << 20

/** An entry with the bytes of its file; unread bytes are skipped. */
export interface ReadTarEntry extends TarHead {
  body: AsyncIterable<Buffer>
}

/** The bytes of a stream in pieces of wanted sizes. */
class Blocks {
  private readonly source: AsyncIterator<Uint8Array>
  private rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.source = stream[Symbol.asyncIterator]()
  }

  /** Read up to this many bytes; none at the end. */
  async some(most: number): Promise<Buffer> {
    if (this.rest.length === 0) {
      const { value, done } = await this.source.next()
      if (done) return this.rest
      this.rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const part = this.rest.subarray(0, most)
    this.rest = this.rest.subarray(part.length)
    return part
  }

  /** Read exactly this many bytes. */
  async exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = count; left > 0; ) {
      const part = await this.some(left)
      if (part.length === 0) throw new BrineError('BadArchive', 'The archive was cut short')
      parts.push(part)
      left -= part.length
    }
    return Buffer.concat(parts)
  }
}

/** Yield the entries of an archive. Long names and large sizes come from their records. */
export async function* tarEntries(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ReadTarEntry> {
  const blocks = new Blocks(stream)
  let more: Partial<Pick<TarHead, 'path' | 'link' | 'size'>> = {}
  for (;;) {
    const head = readTarHead(await blocks.exactly(TAR_BLOCK))
    if (!head) return
    if (head.kind === 'pax' || head.kind === 'long-name' || head.kind === 'long-link') {
      more = { ...more, ...extended(head, await recordOf(blocks, head.size)) }
    } else if (head.kind === 'pax-global') await recordOf(blocks, head.size)
    else {
      const entry = { ...head, ...more }
      more = {}
      const body = new Body(blocks, entry.size)
      yield { ...entry, body }
      await body.skip()
    }
  }
}

async function recordOf(blocks: Blocks, size: number): Promise<Buffer> {
  if (size > LARGEST_RECORD) throw new BrineError('BadArchive', 'A record of the archive is too large')
  const bytes = await blocks.exactly(size + tarPadding(size))
  return bytes.subarray(0, size)
}

function extended({ kind }: TarHead, bytes: Buffer): Partial<Pick<TarHead, 'path' | 'link' | 'size'>> {
  const text = bytes.toString('utf8').replace(/\0.*$/s, '')
  if (kind === 'long-name') return { path: text }
  if (kind === 'long-link') return { link: text }
  const records = readPax(bytes)
  const [path, link, size] = [records.get('path'), records.get('linkpath'), records.get('size')]
  if (size !== undefined && !/^\d{1,15}$/.test(size))
    throw new BrineError('BadArchive', 'A size in the archive is damaged')
  return {
    ...(path !== undefined && { path }),
    ...(link !== undefined && { link }),
    ...(size !== undefined && { size: Number(size) }),
  }
}

/** The body of a file, once. */
class Body implements AsyncIterable<Buffer> {
  private readonly blocks: Blocks
  private readonly size: number
  private left: number

  constructor(blocks: Blocks, size: number) {
    this.blocks = blocks
    this.size = size
    this.left = size
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (this.left > 0) {
      const part = await this.blocks.some(this.left)
      if (part.length === 0) throw new BrineError('BadArchive', 'The archive was cut short')
      this.left -= part.length
      yield part
    }
  }

  async skip(): Promise<void> {
    for await (const _ of this);
    await this.blocks.exactly(tarPadding(this.size))
  }
}
