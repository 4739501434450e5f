// Frames on the worker's pipes: four bytes of length, then a message.
import { decodeMsgpack, encodeMsgpack, type Value } from '../data/mod.ts'

export function frame(message: readonly unknown[]): Buffer {
  const body = encodeMsgpack(message, 'python')
  const whole = Buffer.allocUnsafe(body.length + 4)
  whole.writeUInt32BE(body.length, 0)
  whole.set(body, 4)
  return whole
}

/** Size limit of a frame: a larger length is invalid data, and waiting for such a frame would never end. */
const LARGEST_FRAME = 1 << 30

/** Cut a stream into messages. */
export class PythonFrameReader {
  private pieces: Buffer[] = []
  private size = 0
  private readonly take: (message: Value[]) => void
  private readonly largest: number

  constructor(take: (message: Value[]) => void, largest: number = LARGEST_FRAME) {
    this.take = take
    this.largest = largest
  }

  /** Take a piece of the stream. Throw when the stream does not consist of messages. */
  push(piece: Buffer): void {
    this.pieces.push(piece)
    this.size += piece.length
    for (let wanted = this.wanted(); wanted !== undefined && this.size >= wanted; wanted = this.wanted()) {
      const whole = this.joined()
      this.pieces = whole.length > wanted ? [whole.subarray(wanted)] : []
      this.size -= wanted
      const message = decodeMsgpack(whole.subarray(4, wanted), { dialect: 'python' })
      if (!Array.isArray(message)) throw new RangeError('a frame is no message')
      this.take(message)
    }
  }

  /** Return the size of the next frame, if its header has arrived. */
  private wanted(): number | undefined {
    if (this.size < 4) return undefined
    const head = this.pieces[0]!.length >= 4 ? this.pieces[0]! : this.joined()
    const size = head.readUInt32BE(0)
    if (size > this.largest) throw new RangeError(`a frame of ${size} bytes is too large`)
    return size + 4
  }

  private joined(): Buffer {
    if (this.pieces.length > 1) this.pieces = [Buffer.concat(this.pieces)]
    return this.pieces[0]!
  }
}
