// An ssh process with a program on the target. Output of the login shell, of ssh and of sudo precedes the program's; it
// ends with marks, of the shell after the login and of the shell of the wanted user. Output of the latter before the
// program is kept as the preamble.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { type BecomePlan, isQuestion, type LoginMarks } from './become.ts'
import { connectionError, lostError, SshError, shellError } from './errors.ts'

/** Limit of a login's output before it counts as broken, and of the kept output of ssh. */
const MOST_NOISE = 1 << 20

/** Text that ssh adds when a terminal is closed. */
const CLOSING = /^(Shared c|C)onnection to .* closed\.\s*$/m

export interface ChannelOptions {
  host: string
  plan: BecomePlan
  marks: LoginMarks
  /** How long the target may take to start the program, in seconds. */
  patience: number
}

/** The interface of the process behind a channel. */
export interface ShellProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  kill(signal?: NodeJS.Signals): boolean
  once(event: 'close', hear: (code: number | null) => void): unknown
  once(event: 'error', hear: (error: Error) => void): unknown
  off(event: 'close', hear: (code: number | null) => void): unknown
  off(event: 'error', hear: (error: Error) => void): unknown
  ref?(): void
  unref?(): void
}

export class Channel<Process extends ShellProcess = ChildProcessWithoutNullStreams> {
  readonly child: Process
  /** Resolved when the program's own output begins. Rejected with the reason when it never does. */
  readonly ready: Promise<void>
  /** Whether the program may be written to before it is ready. */
  readonly isEager: boolean
  readonly isTerminal: boolean
  private readonly options: ChannelOptions
  /** Stderr before the program was ready: its own output may overtake the mark on stdout. */
  early = Buffer.alloc(0)
  /** Output between the marks of the user and of the program. */
  preamble = Buffer.alloc(0)
  private noise = Buffer.alloc(0)
  private said = ''
  /** Where the last prompt in the output ended. */
  private asked = 0
  private answers = 0

  constructor(child: Process, options: ChannelOptions) {
    this.child = child
    this.options = options
    this.isEager = !options.plan.waits
    this.isTerminal = options.plan.terminal
    this.ready = this.settle()
    // the caller may await this promise later or never
    this.ready.catch(() => {})
  }

  private settle(): Promise<void> {
    const { child } = this
    return new Promise((done, fail) => {
      const onError = (error: Error): void =>
        finish(() => fail(new SshError('Unreachable', `Could not start ssh: ${error.message}`, '')))
      const onClose = (code: number | null): void => finish(() => fail(this.failure(code ?? 255)))
      const onSaid = (piece: Buffer): void => {
        this.early = Buffer.concat([this.early, piece]).subarray(-MOST_NOISE)
        this.said = (this.said + piece.toString()).slice(-MOST_NOISE)
        if (this.answersQuestion(this.said)) this.said = ''
      }
      const onNoise = (piece: Buffer): void => {
        this.noise = Buffer.concat([this.noise, piece])
        const at = this.noise.indexOf(this.options.marks.ready)
        const end = at < 0 ? -1 : this.noise.indexOf('\n', at)
        if (end >= 0) {
          this.preamble = this.noise.subarray(
            this.noise.indexOf('\n', this.noise.indexOf(this.options.marks.user)) + 1,
            at,
          )
          finish(done)
          child.stdout.unshift(this.noise.subarray(end + 1))
          this.noise = Buffer.alloc(0)
        } else if (this.noise.length > MOST_NOISE) child.kill('SIGTERM')
        else if (
          !this.noise.includes(this.options.marks.user) &&
          this.answersQuestion(this.noise.toString('utf8', this.asked))
        )
          this.asked = this.noise.length
      }
      const onSilence = (): void => {
        const { host, patience } = this.options
        child.kill('SIGTERM')
        finish(() => fail(new SshError('Unreachable', `No answer from ${host} within ${patience} seconds`, this.said)))
      }
      const timer = setTimeout(onSilence, this.options.patience * 1000)
      const finish = (tell: () => void): void => {
        clearTimeout(timer)
        child.off('error', onError)
        child.off('close', onClose)
        holdBack(child.stderr.off('data', onSaid))
        holdBack(child.stdout.off('data', onNoise))
        tell()
      }
      child.once('error', onError)
      child.once('close', onClose)
      child.stderr.on('data', onSaid)
      child.stdout.on('data', onNoise)
    })
  }

  /** Give the password at the first question. A second one means that it was wrong; then the program is ended. */
  private answersQuestion(text: string): boolean {
    const { password } = this.options.plan
    if (this.isEager || !isQuestion(text)) return false
    if (password !== undefined && this.answers++ === 0) this.child.stdin.write(`${password}\n`)
    else if (this.isTerminal) this.child.kill('SIGTERM')
    else this.child.stdin.end()
    return true
  }

  private failure(code: number): SshError {
    const { host, marks, plan } = this.options
    const noise = this.noise.toString()
    const login = noise.indexOf(marks.login)
    if (login < 0)
      return code === 255 ? connectionError(host, this.said, code) : shellError(host, this.said || noise, code)
    if (plan.prompt === undefined)
      return code === 255 ? lostError(host, this.said, code) : shellError(host, this.said || noise, code)
    const words = `${noise.slice(login + marks.login.length)}\n${this.said}`
      .replaceAll(plan.prompt, '')
      .replace(CLOSING, '')
      .trim()
    const reason = words
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .at(-1)
    return new SshError(
      'BecomeRefused',
      `Could not become another user on ${host}: ${reason ?? `ended with ${code}`}`,
      words,
      code,
    )
  }
}

/** Buffer input until the next reader listens. A paused stream does not start automatically. */
function holdBack(stream: Readable): void {
  stream.pause()
  const onListener = (event: string | symbol): void => {
    if (event !== 'data') return
    stream.off('newListener', onListener)
    process.nextTick(() => stream.resume())
  }
  stream.on('newListener', onListener)
}
