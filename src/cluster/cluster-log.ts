// The log of a cluster: one stream that all masters append their records to and read in one order. A record is acknowledged when the
// stream has it, and counts once: records of one process have rising numbers, and readers take no number twice.
import { randomBytes } from 'node:crypto'
import { BrineError, type Log, toError } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, isList, numberOf, str } from '../data/mod.ts'
import type { Nats, StreamConfig, StreamMessage } from './nats.ts'
import { nonceOf, type Seal } from './seal.ts'
import { StreamReader } from './stream-reader.ts'

/** Records and bytes in one message of the stream. */
const MOST_RECORDS = 2000
const MOST_BYTES = 512 << 10
/** Room for the seal and the frame of a message, and for the number and the length of each record. */
const OVERHEAD = 4096
const FRAME = 16
/** Milliseconds that an append waits for the stream. A new leader is found in less than ten seconds. */
const PATIENCE_MS = 12_000
/** Milliseconds that an acknowledged record waits until it is carried out here as well. */
const CARRIED_OUT_MS = 3000
const RETRY_MS = 100
/** Milliseconds that a master that stops waits until the log has its events. */
const CLOSE_MS = 3000
/** Events that wait while the stream takes nothing; then the oldest go. */
const MOST_WAITING = 20_000
const MOST_WAITING_BYTES = 64 << 20
/** How many processes' numbers are remembered. */
const MOST_WRITERS = 200
/**
 * How many positions before the last known one are read again for a missing record: a server's positions may be
 * shifted.
 */
const SHIFTED = 50
/** Places that are read again at most. */
const MOST_READ_AGAIN = 5000

/** A record as it is carried out. */
export interface ClusterRecord {
  /** The id of the record in the cluster. */
  mark: string
  fields: Dict
  /** Whether this process appended it. */
  isMine: boolean
  /** Whether the stream was behind when the record came: it may be old. */
  isLate: boolean
  /** Whether it was in the log when this process began to read: an earlier process may have carried it out in part. */
  isReplayed: boolean
  /** Whether an earlier process of this master wrote it: this process then does the writer's part. */
  isLeft: boolean
  /** Milliseconds since a server took it. Clocks of servers alone are compared: the clock of this machine may be wrong. */
  age: number
}

interface Waiting {
  number: number
  bytes: Uint8Array
  /** Undefined when no caller waits for the record. */
  settle: ((error?: Error) => void) | undefined
  isAcked: boolean
  isVoid: boolean
}

interface OpenedMessage {
  writer: string
  numbers: number[]
  records: Uint8Array[]
  /** The last number of the same process in the log before it; 0 if the process does not send it. */
  previous: number
}

/** Store data about a process; the least recently noted processes are forgotten. */
function note<T>(known: Map<string, T>, writer: string, value: T): void {
  known.delete(writer)
  known.set(writer, value)
  for (const [oldest] of known) {
    if (known.size <= MOST_WRITERS) break
    known.delete(oldest)
  }
}

/** The last record of a process that was read, and the place of its message. */
interface LastRead {
  number: number
  seq: number
}

/** Records that this master did not read in their turn: read late, or gone for good. */
export interface LogGap {
  isRepaired: boolean
  /** How many records were missing; undefined if unknown. */
  count: number | undefined
  text: string
}

export interface LogPlace {
  seq: number
  /** The last carried out number of each process. */
  seen: Record<string, number>
  /** The nonce of the message at the place. */
  nonce: string
}

export interface LogOptions {
  nats: Nats
  seal: Seal
  stream: StreamConfig
  member: string
  place: LogPlace
  /** The last place in the stream when this process began. */
  last: number
  /** The time of the servers now, in milliseconds since 1970. */
  time: number
  log: Log
  /** Called before a message is worked on for the first time; the message waits while this fails. */
  begins(isReplayed: boolean): Promise<void> | void
  /** Carry out a record. */
  apply(record: ClusterRecord): Promise<void> | void
  /** The log has taken records of this process. */
  acked?(): void
  /** Records were missing here. */
  gap?(gap: LogGap): void
  /** Called when no record can be carried out for some time, for example on a full disk, and when that is over. */
  stuck?(isStuck: boolean): void
}

/** The stream does not take records now. */
export class NoQuorumError extends BrineError<string> {
  constructor(text: string) {
    super('NoQuorum', text)
  }
}

export class ClusterLog {
  /** The name of this process in the log. */
  readonly writer: string
  private readonly options: LogOptions
  private readonly subject: string
  private readonly reader: StreamReader
  private readonly seen: Map<string, number>
  /** The last record read from each process; empty if unknown. */
  private readonly read = new Map<string, LastRead>()
  private nonce: string
  private number = 0
  /** The last number that the log surely has. */
  private acked = 0
  private queue: Waiting[] = []
  private queuedBytes = 0
  private lost = 0
  private readonly unapplied = new Map<number, Waiting>()
  /** The marks of records of the present message that were carried out. */
  private readonly done = new Set<string>()
  private pumping: Promise<void> | undefined
  private isClosed = false
  private hasBeenAtEnd = false
  /** The time of the servers when this process began, by its clock that never jumps. */
  private began: number

  constructor(options: LogOptions) {
    this.options = options
    this.writer = `${options.member}.${randomBytes(6).toString('hex')}`
    this.subject = options.stream.subjects[0]!
    this.seen = new Map(Object.entries(options.place.seen))
    this.nonce = options.place.nonce
    for (const [writer, number] of this.seen) this.read.set(writer, { number, seq: options.place.seq })
    this.began = options.time - performance.now()
    this.reader = new StreamReader(options.nats, {
      stream: options.stream.name,
      subject: this.subject,
      from: options.place.seq + 1,
      last: options.last,
      hasGaps: false,
      log: options.log,
      take: async (message) => {
        const taken = await this.whole(message)
        await this.take(taken)
        this.nonce = nonceOf(taken.data)
      },
      stuck: (isStuck) => options.stuck?.(isStuck),
      restarted: () => this.read.clear(),
      lost: (from, to, why) => {
        // records that are missing now cannot be distinguished from those that a server lacks
        this.read.clear()
        // the log of a new member begins wherever the stream does
        if (from === 1) return
        const reason =
          why === 'pruned'
            ? 'This master was away longer than the log of the cluster reaches back'
            : 'All NATS servers lack a part of the log of the cluster'
        this.tellGap({
          isRepaired: false,
          count: undefined,
          text: `${reason}: messages ${from} to ${to} are lost here`,
        })
      },
    })
    void this.reader.atEnd.then(() => {
      this.hasBeenAtEnd = true
    })
  }

  /** The position up to which the log is carried out. */
  get place(): LogPlace {
    return { seq: this.reader.place, seen: Object.fromEntries(this.seen), nonce: this.nonce }
  }

  get isCaughtUp(): boolean {
    return this.reader.isCaughtUp
  }

  /** Resolves when the records at the start have been carried out. */
  get atEnd(): Promise<void> {
    return this.reader.atEnd
  }

  /** Append a record; resolves when the log has it, and it was carried out here if that is soon. */
  append(fields: Dict, patience: number = PATIENCE_MS): Promise<void> {
    return new Promise((done, fail) => {
      const entry = this.enter(fields)
      if (entry instanceof Error) {
        fail(entry)
        return
      }
      const timer = setTimeout(() => {
        if (entry.isAcked) return
        entry.isVoid = true
        this.unapplied.delete(entry.number)
        fail(new NoQuorumError('The cluster has no majority of its masters, so this master takes no changes'))
      }, patience)
      entry.settle = (error) => {
        clearTimeout(timer)
        if (error) fail(error)
        else done()
      }
    })
  }

  /** Append a record in the background; return its mark, or undefined if it is too large. */
  share(fields: Dict): string | undefined {
    this.shorten()
    const entry = this.enter(fields)
    if (!(entry instanceof Error)) return `${this.writer}.${entry.number}`
    this.options.log('error', `An event reaches only this master: ${entry.message}`)
    return undefined
  }

  /** Resolves when the log has every record so far. */
  flushed(): Promise<void> {
    const last = this.queue.at(-1) ?? [...this.unapplied.values()].at(-1)
    if (!last || last.isAcked) return Promise.resolve()
    return new Promise((done, fail) => {
      const before = last.settle
      const timer = setTimeout(
        () => fail(new NoQuorumError('The cluster has not taken all events in time')),
        PATIENCE_MS,
      )
      last.settle = (error) => {
        clearTimeout(timer)
        before?.(error)
        done()
      }
    })
  }

  private enter(fields: Dict): Waiting | Error {
    const bytes = encodeMsgpack(fields, 'bus')
    if (bytes.length > this.options.nats.server.maxPayload - OVERHEAD) {
      const limit = `${this.options.nats.server.maxPayload} bytes of max_payload`
      return new BrineError(
        'TooLarge',
        `A record of ${bytes.length} bytes does not fit into the ${limit} of the NATS server`,
      )
    }
    const entry: Waiting = { number: ++this.number, bytes, settle: undefined, isAcked: false, isVoid: false }
    this.queue.push(entry)
    this.queuedBytes += bytes.length
    this.beginPump()
    return entry
  }

  private beginPump(): void {
    this.pumping ??= this.pump().finally(() => {
      this.pumping = undefined
      // a record may have arrived while the last message was being completed
      if (this.queue.length > 0 && !this.isClosed) this.beginPump()
    })
  }

  /** Forget the oldest events while the log takes nothing. */
  private shorten(): void {
    while (this.queue.length > MOST_WAITING || this.queuedBytes > MOST_WAITING_BYTES) {
      const oldest = this.queue.find(({ settle, isVoid }) => settle === undefined && !isVoid)
      if (!oldest) return
      this.queue = this.queue.filter((each) => each !== oldest)
      this.queuedBytes -= oldest.bytes.length
      if (this.lost++ === 0)
        this.options.log('error', 'The cluster takes no events: the oldest ones reach only this master')
    }
  }

  /**
   * Send records, one message at a time, so that the records of a process stay in order. An unacknowledged message is
   * sent again and may then be in the log twice: readers accept each number once. Servers do not deduplicate
   * (`Nats-Msg-Id`), because a server that was away may decide differently from the others, and would then give later
   * messages other positions.
   */
  private async pump(): Promise<void> {
    // records appended at the same moment go into one message
    await Promise.resolve()
    while (this.queue.length > 0 && !this.isClosed) {
      const batch = this.takeBatch()
      for (let isFirst = true; !this.isClosed; isFirst = false) {
        const sent = batch.filter(({ isVoid }) => !isVoid)
        if (sent.length === 0) break
        try {
          await this.send(sent)
          this.acknowledge(sent)
          break
        } catch (error) {
          if (isFirst) this.options.log('warning', `The log of the cluster does not answer: ${toError(error).message}`)
          await new Promise((done) => setTimeout(done, RETRY_MS))
        }
      }
    }
  }

  private takeBatch(): Waiting[] {
    let bytes = 0
    let count = 0
    // a message that is too large for the server would never get out of the way
    const most = Math.min(MOST_BYTES, this.options.nats.server.maxPayload - OVERHEAD)
    while (count < this.queue.length && count < MOST_RECORDS) {
      const { length } = this.queue[count]!.bytes
      if (count > 0 && bytes + length + (count + 1) * FRAME > most) break
      bytes += length
      count++
    }
    this.queuedBytes -= bytes
    const batch = this.queue.splice(0, count)
    for (const entry of batch) this.unapplied.set(entry.number, entry)
    return batch
  }

  private async send(entries: readonly Waiting[]): Promise<void> {
    const { nats, seal } = this.options
    const message = new Map<string, unknown>([
      ['w', this.writer],
      ['n', entries.map(({ number }) => number)],
      ['r', entries.map(({ bytes }) => bytes)],
      ['p', this.acked],
    ])
    await nats.append(this.subject, seal.close(encodeMsgpack(message, 'bus'), this.subject))
    this.reader.announce()
  }

  private acknowledge(entries: readonly Waiting[]): void {
    this.options.acked?.()
    this.acked = Math.max(this.acked, ...entries.map(({ number }) => number))
    for (const entry of entries) {
      entry.isAcked = true
      if (!this.unapplied.has(entry.number)) continue
      // the record is safe; the caller waits a while until it is carried out here
      setTimeout(() => this.settle(entry), CARRIED_OUT_MS).unref()
    }
  }

  private settle(entry: Waiting, error?: Error): void {
    this.unapplied.delete(entry.number)
    const { settle } = entry
    entry.settle = undefined
    settle?.(error)
  }

  private async take(message: StreamMessage, isLate: boolean = !this.reader.isCaughtUp): Promise<void> {
    const opened = this.opened(message.data)
    if (!opened) return
    const { seq, time } = message
    const { writer, numbers, records } = opened
    const isMine = writer === this.writer
    const isLeft = !isMine && writer.slice(0, writer.lastIndexOf('.')) === this.options.member
    const isReplayed = !this.hasBeenAtEnd
    if (!isLate) this.began = time - performance.now()
    const age = this.began + performance.now() - time
    if (this.done.size === 0) await this.options.begins(isReplayed)
    const seen = this.seen.get(writer) ?? 0
    const fresh = numbers.flatMap((number, index) => (number > seen ? [{ number, bytes: records[index]! }] : []))
    const work = fresh.map(async ({ number, bytes }) => {
      const mark = `${writer}.${number}`
      // a message is tried again when one of its records fails
      if (this.done.has(mark)) return
      const fields = decodeMsgpack(bytes, { dialect: 'bus', leavesPacked: (key) => key === 'return' })
      if (isDict(fields)) await this.options.apply({ mark, fields, isMine, isLeft, isLate, isReplayed, age })
      this.done.add(mark)
      const entry = isMine ? this.unapplied.get(number) : undefined
      if (entry) entry.isAcked = true
      if (entry) this.settle(entry)
    })
    const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    this.done.clear()
    note(this.seen, writer, Math.max(seen, ...numbers))
    note(this.read, writer, { number: Math.max(this.read.get(writer)?.number ?? 0, ...numbers), seq })
  }

  /**
   * Return the message at a position on which the servers agree. Each message names the previous record of its process.
   * If that one was not read, the answering server lacks a message, or gave messages other positions than the leader:
   * the leader is then asked for this position and the earlier ones.
   */
  private async whole(message: StreamMessage): Promise<StreamMessage> {
    const opened = this.opened(message.data)
    if (opened && !this.isBehind(opened)) return message
    const { nats, stream, log } = this.options
    const led = await nats.nextOfLeader(stream.name, message.seq, this.subject)
    const isOther = led?.seq === message.seq && !Buffer.from(led.data).equals(message.data)
    const agreed = isOther ? led : message
    const where = `Message ${message.seq} of ${stream.name}`
    if (isOther) log('warning', `${where} is another one on NATS server ${nats.server.name}, whose copy is not whole`)
    const read = isOther ? this.opened(agreed.data) : opened
    if (read && this.isBehind(read)) await this.readAgain(agreed, read)
    if (!read) this.tellGap({ isRepaired: false, count: undefined, text: `${where} cannot be read on any NATS server` })
    return agreed
  }

  /** Whether records of a process before a message were not read here. Nothing is known of a process that is met for the first time. */
  private isBehind({ writer, previous }: OpenedMessage): boolean {
    const read = this.read.get(writer)
    return read === undefined ? previous > 0 && this.hasBeenAtEnd : previous > read.number
  }

  /**
   * Carry out the unread messages before a position from the leader's copy. Records that were carried out before are
   * skipped.
   */
  private async readAgain(message: StreamMessage, { writer, previous }: OpenedMessage): Promise<void> {
    const { nats, stream, log } = this.options
    const known = this.read.get(writer)
    const before = this.seen.get(writer) ?? 0
    const first = Math.max(1, message.seq - MOST_READ_AGAIN, known ? known.seq - SHIFTED : message.seq - SHIFTED)
    for (let seq = first; seq < message.seq; seq++) {
      const led = await nats.nextOfLeader(stream.name, seq, this.subject)
      if (!led || led.seq >= message.seq) break
      await this.take(led, true)
      seq = led.seq
    }
    const now = this.seen.get(writer) ?? 0
    const what = (from: number, to: number): string =>
      `Records ${from} to ${to} of ${writer}, before message ${message.seq}`
    if (now > before) {
      const text = `${what(before + 1, now)}, were not read in their turn; the leader of ${stream.name} had them`
      this.tellGap({ isRepaired: true, count: now - before, text })
    }
    // a message whose work fails is tried again, and the gap before it is not reported again
    note(this.read, writer, { number: previous, seq: message.seq - 1 })
    // for an unknown process, the first messages may be older than those read again
    if (now < previous && known)
      this.tellGap({ isRepaired: false, count: previous - now, text: `${what(now + 1, previous)}, are missing` })
    else if (now < previous) log('debug', `${what(now + 1, previous)}, were not read by this process`)
  }

  private tellGap(gap: LogGap): void {
    this.options.log(gap.isRepaired ? 'warning' : 'error', gap.text)
    this.options.gap?.(gap)
  }

  /** Decrypt a message. A message that is unreadable on every server is skipped: no holder of the secret wrote it. */
  private opened(data: Uint8Array): OpenedMessage | undefined {
    try {
      const message = decodeMsgpack(this.options.seal.open(data, this.subject), { dialect: 'bus' })
      if (!isDict(message)) return undefined
      const [numbers, records] = [message.get('n') ?? [], message.get('r') ?? []]
      if (!isList(numbers) || !isList(records)) return undefined
      return {
        writer: str(message.get('w') ?? ''),
        numbers: numbers.map((each) => numberOf(each) ?? 0),
        records: records.filter((each): each is Uint8Array => each instanceof Uint8Array),
        previous: numberOf(message.get('p') ?? 0) ?? 0,
      }
    } catch (error) {
      this.options.log('error', toError(error).message)
      return undefined
    }
  }

  async close(): Promise<void> {
    if (this.queue.length > 0 || this.pumping) {
      await Promise.race([this.flushed().catch(() => {}), new Promise((done) => setTimeout(done, CLOSE_MS).unref())])
    }
    this.isClosed = true
    await this.reader.close()
    for (const entry of [...this.queue, ...this.unapplied.values()]) {
      // records in the log are safe: this master carries them out after its restart
      this.settle(entry, entry.isAcked ? undefined : new NoQuorumError('This master is stopping'))
    }
  }
}
