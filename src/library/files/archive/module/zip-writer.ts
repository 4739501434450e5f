// Writing zip archives: deflated members, with Unix modes and times.
import { crc32, deflateRawSync } from 'node:zlib'
import type { FileStat } from '../../../../sdk/mod.ts'

interface Entry {
  name: Buffer
  head: Buffer
  offset: number
  mode: number
}

export class ZipWriter {
  private readonly parts: Buffer[] = []
  private readonly entries: Entry[] = []
  private length = 0

  add(path: string, stat: FileStat, data: Uint8Array): void {
    const isFolder = stat.type === 'directory'
    const name = Buffer.from(isFolder ? `${path.replace(/\/+$/, '')}/` : path)
    const packed = isFolder ? Buffer.alloc(0) : deflateRawSync(data)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(0x800, 2)
    head.writeUInt16LE(isFolder ? 0 : 8, 4)
    const when = new Date(stat.mtime * 1000)
    const seconds = (when.getHours() << 11) | (when.getMinutes() << 5) | (when.getSeconds() >> 1)
    const days = (Math.max(0, when.getFullYear() - 1980) << 9) | ((when.getMonth() + 1) << 5) | when.getDate()
    head.writeUInt16LE(seconds, 6)
    head.writeUInt16LE(days, 8)
    head.writeUInt32LE(isFolder ? 0 : crc32(data), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(isFolder ? 0 : data.length, 18)
    head.writeUInt16LE(name.length, 22)
    const mode = (isFolder ? 0o040000 : 0o100000) | stat.mode
    this.entries.push({ name, head, offset: this.length, mode })
    this.push(Buffer.from('504b0304', 'hex'), head, name, packed)
  }

  finish(): Buffer {
    const start = this.length
    for (const { name, head, offset, mode } of this.entries) {
      const tail = Buffer.alloc(14)
      tail.writeUInt32LE(((mode << 16) | (name.at(-1) === 0x2f ? 0x10 : 0)) >>> 0, 6)
      tail.writeUInt32LE(offset, 10)
      this.push(Buffer.from('504b010214030000', 'hex').subarray(0, 6), head, tail, name)
    }
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(this.entries.length, 8)
    end.writeUInt16LE(this.entries.length, 10)
    end.writeUInt32LE(this.length - start, 12)
    end.writeUInt32LE(start, 16)
    this.push(end)
    return Buffer.concat(this.parts)
  }

  private push(...parts: Buffer[]): void {
    for (const part of parts) {
      this.parts.push(part)
      this.length += part.length
    }
  }
}
