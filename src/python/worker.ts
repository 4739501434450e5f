// One Python process and the calls in it. It is started by the first call, and again by the first call after it died; what
// was running then gets an error that says so. Calls go both ways at the same time over two pipes of their own.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { LOG_LEVELS, type Log, type LogLevel, namedLog, silentLog, toError } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { Documents } from './documents.ts'
import { errorOf, type FailureFacts, failureOf, PythonFailure, WorkerError } from './errors.ts'
import { frame, PythonFrameReader } from './frames.ts'
import { interpreter, workerEnvironment, workerFile } from './interpreter.ts'
import { OutputLines, printable } from './output-lines.ts'

// to the worker
const CALL = 0
const REPLY = 1
const FAIL = 2
const DOCUMENT = 3
const PATCH = 4
const DROP = 5
const CANCEL = 6
// from the worker
const ASK = 0
const LOG = 3

/** How long Python may take to notice that a call was given up. */
const GRACE_MS = 2000

/** How long the last words of a worker that ended are waited for. A program it started may keep its pipes open. */
const LAST_WORDS_MS = 500

export interface WorkerOptions {
  /** The program; `python3` as the search path has it. */
  python: string
  /** The least level of log lines that is wanted. */
  level: number
  /** Megabytes of address space; 0 for no limit. */
  memory: number
  /** Whether `import salt` means a real Salt, where there is one. */
  upstream: boolean
}

export interface Asked {
  method: string
  params: readonly Value[]
}

export interface WorkerCall {
  method: string
  /** With the numbers of documents; asked for when the worker is there. */
  facts: (documents: Documents) => Dict
  params: readonly Value[]
  /** What the module asks of us meanwhile. */
  ask: (asked: Asked) => Value | Promise<Value>
  /** What is called, for errors. */
  what: string
  /** Seconds; 0 for no limit. */
  timeout: number
  /** Ends the call, with its reason as the error. */
  signal?: AbortSignal | undefined
  /** What the call left in `__context__`. */
  remember?: (kept: Dict, gone: readonly Value[]) => void
}

interface Pending {
  call: WorkerCall
  resolve: (value: Value) => void
  reject: (error: Error) => void
  timer?: NodeJS.Timeout | undefined
  leave?: () => void
}

export class Worker {
  log: Log = silentLog
  private readonly options: WorkerOptions
  private process: Process | undefined

  constructor(options: WorkerOptions) {
    this.options = options
  }

  /** The number of the process that serves now. */
  get pid(): number | undefined {
    return this.process?.child.pid
  }

  call(call: WorkerCall): Promise<Value> {
    if (!this.process || this.process.isOver) this.process = new Process(this.options, () => this.log)
    return this.process.call(call)
  }

  close(): void {
    this.process?.child.kill('SIGKILL')
  }
}

class Process {
  readonly child: ChildProcess
  isOver = false
  private readonly log: () => Log
  private readonly options: WorkerOptions
  private readonly documents: Documents
  private readonly pending = new Map<number, Pending>()
  private readonly pipes: Socket[]
  private readonly printed: readonly OutputLines[]
  private last = 0
  private failure: WorkerError | undefined

  constructor(options: WorkerOptions, log: () => Log) {
    this.options = options
    this.log = log
    // -S: the worker reads `site` when it needs it
    const words = ['-S', workerFile(), String(options.level), String(options.memory), options.upstream ? '1' : '0']
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const
    this.child = spawn(interpreter(options.python), words, { stdio: [...stdio], env: workerEnvironment() })
    this.pipes = this.child.stdio.slice(1) as Socket[]
    const [out, err, to, from] = this.pipes as [Socket, Socket, Socket, Socket]
    this.printed = [out, err].map((pipe) => {
      const lines = new OutputLines(log)
      pipe.on('data', (piece: Buffer) => lines.push(piece))
      return lines
    })
    const reader = new PythonFrameReader((message) => this.take(message))
    from.on('data', (piece: Buffer) => this.read(reader, piece))
    // a worker whose pipe a module closed can answer nothing any more
    from.once('end', () => this.child.kill('SIGKILL'))
    // the end of the process says what happened
    for (const pipe of this.pipes) pipe.on('error', () => {})
    this.child.once('error', (error) => this.end(this.unstartable(error)))
    this.child.once('close', (code, signal) => this.end(this.died(code, signal)))
    this.child.once('exit', (code, signal) => {
      setTimeout(() => this.end(this.died(code, signal)), LAST_WORDS_MS).unref()
    })
    this.documents = new Documents({
      document: (number, value) => this.write(to, [DOCUMENT, number, value]),
      patch: (number, changed, gone) => this.write(to, [PATCH, number, changed, gone]),
      drop: (number) => this.write(to, [DROP, number]),
    })
    this.rest()
  }

  call(call: WorkerCall): Promise<Value> {
    const { signal, what, timeout } = call
    if (this.failure) return Promise.reject(this.failure)
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const number = ++this.last
      const pending: Pending = { call, resolve, reject }
      this.send([CALL, number, call.method, [call.facts(this.documents), ...call.params]])
      const late = `${what} took longer than ${timeout} seconds (python_call_timeout)`
      const stop = (): void => this.giveUp(number, signal!.reason as Error)
      if (timeout > 0) {
        pending.timer = setTimeout(() => this.giveUp(number, timedOut(late)), timeout * 1000)
      }
      signal?.addEventListener('abort', stop)
      pending.leave = () => signal?.removeEventListener('abort', stop)
      this.pending.set(number, pending)
      if (this.pending.size > 1) return
      this.wake()
      for (const lines of this.printed) lines.renew()
    })
  }

  private send(message: readonly unknown[]): void {
    this.write(this.pipes[2]!, message)
  }

  private write(to: Socket, message: readonly unknown[]): void {
    if (!this.isOver) to.write(frame(message))
  }

  /** An idle worker does not keep this process from ending. */
  private rest(): void {
    this.child.unref()
    for (const pipe of this.pipes) pipe.unref()
  }

  private wake(): void {
    this.child.ref()
    for (const pipe of this.pipes) pipe.ref()
  }

  /** Read what Python wrote. A module can write to the pipe itself, so that nothing in it may harm this process. */
  private read(reader: PythonFrameReader, piece: Buffer): void {
    if (this.isOver) return
    try {
      reader.push(piece)
    } catch (error) {
      const why = `The Python worker wrote what cannot be read: ${toError(error).message}`
      this.log()('error', `${why}; it is started anew`)
      this.child.kill('SIGKILL')
      this.end(new WorkerError('WorkerDied', why))
    }
  }

  private take(message: Value[]): void {
    const [kind, number] = message as [number, number]
    if (kind === ASK) void this.answer(number, message)
    else if (kind === LOG) this.pass(levelOf(number), String(message[2]), String(message[3]))
    else this.settle(kind, number, message)
  }

  /** Pass a line of a module on under the name of its logger. */
  private pass(level: LogLevel, name: string, text: string): void {
    const log = this.log()
    if (log.from) namedLog(log, name)(level, printable(text))
    else log(level, printable(`[${name}] ${text}`))
  }

  private settle(kind: number, number: number, message: Value[]): void {
    const pending = this.taken(number)
    if (!pending) return
    const written = message[3] as [Dict, Value[]] | null
    if (written) pending.call.remember?.(written[0], written[1])
    if (kind === REPLY) pending.resolve(message[2]!)
    else pending.reject(errorOf(Object.fromEntries(message[2] as Dict) as unknown as FailureFacts, pending.call.what))
  }

  /** A call that is over. */
  private taken(number: number): Pending | undefined {
    const pending = this.pending.get(number)
    if (!pending) return undefined
    this.pending.delete(number)
    clearTimeout(pending.timer)
    pending.leave?.()
    if (this.pending.size === 0) this.rest()
    return pending
  }

  private async answer(number: number, message: Value[]): Promise<void> {
    const [, , caller, method, params] = message as [number, number, number, string, Value[]]
    const pending = this.pending.get(caller)
    try {
      if (!pending) throw new WorkerError('CallTimedOut', 'The call that asks is over')
      if (method === 'document') this.documents.send(params[0] as number)
      const value = method === 'document' ? null : await pending.call.ask({ method, params })
      this.send([REPLY, number, value])
    } catch (error) {
      this.send([FAIL, number, failureOf(error)])
    }
  }

  /** Ends a call: by an exception in its thread, and when Python does not get to that, by a new worker. */
  private giveUp(number: number, reason: Error): void {
    const given = this.taken(number)
    if (!given) return
    this.send([CANCEL, number])
    given.reject(reason)
    const alive = this.call({
      method: 'alive',
      facts: () => new Map(),
      params: [],
      ask: () => null,
      what: '',
      timeout: 0,
    })
    const unheard = setTimeout(() => {
      this.log()('warning', `${given.call.what} cannot be ended; the Python worker is started anew`)
      this.child.kill('SIGKILL')
    }, GRACE_MS)
    const heard = (): void => clearTimeout(unheard)
    alive.then(heard, heard)
  }

  private unstartable(error: Error): WorkerError {
    const { python } = this.options
    return new WorkerError('PythonMissing', `Python modules need ${python}, which cannot be started: ${error.message}`)
  }

  private died(code: number | null, signal: string | null): WorkerError {
    const how = signal === null ? `with status ${code}` : `by ${signal}`
    const names = [...this.pending.values()].map(({ call }) => call.what).filter((what) => what !== '')
    const during = names.length === 0 ? '' : ` while it ran ${names.join(', ')}`
    return new WorkerError('WorkerDied', `The Python worker ended ${how}${during}`)
  }

  private end(failure: WorkerError): void {
    if (this.isOver) return
    this.isOver = true
    this.failure = failure
    for (const { reject, timer, leave } of this.pending.values()) {
      clearTimeout(timer)
      leave?.()
      reject(failure)
    }
    if (this.pending.size > 0 && failure.code === 'WorkerDied') this.log()('error', failure.message)
    this.pending.clear()
  }
}

const timedOut = (message: string): PythonFailure =>
  new PythonFailure('TimeoutError', message, { trace: '', module: 'builtins' })

function levelOf(number: number): LogLevel {
  const names = Object.keys(LOG_LEVELS) as LogLevel[]
  return names.findLast((name) => LOG_LEVELS[name] <= number && name !== 'all') ?? 'garbage'
}
