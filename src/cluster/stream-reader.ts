// Reads a stream message by message from a position on, forever. A server keeps no state of the reader: each message is
// requested by its position, from any replica, so that the loss of a server costs at most one request. A message that
// this replica lacks is requested from the leader.
import { type Log, toError } from '../base/mod.ts'
import type { Listening, Nats, StreamMessage } from './nats.ts'

/** Milliseconds until the next request without an announcement. */
const IDLE_MS = 500
/** Milliseconds between questions for a message that was announced and is not there yet: at first, and at most. */
const SOON_MS = 2
const LONGEST_SOON_MS = 100
/** How long a message that was announced is looked for so often. */
const ANNOUNCED_MS = 3000
/** How long a stream with gaps is asked for a last place that may be gone, and any stream for a message that it lacks, in milliseconds. */
const GAP_MS = 5000
/** Milliseconds between two looks at the stream itself: whether it still has what was read. */
const LOOK_MS = 3000
/** Looks in a row at a stream that is too short: a server that has lost the others leads for some seconds more. */
const STRANGE_LOOKS = 4
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
  /** Messages are gone for good: the stream begins after them, or all servers lack them. */
  lost?(from: number, to: number, why: 'pruned' | 'missing'): void
  /** The stream was created anew or lost its end, so the reader begins at the first message again. */
  restarted?(): void
}

export class StreamReader {
  private readonly nats: Nats
  private readonly options: ReaderOptions
  private readonly hints: Listening
  private next: number
  /** The last place when the reader began with the stream. */
  private last: number
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
  /** When the leader first lacked the message at the next place. */
  private lacking: { place: number; since: number } | undefined
  private readonly watching: NodeJS.Timeout
  private looking: Promise<void> | undefined
  /** The place at which the reader goes on instead of the next one. */
  private rewound: number | undefined
  private strange = 0

  constructor(nats: Nats, options: ReaderOptions) {
    this.nats = nats
    this.options = options
    this.next = options.from
    this.last = options.last
    this.hints = nats.listen(options.subject, () => this.announce())
    this.running = this.run()
    this.watching = setInterval(() => {
      this.looking ??= this.look()
        // a stream without a leader says nothing about its messages
        .catch(() => {})
        .finally(() => {
          this.looking = undefined
        })
    }, LOOK_MS).unref()
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
    clearInterval(this.watching)
    this.hints.unsubscribe()
    this.wake?.()
    await this.running
  }

  private async run(): Promise<void> {
    let soon = SOON_MS
    while (!this.isClosed) {
      try {
        const began = performance.now()
        this.rewind()
        const message = await this.nats.next(this.options.stream, this.next, this.options.subject)
        if (this.failing) this.options.log('info', `The stream ${this.options.stream} can be read again`)
        this.failing = false
        const due = message && (await this.due(message))
        if (due) {
          soon = SOON_MS
          await this.work(due)
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

  private rewind(): void {
    this.next = this.rewound ?? this.next
    this.rewound = undefined
  }

  private atItsEnd(): void {
    if (this.next <= this.last && !this.options.hasGaps) return
    if (this.next <= this.last && performance.now() - this.began < GAP_MS) return
    this.isCaughtUp = true
    this.caughtUp()
  }

  /**
   * Return the message at the next position when a server answered with a later one; undefined while no server has it.
   */
  private async due(message: StreamMessage): Promise<StreamMessage | undefined> {
    if (this.options.hasGaps || message.seq === this.next) return message
    const { stream, subject, log } = this.options
    const { first, isLed } = await this.nats.extent(stream)
    if (isLed && first > this.next) {
      this.skip(first, 'pruned')
      return undefined
    }
    const led = await this.nats.nextOfLeader(stream, this.next, subject)
    if (led?.seq === this.next) {
      log('warning', `NATS server ${this.nats.server.name} lacks message ${led.seq} of ${stream}, which the leader has`)
      return led
    }
    // another server may have it still
    const now = performance.now()
    if (this.lacking?.place !== this.next) this.lacking = { place: this.next, since: now }
    if (led && now - this.lacking.since > GAP_MS) this.skip(led.seq, 'missing')
    return undefined
  }

  private skip(to: number, why: 'pruned' | 'missing'): void {
    this.options.lost?.(this.next, to - 1, why)
    this.next = to
  }

  /** Begin again with a stream that was created anew or lost its end: new messages get places that were read before. */
  private async look(): Promise<void> {
    const { stream, log, restarted } = this.options
    const place = this.next - 1
    const { first, last, isLed } = await this.nats.extent(stream)
    this.strange = isLed && last < place ? this.strange + 1 : 0
    if (this.isClosed || this.strange < STRANGE_LOOKS) return
    this.strange = 0
    this.last = last
    const why = `ends at ${last}, before the place ${place} of this master`
    log('error', `The stream ${stream} ${why}: this master reads it from its beginning`)
    this.rewound = Math.max(1, first)
    this.isCaughtUp = false
    restarted?.()
    this.announce()
  }

  /** A message whose effects fail, such as on a full disk, is tried again: the next one must not come before it. */
  private async work(message: StreamMessage): Promise<void> {
    const began = performance.now()
    let isStuck = false
    for (let isFirst = true; !this.isClosed; isFirst = false) {
      try {
        await this.options.take(message)
        if (this.rewound === undefined) this.next = message.seq + 1
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
