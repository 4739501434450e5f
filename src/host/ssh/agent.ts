// A shell on the target that answers requests. Requests are shell text, written one after the other without waiting; answers come in
// the same order, stdout and stderr each ended by a mark. Requests of one turn of the event loop go out in one write.
import { randomBytes } from 'node:crypto'
import type { Channel, ShellProcess } from './channel.ts'
import { lostError, type SshError } from './errors.ts'
import { MarkedStream, newToken } from './marked-stream.ts'
import { prologue, type ShellSettings } from './prologue.ts'

export interface AgentAnswer {
  status: number
  /** Whether a signal ended the command: the status is then 128 and its number. */
  isSignalled: boolean
  stdout: Buffer
  stderr: Buffer
  isTruncated: boolean
}

export interface AgentRequestOptions {
  /** Receives stdout as it arrives; then none of it is kept. */
  hear?: (piece: Buffer) => void
  /** In bytes, for each stream. */
  limit?: number
  /** Whether the command may take long: other requests should use another shell. */
  isLong?: boolean
  /** The shell has something to remove when it ends. */
  leavesFiles?: boolean
  /** Whether the request changes nothing, so that its end need not be awaited. */
  isRead?: boolean
}

const MOST_SAID = 64 << 10

/** How long a shell may take to end, in milliseconds: longer than commands that are killed. */
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

/** Requests for many things that are one request: its text, and the answer of each. */
export interface AgentBatch<T> {
  text(items: readonly string[]): string
  /** Return the result of each item; `undefined` for one that must be requested separately. */
  parts(answer: AgentAnswer, items: readonly string[]): ReadonlyArray<T | undefined>
}

/** The last request that is not sent yet, where further items may join it. */
interface OpenBatch {
  kind: AgentBatch<unknown>
  items: string[]
  size: number
  answer: Promise<ReadonlyArray<unknown>>
}

/** Size limit of one request with many items, in characters: some shells read requests byte by byte. */
const MOST_BATCH = 32 << 10

interface Pending {
  options: AgentRequestOptions
  out: Gathered
  err: Gathered
  status: number | undefined
  isSignalled: boolean
  done: (answer: AgentAnswer) => void
  fail: (error: SshError) => void
}

/** Size limit of one answer, in bytes, for each stream. */
const MOST_ANSWER = 256 << 20

export class Agent {
  /** Resolved when the connection of this agent ended. */
  readonly ended: Promise<void>
  failure: SshError | undefined
  readonly channel: Channel<ShellProcess>
  private readonly pending: Pending[] = []
  private readonly onRoundTrip: () => void
  private unsent: Array<() => string> = []
  private open: OpenBatch | undefined
  private isOpen = false
  private isClosing = false
  private hasFiles = false
  /** Whether an answer has arrived since the last write: the next request may depend on it. */
  private isAnswered = true
  private count = 0
  /** The time of the last output of the shell, or of the first request after idling. */
  private heard = 0
  private said = Buffer.alloc(0)

  constructor(channel: Channel<ShellProcess>, host: string, settings: ShellSettings, onRoundTrip: () => void) {
    this.channel = channel
    this.onRoundTrip = onRoundTrip
    const token = newToken(randomBytes(16).toString('hex'))
    this.unsent.push(() => prologue({ token, isTerminal: channel.isTerminal, ...settings }))
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

  /** For how long the shell has been silent with open requests, in milliseconds. */
  get silence(): number {
    return this.pending.length === 0 ? 0 : performance.now() - this.heard
  }

  /** Whether a request would have to wait for a command to end. */
  get isBusy(): boolean {
    return this.pending.some(({ options }) => options.isLong)
  }

  get isUsable(): boolean {
    return this.failure === undefined && !this.isClosing
  }

  /** Run shell text; it is in a subshell without input unless it is to change the shell itself. */
  request(text: string, options: AgentRequestOptions = {}): Promise<AgentAnswer> {
    this.open = undefined
    return this.enqueue(() => text, options)
  }

  /** Request one item of a kind: consecutive requests of the same kind are sent as one. */
  async requestOf<T>(kind: AgentBatch<T>, item: string): Promise<T | undefined> {
    if (this.open?.kind !== kind || this.open.size > MOST_BATCH) this.open = this.begin(kind)
    const { items, answer } = this.open
    this.open.size += item.length
    const place = items.push(item) - 1
    return (await answer)[place] as T | undefined
  }

  private begin<T>(kind: AgentBatch<T>): OpenBatch {
    const items: string[] = []
    const asked = this.enqueue(() => kind.text(items), { isRead: true })
    return { kind, items, size: 0, answer: asked.then((answer) => kind.parts(answer, items)) }
  }

  private enqueue(text: () => string, options: AgentRequestOptions): Promise<AgentAnswer> {
    if (this.failure) return Promise.reject(this.failure)
    const number = this.count++
    if (options.leavesFiles) this.hasFiles = true
    if (this.pending.length === 0) this.heard = performance.now()
    return new Promise((done, fail) => {
      const limit = options.limit ?? MOST_ANSWER
      const [out, err] = [new Gathered(limit), new Gathered(limit)]
      this.pending.push({ options, out, err, status: undefined, isSignalled: false, done, fail })
      this.send(() => `${text()}\n_z ${number}\n`)
    })
  }

  private send(text: () => string): void {
    if (this.unsent.length === 0 && this.isOpen) setImmediate(() => this.flush())
    this.unsent.push(text)
  }

  private openInput(): void {
    this.isOpen = true
    setImmediate(() => this.flush())
  }

  private flush(): void {
    this.open = undefined
    const text = this.unsent.map((part) => part()).join('\n')
    this.unsent = []
    if (text === '' || this.failure) return
    if (this.isAnswered && this.pending.length > 0) {
      this.onRoundTrip()
      this.isAnswered = false
    }
    this.channel.child.stdin.write(text)
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
      this.heard = performance.now()
      try {
        stream.feed(piece)
      } catch {
        this.channel.child.kill('SIGTERM')
      }
    }
    // a terminal has one stream: the errors of an answer follow its output, with a separate mark
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

  /** How many pending requests already have their stderr, and wait for stdout. */
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
      this.isAnswered = true
      const isTruncated = out.isTruncated || err.isTruncated
      done({ status: status!, isSignalled, stdout: out.bytes(), stderr: err.bytes(), isTruncated })
    }
  }

  /** Fail all requests that wait for an answer: the target answers no more. */
  abandon(error: SshError): void {
    this.fail(error)
    const { child } = this.channel
    child.kill('SIGTERM')
    // the shared connection holds the other ends as long as the target does
    child.stdout.destroy()
    child.stderr.destroy()
  }

  private fail(error: SshError): void {
    if (this.failure) return
    this.failure = error
    for (const { fail } of this.pending.splice(0)) fail(error)
  }

  /** Whether the end of the shell is of no interest: it changes nothing, and nothing has to be removed. */
  private get isIdle(): boolean {
    return (
      this.pending.every(({ options }) => options.isRead) &&
      !this.hasFiles &&
      !this.channel.isTerminal &&
      this.isOpen &&
      !this.failure
    )
  }

  /**
   * Let the shell end, which removes its temporary files. A shell that does not end is abandoned with its connection.
   * `letGo` takes over the process of a shell whose end need not be awaited.
   */
  async close(letGo?: (child: ShellProcess) => void): Promise<void> {
    const isIdle = this.isIdle
    this.isClosing = true
    if (!this.isOpen) this.openInput()
    this.flush()
    if (this.channel.isTerminal) this.channel.child.stdin.write('exit\n')
    this.channel.child.stdin.end()
    if (letGo && isIdle) return letGo(this.channel.child)
    const timer = setTimeout(() => this.channel.child.kill('SIGTERM'), PATIENCE)
    await this.ended
    clearTimeout(timer)
  }
}
