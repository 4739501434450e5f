// Output of a socket: data of one turn of the event loop is sent in one write, and waits here while the peer does not
// read. Peers that are sent the same data share the joined bytes.
import type { Socket } from 'node:net'
import { ownMemory } from '../../base/mod.ts'

/** Outboxes with data. Answers precede publications, so that no answer waits for a large fan-out. */
const answers = new Set<Outbox>()
const publications = new Set<Outbox>()
let scheduled = false
/** How long writes to many peers may block reading, in milliseconds. */
const LONGEST_TURN_MS = 10
const CLOCK_EVERY = 32
/** A message that costs more to copy than to write by itself. */
const MUCH = 1 << 16
/** Bytes that may wait for one peer. */
const MOST_WAITING = 64 << 20

export class Outbox {
  private readonly socket: Socket
  private queue: Buffer[] = []
  private stalled = false
  private bytes = 0
  /** Waiting for the messages in the queue to be sent. */
  private sent: Array<() => void> = []
  /** Called after the peer has read the waiting data. */
  private readonly onDrain: (() => void) | undefined

  private readonly turn: Set<Outbox>

  constructor(socket: Socket, onDrain?: () => void, isOneOfMany = false) {
    this.socket = socket
    this.onDrain = onDrain
    this.turn = isOneOfMany ? publications : answers
    socket.on('drain', () => {
      this.stalled = false
      if (this.queue.length > 0) this.mark()
      this.onDrain?.()
    })
  }

  /** How many messages wait because the peer does not read. */
  get waiting(): number {
    return this.queue.length
  }

  /** Whether the waiting data exceeds the limit: the peer does not read, however many messages it is. */
  get isFull(): boolean {
    return this.stalled && this.queue.length > 0 && this.bytes + this.socket.writableLength > MOST_WAITING
  }

  get isStalled(): boolean {
    return this.stalled
  }

  /** Queue a message. `onSent` is called when the system has taken it, or the connection is over. */
  push(message: Buffer, onSent?: () => void): void {
    // peers share the memory of a publication
    this.queue.push(this.stalled && this.turn === answers ? ownMemory(message) : message)
    this.bytes += message.length
    if (onSent) this.sent.push(onSent)
    if (!this.stalled && this.queue.length === 1) this.mark()
  }

  private mark(): void {
    this.turn.add(this)
    schedule()
  }

  flush(): void {
    if (this.stalled || this.queue.length === 0 || this.socket.destroyed) return
    const { queue, sent } = this
    this.queue = []
    this.bytes = 0
    if (sent.length > 0) this.sent = []
    const onSent = sent.length === 0 ? undefined : callAll(sent)
    this.stalled = !(queue.some(({ length }) => length > MUCH)
      ? this.writeEach(queue, onSent)
      : this.socket.write(joined(queue), onSent))
  }

  /** All of it in one call of the system without joining it first. */
  private writeEach(queue: readonly Buffer[], onSent: (() => void) | undefined): boolean {
    this.socket.cork()
    let isTaken = true
    for (const [index, message] of queue.entries())
      isTaken = this.socket.write(message, index === queue.length - 1 ? onSent : undefined)
    this.socket.uncork()
    return isTaken
  }
}

const callAll = (hooks: ReadonlyArray<() => void>) => (): void => {
  for (const hook of hooks) hook()
}

function schedule(): void {
  if (scheduled) return
  scheduled = true
  setImmediate(flushAll)
}

/** Writes all answers, and publications until the turn has lasted long enough; the rest waits until others were read. */
function flushAll(): void {
  scheduled = false
  for (const outbox of answers) outbox.flush()
  answers.clear()
  const until = performance.now() + LONGEST_TURN_MS
  let count = 0
  for (const outbox of publications) {
    publications.delete(outbox)
    outbox.flush()
    if (++count % CLOCK_EVERY === 0 && performance.now() > until) break
  }
  last = []
  lastJoined = undefined
  if (publications.size > 0) schedule()
}

let last: readonly Buffer[] = []
let lastJoined: Buffer | undefined

function joined(queue: readonly Buffer[]): Buffer {
  if (queue.length === 1) return queue[0]!
  if (lastJoined !== undefined && isSame(queue, last)) return lastJoined
  last = queue
  lastJoined = Buffer.concat(queue)
  return lastJoined
}

function isSame(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false
  return true
}
