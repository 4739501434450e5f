// ZMTP frames (RFC 23): a byte of flags, a length of one or eight bytes, the body. A reader returns views of its input
// and copies only incomplete frames; a length above the limit is refused before memory is allocated.
import { WireError } from '../../errors.ts'

const MORE = 1
const LONG = 2
const COMMAND = 4
const EMPTY = Buffer.alloc(0)

function frameSize(body: number): number {
  return body + (body < 256 ? 2 : 9)
}

/** Write the header of a frame; return the position of the body. */
function writeHead(target: Buffer, at: number, flags: number, size: number): number {
  if (size < 256) {
    target[at] = flags
    target[at + 1] = size
    return at + 2
  }
  target[at] = flags | LONG
  target.writeUInt32BE(Math.floor(size / 0x100000000), at + 1)
  target.writeUInt32BE(size >>> 0, at + 5)
  return at + 9
}

/** Writes a frame and gives where the next one begins. */
function writeFrame(target: Buffer, at: number, flags: number, body: Uint8Array): number {
  const from = writeHead(target, at, flags, body.length)
  target.set(body, from)
  return from + body.length
}

/**
 * Return the bytes of a message whose last frame is in pieces: one buffer, or the pieces with the bytes before them.
 */
export function messagePieces(before: readonly Uint8Array[], last: readonly Uint8Array[]): Buffer[] {
  if (last.length === 1) return [encodeMessage([...before, last[0]!])]
  const body = last.reduce((sum, piece) => sum + piece.length, 0)
  const size = before.reduce((sum, frame) => sum + frameSize(frame.length), 0)
  const head = Buffer.allocUnsafe(size + frameSize(body) - body)
  let at = 0
  for (const frame of before) at = writeFrame(head, at, MORE, frame)
  writeHead(head, at, 0, body)
  return [head, ...last.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.length))]
}

/** The bytes of a message of one or more frames. */
export function encodeMessage(frames: readonly Uint8Array[]): Buffer {
  let size = 0
  for (const frame of frames) size += frameSize(frame.length)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (let i = 0; i < frames.length; i++) at = writeFrame(bytes, at, i < frames.length - 1 ? MORE : 0, frames[i]!)
  return bytes
}

/** Return the bytes of a command: its name and its data. */
export function encodeCommand(name: string, data: Uint8Array = EMPTY): Buffer {
  const body = Buffer.concat([Buffer.from([name.length]), Buffer.from(name, 'latin1'), data])
  const bytes = Buffer.allocUnsafe(frameSize(body.length))
  writeFrame(bytes, 0, COMMAND, body)
  return bytes
}

export interface FrameSink {
  message(frames: Buffer[]): void
  command(name: string, data: Buffer): void
}

/** Maximum number of frames in a message. */
const MAX_FRAMES = 64
/**
 * Size limit of all frames of a message before the last: routes and topics, which are short. They are kept until the
 * last one arrives, outside of the memory count.
 */
const MAX_LEADING_BYTES = 4096

const ownBytes = (body: Buffer): Buffer => (body.length === 0 ? EMPTY : Buffer.from(body))

export class FrameReader {
  private readonly sink: FrameSink
  /** The most bytes of a message. */
  maxBytes: () => number
  /** Called with the change in buffered bytes. */
  private readonly onHeld: (change: number) => void
  /** An incomplete frame. */
  private kept = EMPTY
  private filled = 0
  /** The size of the incomplete frame, as far as it is known. */
  private wanted = 0
  /** The frames of the message that is coming in. */
  private frames: Buffer[] = []
  private size = 0

  constructor(sink: FrameSink, maxBytes: () => number, onHeld: (change: number) => void = () => {}) {
    this.sink = sink
    this.maxBytes = maxBytes
    this.onHeld = onHeld
  }

  push(chunk: Buffer): void {
    if (this.filled === 0) {
      this.keep(chunk, this.parse(chunk, chunk.length))
      return
    }
    this.append(chunk)
    const bytes = this.kept
    const end = this.filled
    const at = this.parse(bytes, end)
    if (at === 0) return
    // returned frames are views of the buffer, so the rest moves to a new one
    this.release()
    this.keep(bytes.subarray(0, end), at)
  }

  /** Release the kept bytes; required when a connection closes. */
  release(): void {
    const { length } = this.kept
    this.kept = EMPTY
    this.filled = 0
    this.wanted = 0
    this.onHeld(-length)
  }

  private keep(bytes: Buffer, from: number): void {
    if (from < bytes.length) this.append(bytes.subarray(from))
  }

  private append(chunk: Buffer): void {
    const needed = this.filled + chunk.length
    if (needed > this.kept.length) {
      // allocate no more than the frame needs, once a quarter of it has arrived, because outgrown buffers cost memory
      const size = 4 * needed >= this.wanted ? Math.max(needed, this.wanted) : 2 * needed
      this.onHeld(size - this.kept.length)
      const bigger = Buffer.allocUnsafe(size)
      this.kept.copy(bigger, 0, 0, this.filled)
      this.kept = bigger
    }
    this.kept.set(chunk, this.filled)
    this.filled = needed
  }

  /** Takes all whole frames and gives where the first that is cut begins. */
  private parse(bytes: Buffer, end: number): number {
    let at = 0
    while (end - at >= 2) {
      const flags = bytes[at]!
      if (flags > 7 || (flags & (COMMAND | MORE)) === (COMMAND | MORE)) {
        throw new WireError('ProtocolError', `Cannot read a frame with flags ${flags}`)
      }
      let body = at + 2
      let size = bytes[at + 1]!
      if (flags & LONG) {
        if (end - at < 9) return at
        size = bytes.readUInt32BE(at + 1) * 0x100000000 + bytes.readUInt32BE(at + 5)
        body = at + 9
      }
      if (flags & MORE && this.size + size > MAX_LEADING_BYTES) {
        throw new WireError(
          'TooLarge',
          `Refused a message with more than ${MAX_LEADING_BYTES} bytes before its last frame`,
        )
      }
      if (this.size + size > this.maxBytes()) {
        throw new WireError(
          'TooLarge',
          `Refused a message of ${this.size + size} bytes, ${this.maxBytes()} are allowed`,
        )
      }
      if (end - body < size) {
        this.wanted = body + size - at
        return at
      }
      at = body + size
      this.take(flags, bytes.subarray(body, at))
    }
    return at
  }

  private take(flags: number, body: Buffer): void {
    if (flags & COMMAND) {
      const nameEnd = 1 + (body[0] ?? 0)
      this.sink.command(body.toString('latin1', 1, nameEnd), body.subarray(nameEnd))
      return
    }
    // a view would keep all that it was read with, and must not be kept until the answer is sent
    this.frames.push(flags & MORE ? ownBytes(body) : body)
    this.size += body.length
    if (flags & MORE) {
      if (this.frames.length < MAX_FRAMES) return
      throw new WireError('ProtocolError', `Refused a message of more than ${MAX_FRAMES} frames`)
    }
    const { frames } = this
    this.frames = []
    this.size = 0
    this.sink.message(frames)
  }
}
