// Frames on the worker's pipes: four bytes of length, then a message.
import { decodeMsgpack, encodeMsgpack, type Value } from '../data/mod.ts'

export function frame(message: readonly unknown[]): Buffer {
  const body = encodeMsgpack(message, 'python')
  const whole = Buffer.allocUnsafe(body.length + 4)
  whole.writeUInt32BE(body.length, 0)
  whole.set(body, 4)
  return whole
}

/** Cuts a stream into messages. */
export class FrameReader {
  private pieces: Buffer[] = []
  private size = 0
  private readonly take: (message: Value[]) => void

  constructor(take: (message: Value[]) => void) {
    this.take = take
  }

  push(piece: Buffer): void {
    this.pieces.push(piece)
    this.size += piece.length
    for (let wanted = this.wanted(); wanted !== undefined && this.size >= wanted; wanted = this.wanted()) {
      const whole = this.joined()
      this.pieces = whole.length > wanted ? [whole.subarray(wanted)] : []
      this.size -= wanted
      this.take(decodeMsgpack(whole.subarray(4, wanted), { dialect: 'python' }) as Value[])
    }
  }

  /** The size of the next frame, when its head is there. */
  private wanted(): number | undefined {
    if (this.size < 4) return undefined
    const head = this.pieces[0]!.length >= 4 ? this.pieces[0]! : this.joined()
    return head.readUInt32BE(0) + 4
  }

  private joined(): Buffer {
    if (this.pieces.length > 1) this.pieces = [Buffer.concat(this.pieces)]
    return this.pieces[0]!
  }
}
