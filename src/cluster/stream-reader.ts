// Reads a stream message by message from a place on, for ever. Nothing on a server remembers the reader: each message is asked for by
// its place, of any replica, so that the loss of a server costs no more than one request.
import { type Log, toError } from '../base/mod.ts'
import type { Listening, Nats, StreamMessage } from './nats.ts'

/** Milliseconds until the next question when nobody said that there is something new. */
const IDLE_MS = 500
/** Milliseconds between questions for a message that was announced and is not there yet: at first, and at most. */
const SOON_MS = 2
const LONGEST_SOON_MS = 100
/** How long a message that was announced is looked for so often. */
const ANNOUNCED_MS = 3000
/** How long a stream with gaps is asked for a last place that may be gone, in milliseconds. */
const GAP_MS = 5000
/** Milliseconds after a request that failed. */
const RETRY_MS = 200
/** Milliseconds of work on one message that fails again and again, after which the reader is stuck. */
const STUCK_MS = 2000

export interface ReaderOptions {
  stream: string
  /** The subjects of the stream. */
  subject: string
  /** The place of the next message. */
  from: number
  /** The last place when the reader began, as the leader knows it: a replica that was away may end before. */
  last: number
  /** Whether places may be missing between two messages. */
  hasGaps: boolean
  log: Log
  /** Work on a message; the next one waits. */
  take(message: StreamMessage): Promise<void> | void
  /** The work on a message fails for long, and later that it was done. */
  stuck?(isStuck: boolean): void
  /** Messages up to a place are gone for good. */
  lost?(from: number, to: number): void
}

export class StreamReader {
  private readonly nats: Nats
  private readonly options: ReaderOptions
  private readonly hints: Listening
  private next: number
  private announced = Number.NEGATIVE_INFINITY
  private wake: (() => void) | undefined
  private isClosed = false
  private readonly running: Promise<void>
  /** Whether everything that was there at the beginning has been read. */
  isCaughtUp = false
  private caughtUp!: () => void
  /** Resolves when the reader was at the end for the first time. */
  readonly atEnd: Promise<void> = new Promise((done) => {
    this.caughtUp = done
  })
  private failing = false
  private readonly began: number = performance.now()

  constructor(nats: Nats, options: ReaderOptions) {
    this.nats = nats
    this.options = options
    this.next = options.from
    this.hints = nats.listen(options.subject, () => this.announce())
    this.running = this.run()
  }

  /** The place of the last message that was worked on. */
  get place(): number {
    return this.next - 1
  }

  /** Say that there is a new message, or will be in a moment. */
  announce(): void {
    this.announced = performance.now()
    this.wake?.()
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.hints.unsubscribe()
    this.wake?.()
    await this.running
  }

  private async run(): Promise<void> {
    let soon = SOON_MS
    while (!this.isClosed) {
      try {
        const began = performance.now()
        const message = await this.nats.next(this.options.stream, this.next, this.options.subject)
        if (this.failing) this.options.log('info', `The stream ${this.options.stream} can be read again`)
        this.failing = false
        if (message && !(await this.isEarly(message))) {
          soon = SOON_MS
          await this.work(message)
          continue
        }
        this.atItsEnd()
        const isAnnounced = performance.now() - this.announced < ANNOUNCED_MS
        soon = this.announced > began ? SOON_MS : Math.min(LONGEST_SOON_MS, soon * 2)
        await this.pause(isAnnounced ? soon : IDLE_MS, !isAnnounced)
      } catch (error) {
        this.isCaughtUp = false
        if (!this.failing)
          this.options.log('warning', `Cannot read the stream ${this.options.stream}: ${toError(error).message}`)
        this.failing = true
        await this.pause(RETRY_MS, false)
      }
    }
  }

  private atItsEnd(): void {
    if (this.next <= this.options.last && !this.options.hasGaps) return
    if (this.next <= this.options.last && performance.now() - this.began < GAP_MS) return
    this.isCaughtUp = true
    this.caughtUp()
  }

  /** Whether messages before this one are missing and may come yet; those that are gone for good are reported. */
  private async isEarly({ seq }: StreamMessage): Promise<boolean> {
    if (this.options.hasGaps || seq === this.next) return false
    const { first } = await this.nats.extent(this.options.stream)
    if (first <= this.next) return true
    this.options.lost?.(this.next, seq - 1)
    return false
  }

  /** A message whose effects fail, such as on a full disk, is tried again: the next one must not come before it. */
  private async work(message: StreamMessage): Promise<void> {
    const began = performance.now()
    let isStuck = false
    for (let isFirst = true; !this.isClosed; isFirst = false) {
      try {
        await this.options.take(message)
        this.next = message.seq + 1
        if (isStuck) this.options.stuck?.(false)
        return
      } catch (error) {
        if (!isStuck && performance.now() - began > STUCK_MS) {
          isStuck = true
          this.options.stuck?.(true)
        }
        const { message: text } = toError(error)
        if (isFirst)
          this.options.log(
            'error',
            `Message ${message.seq} of ${this.options.stream} cannot be carried out yet: ${text}`,
          )
        await this.pause(RETRY_MS, false)
      }
    }
  }

  private pause(ms: number, isWoken: boolean): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms)
      const wake = (): void => {
        clearTimeout(timer)
        done()
      }
      this.wake = isWoken || this.isClosed ? wake : undefined
    })
  }
}
