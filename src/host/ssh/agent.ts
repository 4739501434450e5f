// A shell on the target that answers requests. Requests are shell text, written one after the other without waiting; answers come in
// the same order, stdout and stderr each ended by a mark. Requests of one turn of the event loop go out in one write.
import { randomBytes } from 'node:crypto'
import type { Channel } from './channel.ts'
import { lostError, type SshError } from './errors.ts'
import { MarkedStream, newToken } from './marked-stream.ts'
import { type PrologueOptions, prologue } from './prologue.ts'

export interface Answer {
  status: number
  /** Whether a signal ended the command: the status is then 128 and its number. */
  isSignalled: boolean
  stdout: Buffer
  stderr: Buffer
  isTruncated: boolean
}

export interface RequestOptions {
  /** Hears stdout as it comes; then none of it is kept. */
  hear?: (piece: Buffer) => void
  /** In bytes, for each stream. */
  limit?: number
  /** A command that may take its time: other requests are better asked elsewhere. */
  isLong?: boolean
}

const MOST_SAID = 64 << 10

/** How long a shell may take to end, in milliseconds: longer than commands that are ended by force. */
const PATIENCE = 5000

/** One stream of an answer. */
class Gathered {
  isTruncated = false
  private readonly pieces: Buffer[] = []
  private left: number

  constructor(limit: number) {
    this.left = limit
  }

  add(piece: Buffer): void {
    if (piece.length > this.left) this.isTruncated = true
    if (this.left > 0) this.pieces.push(piece.subarray(0, this.left))
    this.left = Math.max(0, this.left - piece.length)
  }

  bytes(): Buffer {
    return this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces)
  }
}

interface Pending {
  options: RequestOptions
  out: Gathered
  err: Gathered
  status: number | undefined
  isSignalled: boolean
  done: (answer: Answer) => void
  fail: (error: SshError) => void
}

/** Of one answer, in bytes, for each stream. */
const MOST_ANSWER = 256 << 20

export class Agent {
  /** Resolved when the connection of this agent ended. */
  readonly ended: Promise<void>
  failure: SshError | undefined
  private readonly channel: Channel
  private readonly pending: Pending[] = []
  private readonly onRoundTrip: () => void
  private unsent: string[] = []
  private isOpen = false
  private isClosing = false
  private count = 0
  private said = Buffer.alloc(0)

  constructor(
    channel: Channel,
    host: string,
    settings: Omit<PrologueOptions, 'token' | 'isTerminal'>,
    onRoundTrip: () => void,
  ) {
    this.channel = channel
    this.onRoundTrip = onRoundTrip
    const token = newToken(randomBytes(16).toString('hex'))
    this.unsent.push(prologue({ token, isTerminal: channel.isTerminal, ...settings }))
    if (channel.isEager) this.openInput()
    this.ended = new Promise((done) => {
      channel.child.once('close', (code) => {
        // before it is ready, the channel knows the reason
        channel.ready.then(
          () => this.fail(lostError(host, this.said.toString(), code ?? 255)),
          (error) => this.fail(error),
        )
        done()
      })
    })
    channel.ready.then(
      () => this.listen(token),
      (error) => this.fail(error),
    )
  }

  /** Requests that are not answered yet. */
  get outstanding(): number {
    return this.pending.length
  }

  /** Whether a request would have to wait for a command to end. */
  get isBusy(): boolean {
    return this.pending.some(({ options }) => options.isLong)
  }

  get isUsable(): boolean {
    return this.failure === undefined && !this.isClosing
  }

  /** Run shell text; it is in a subshell without input unless it is to change the shell itself. */
  request(text: string, options: RequestOptions = {}): Promise<Answer> {
    if (this.failure) return Promise.reject(this.failure)
    const number = this.count++
    return new Promise((done, fail) => {
      const limit = options.limit ?? MOST_ANSWER
      const [out, err] = [new Gathered(limit), new Gathered(limit)]
      if (this.pending.length === 0) this.onRoundTrip()
      this.pending.push({ options, out, err, status: undefined, isSignalled: false, done, fail })
      this.send(`${text}\n_z ${number}\n`)
    })
  }

  private send(text: string): void {
    if (this.unsent.length === 0 && this.isOpen) setImmediate(() => this.flush())
    this.unsent.push(text)
  }

  private openInput(): void {
    this.isOpen = true
    setImmediate(() => this.flush())
  }

  private flush(): void {
    const text = this.unsent.join('\n')
    this.unsent = []
    if (text !== '' && !this.failure) this.channel.child.stdin.write(text)
  }

  private listen(token: string): void {
    if (!this.isOpen) this.openInput()
    const { stdout, stderr } = this.channel.child
    const errors = new MarkedStream(
      token,
      (piece) => this.takeError(piece),
      () => this.finishError(),
    )
    const output = new MarkedStream(
      token,
      (piece) => this.takeOutput(piece),
      (words) => this.finishOutput(words),
    )
    const feed = (stream: MarkedStream) => (piece: Buffer) => {
      try {
        stream.feed(piece)
      } catch {
        this.channel.child.kill('SIGTERM')
      }
    }
    // a terminal has one stream: the errors of an answer come after its output, with a mark of their own
    const inTurn = this.channel.isTerminal
    const merged = new MarkedStream(
      token,
      (piece) => (this.pending[0]?.status === undefined ? this.takeOutput(piece) : this.takeError(piece)),
      (words) => (this.pending[0]?.status === undefined ? this.finishOutput(words) : this.finishError()),
    )
    if (!inTurn) feed(errors)(this.channel.early)
    stdout.on('data', feed(inTurn ? merged : output))
    stderr.on('data', inTurn ? (piece: Buffer) => this.keepSaid(piece) : feed(errors))
  }

  private keepSaid(piece: Buffer): void {
    this.said = Buffer.concat([this.said, piece]).subarray(-MOST_SAID)
  }

  private takeOutput(piece: Buffer): void {
    const current = this.pending.find(({ status }) => status === undefined)
    if (current?.options.hear) current.options.hear(piece)
    else current?.out.add(piece)
  }

  private takeError(piece: Buffer): void {
    this.keepSaid(piece)
    this.pending[this.errorsDone]?.err.add(piece)
  }

  /** How many of the pending requests have their stderr already, and wait for stdout. */
  private errorsDone = 0

  private finishOutput([, status, flag]: string[]): void {
    const current = this.pending.find((request) => request.status === undefined)
    if (!current) return
    current.status = Number(status)
    current.isSignalled = flag === 's'
    this.settle()
  }

  private finishError(): void {
    this.errorsDone++
    this.said = Buffer.alloc(0)
    this.settle()
  }

  private settle(): void {
    while (this.errorsDone > 0 && this.pending[0]?.status !== undefined) {
      const { out, err, status, isSignalled, done } = this.pending.shift()!
      this.errorsDone--
      const isTruncated = out.isTruncated || err.isTruncated
      done({ status: status!, isSignalled, stdout: out.bytes(), stderr: err.bytes(), isTruncated })
    }
  }

  private fail(error: SshError): void {
    if (this.failure) return
    this.failure = error
    for (const { fail } of this.pending.splice(0)) fail(error)
  }

  /** Let the shell end by itself, which removes its temporary files. A shell that does not is left with its connection. */
  async close(): Promise<void> {
    this.isClosing = true
    if (!this.isOpen) this.openInput()
    this.flush()
    if (this.channel.isTerminal) this.channel.child.stdin.write('exit\n')
    this.channel.child.stdin.end()
    const timer = setTimeout(() => this.channel.child.kill('SIGTERM'), PATIENCE)
    await this.ended
    clearTimeout(timer)
  }
}
