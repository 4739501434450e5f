// Reading many connections in turns. A peer may send thousands of small requests in one piece; they are handed on slice by
// slice, and after some milliseconds everybody else is read before the next slice, so that no peer keeps others waiting.
import type { Socket } from 'node:net'

/** Bytes that are handed on at a time. */
const SLICE = 8192
/** How long one turn of the event loop is spent on what was read. */
const TURN_MS = 10

/** Readers that hold bytes, in the order of their turns. */
const waiting = new Set<FairReader>()
let isScheduled = false
/** Milliseconds that this turn has taken. */
let spent = 0

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(nextTurn)
}

function nextTurn(): void {
  isScheduled = false
  spent = 0
  for (const reader of waiting) {
    waiting.delete(reader)
    reader.step()
    if (spent >= TURN_MS) break
  }
  if (waiting.size > 0) schedule()
}

export class FairReader {
  private readonly socket: Socket
  private readonly take: (bytes: Buffer) => void
  /** Bytes that wait for their turn. */
  private rest: Buffer | undefined
  private isHeld = false

  /** `take` gets what the socket reads, and must not throw. */
  constructor(socket: Socket, take: (bytes: Buffer) => void) {
    this.socket = socket
    this.take = take
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.once('close', () => {
      this.rest = undefined
      waiting.delete(this)
    })
  }

  /** Stop handing bytes on until `release`. */
  hold(): void {
    this.isHeld = true
    waiting.delete(this)
    this.socket.pause()
  }

  release(): void {
    if (!this.isHeld) return
    this.isHeld = false
    if (this.rest === undefined) this.socket.resume()
    else this.queue()
  }

  /** Hand on the next slice, and queue again for what is left. */
  step(): void {
    const { rest } = this
    if (rest === undefined || this.isHeld) return
    this.rest = rest.length > SLICE ? rest.subarray(SLICE) : undefined
    const started = performance.now()
    this.take(rest.subarray(0, SLICE))
    spent += performance.now() - started
    if (this.isHeld) return
    if (this.rest !== undefined) this.queue()
    else if (this.socket.isPaused()) this.socket.resume()
  }

  private receive(chunk: Buffer): void {
    this.rest = this.rest === undefined ? chunk : Buffer.concat([this.rest, chunk])
    // the time of this turn begins anew in the next one
    schedule()
    while (this.rest !== undefined && !this.isHeld && spent < TURN_MS) {
      waiting.delete(this)
      this.step()
    }
    if (this.rest !== undefined) this.socket.pause()
    if (this.rest !== undefined && !this.isHeld) this.queue()
  }

  private queue(): void {
    waiting.add(this)
    schedule()
  }
}
