// Fair reading of many connections. A peer may send thousands of small requests in one piece; they are handled slice by
// slice, and after some milliseconds all other connections are read before the next slice, so that no peer delays the
// others.
import type { Socket } from 'node:net'
import { limitedHost } from './hosts.ts'

/** Bytes that are handed on at a time. */
const SLICE = 8192
/** How long one turn of the event loop may handle received data, in milliseconds. */
const TURN_MS = 10

/** Readers that hold bytes, by host, in the order of their turns. A host with many connections has one turn like the others. */
const waiting = new Map<string, Set<FairReader>>()
let isScheduled = false
/** When this turn began. Work that messages start in the turn counts too. */
let began = 0

const isOver = (): boolean => performance.now() - began >= TURN_MS

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  began = performance.now()
  setImmediate(nextTurn)
}

function nextTurn(): void {
  began = performance.now()
  if (waiting.size > 0) void handOn()
  else isScheduled = false
}

/** Hand on slices until the time is over. After each one its promises get their turn, so that their work counts, too. */
async function handOn(): Promise<void> {
  while (waiting.size > 0 && !isOver()) {
    const [host, readers] = waiting.entries().next().value!
    const reader = readers.values().next().value!
    forget(host, reader)
    // the others of this host wait for its next turn
    const others = waiting.get(host)
    if (others !== undefined) {
      waiting.delete(host)
      waiting.set(host, others)
    }
    if (reader.step()) await undefined
  }
  isScheduled = false
  if (waiting.size > 0) schedule()
}

function forget(host: string, reader: FairReader): void {
  if (!reader.isQueued) return
  reader.isQueued = false
  const readers = waiting.get(host)
  if (readers?.delete(reader) === true && readers.size === 0) waiting.delete(host)
}

export class FairReader {
  private readonly socket: Socket
  private readonly take: (bytes: Buffer) => boolean
  private readonly host: string
  /** Bytes that wait for their turn. */
  private rest: Buffer | undefined
  private isHeld = false
  /** Whether it waits for its turn. */
  isQueued = false

  /** `take` receives the bytes and returns whether they completed a message; it must not throw. */
  constructor(socket: Socket, take: (bytes: Buffer) => boolean) {
    this.socket = socket
    this.host = limitedHost(socket.remoteAddress)
    this.take = take
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.once('close', () => {
      this.rest = undefined
      forget(this.host, this)
    })
  }

  /** Stop handing bytes on until `release`. */
  hold(): void {
    this.isHeld = true
    forget(this.host, this)
    this.socket.pause()
  }

  release(): void {
    if (!this.isHeld) return
    this.isHeld = false
    if (this.rest === undefined) this.socket.resume()
    else this.queue()
  }

  /** Handle the next slice, and queue again for the rest; return whether it completed a message. */
  step(): boolean {
    const { rest } = this
    if (rest === undefined || this.isHeld) return false
    const isLong = rest.length > SLICE
    this.rest = isLong ? rest.subarray(SLICE) : undefined
    const isMessage = this.take(isLong ? rest.subarray(0, SLICE) : rest)
    if (this.isHeld) return isMessage
    if (this.rest !== undefined) this.queue()
    else if (this.socket.isPaused()) this.socket.resume()
    return isMessage
  }

  private receive(chunk: Buffer): void {
    this.rest = this.rest === undefined ? chunk : Buffer.concat([this.rest, chunk])
    // the next turn starts with a fresh time limit
    schedule()
    let isMessage = false
    while (this.rest !== undefined && !this.isHeld && !isMessage && !isOver()) {
      forget(this.host, this)
      isMessage = this.step()
    }
    if (this.rest !== undefined) this.socket.pause()
    if (this.rest !== undefined && !this.isHeld) this.queue()
  }

  private queue(): void {
    this.isQueued = true
    const readers = waiting.get(this.host) ?? new Set()
    waiting.set(this.host, readers.add(this))
    schedule()
  }
}
