// One Python process and its calls. The first call starts it, and after a crash the next call; calls that were running
// then fail with an error about it. Calls go in both directions at the same time over two streams.
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { LOG_LEVELS, type Log, type LogLevel, namedLog, silentLog, toError } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type DocumentSink, Documents } from './documents.ts'
import { errorOf, failureFacts, failureOf, PythonFailure, WorkerError } from './errors.ts'
import { frame, PythonFrameReader } from './frames.ts'
import type { LaunchedWorker } from './launch.ts'
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

/** How long Python may take to react to an aborted call, in milliseconds. */
const GRACE_MS = 2000

/**
 * How long to wait for the last output of a worker that ended, in milliseconds. A program that it started may keep its
 * pipes open.
 */
const LAST_WORDS_MS = 500

export interface WorkerOptions {
  launch: () => LaunchedWorker | Promise<LaunchedWorker>
  /** The name of the worker in error texts. */
  name: string
  /** Limits for an untrusted worker: bytes of a frame, concurrent requests, and options that it does not get. */
  limits?: { frame: number; asks: number; withheld: ReadonlySet<unknown> }
}

export interface Asked {
  method: string
  params: readonly Value[]
}

export interface WorkerCall {
  method: string
  /** Return the context with the numbers of documents; called when the worker is ready. */
  facts: (documents: Documents) => Dict
  params: readonly Value[]
  /** Answers requests of the module during the call. */
  ask: (asked: Asked) => Value | Promise<Value>
  /** The name of the called function, for errors. */
  what: string
  /** Seconds; 0 for no limit. */
  timeout: number
  /** The source of the time limit, for errors. */
  limit?: string
  /** Ends the call, with its reason as the error. */
  signal?: AbortSignal | undefined
  /** Receives the changes of the call to `__context__`. */
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
  private starting: Promise<Process> | undefined

  constructor(options: WorkerOptions) {
    this.options = options
  }

  /** The id of the running process; undefined if there is none. */
  get pid(): number | undefined {
    return this.process?.isOver === false ? this.process.child.pid : undefined
  }

  async call(call: WorkerCall): Promise<Value> {
    return (await this.running()).call(call)
  }

  /** Start a process unless one runs. */
  async ready(): Promise<void> {
    await this.running()
  }

  private running(): Process | Promise<Process> {
    if (this.process && !this.process.isOver) return this.process
    if (this.starting) return this.starting
    const launched = this.options.launch()
    if (!(launched instanceof Promise)) return this.serve(launched)
    this.starting = launched.then((ready) => this.serve(ready)).finally(() => (this.starting = undefined))
    return this.starting
  }

  private serve(launched: LaunchedWorker): Process {
    this.process = new Process(launched, this.options, () => this.log)
    return this.process
  }
}

class Process {
  readonly child: LaunchedWorker['child']
  isOver = false
  private readonly log: () => Log
  private readonly options: WorkerOptions
  private readonly documents: Documents
  private readonly pending = new Map<number, Pending>()
  private readonly program: string
  private readonly to: Writable
  private readonly streams: readonly (Readable | Writable)[]
  private readonly printed: readonly OutputLines[]
  private asking = 0
  private last = 0
  private failure: WorkerError | undefined

  constructor({ child, program, to, from, printed }: LaunchedWorker, options: WorkerOptions, log: () => Log) {
    this.options = options
    this.log = log
    this.child = child
    this.program = program
    this.to = to
    this.streams = [...printed, to, from]
    // the exit of the process reports the reason
    for (const stream of this.streams) stream.on('error', () => {})
    this.printed = printed.map((stream) => {
      const lines = new OutputLines(log)
      stream.on('data', (piece: Buffer) => lines.push(piece)).resume()
      return lines
    })
    const reader = new PythonFrameReader((message) => this.take(message), options.limits?.frame)
    from.on('data', (piece: Buffer) => this.read(reader, piece)).resume()
    // a worker whose stream a module closed cannot answer any more
    from.once('end', () => this.child.kill('SIGKILL'))
    this.child.once('error', (error) => this.end(this.unstartable(error)))
    this.child.once('close', (code, signal) => this.end(this.died(code, signal)))
    this.child.once('exit', (code, signal) => {
      setTimeout(() => this.end(this.died(code, signal)), LAST_WORDS_MS).unref()
    })
    const sink: DocumentSink = {
      document: (number, value) => this.send([DOCUMENT, number, value]),
      patch: (number, changed, gone) => this.send([PATCH, number, changed, gone]),
      drop: (number) => this.send([DROP, number]),
    }
    this.documents = new Documents(sink, options.limits?.withheld)
    this.rest()
  }

  call(call: WorkerCall): Promise<Value> {
    const { signal, what, timeout, limit = '' } = call
    if (this.failure) return Promise.reject(this.failure)
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const number = ++this.last
      const pending: Pending = { call, resolve, reject }
      this.send([CALL, number, call.method, [call.facts(this.documents), ...call.params]])
      const late = `${what} took longer than ${timeout} seconds${limit}`
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
    if (!this.isOver) this.to.write(frame(message))
  }

  /** An idle worker does not keep this process from ending. */
  private rest(): void {
    this.child.unref()
    for (const stream of this.streams) (stream as Partial<Socket>).unref?.()
  }

  private wake(): void {
    this.child.ref()
    for (const stream of this.streams) (stream as Partial<Socket>).ref?.()
  }

  /** Read Python's output. A module can write to the pipe itself, so no content may harm this process. */
  private read(reader: PythonFrameReader, piece: Buffer): void {
    if (this.isOver) return
    try {
      reader.push(piece)
    } catch (error) {
      const why = `${this.options.name} wrote what cannot be read: ${toError(error).message}`
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
    if (this.options.limits && !this.printed[0]!.takes(text.length)) return
    if (log.from) namedLog(log, name)(level, printable(text))
    else log(level, printable(`[${name}] ${text}`))
  }

  private settle(kind: number, number: number, message: Value[]): void {
    const pending = this.taken(number)
    if (!pending) return
    try {
      const written = message[3] as [Dict, Value[]] | null
      if (written) pending.call.remember?.(written[0], written[1])
      if (kind === REPLY) pending.resolve(message[2]!)
      else pending.reject(errorOf(failureFacts(message[2]!), pending.call.what))
    } catch (error) {
      pending.reject(toError(error))
      throw error
    }
  }

  /** Remove a call that has ended. */
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
    this.asking++
    try {
      if (this.asking > (this.options.limits?.asks ?? Number.POSITIVE_INFINITY)) {
        throw new WorkerError('WorkerDied', 'A module asks for too much at the same time')
      }
      if (!pending) throw new WorkerError('CallTimedOut', 'The call that asks is over')
      if (method === 'document') this.documents.send(params[0] as number)
      const value = method === 'document' ? null : await pending.call.ask({ method, params })
      this.send([REPLY, number, value])
    } catch (error) {
      this.send([FAIL, number, failureOf(error)])
    } finally {
      this.asking--
    }
  }

  /** Abort a call: by an exception in its thread, or by a new worker if Python does not react. */
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
      this.log()('warning', `${given.call.what} cannot be ended; ${lowerFirst(this.options.name)} is started anew`)
      this.child.kill('SIGKILL')
    }, GRACE_MS)
    const heard = (): void => clearTimeout(unheard)
    alive.then(heard, heard)
  }

  private unstartable(error: Error): WorkerError {
    const why = `Python modules need ${this.program}, which cannot be started: ${error.message}`
    return new WorkerError('PythonMissing', why)
  }

  private died(code: number | null, signal: string | null): WorkerError {
    const how = signal === null ? `with status ${code}` : `by ${signal}`
    const names = [...this.pending.values()].map(({ call }) => call.what).filter((what) => what !== '')
    const during = names.length === 0 ? '' : ` while it ran ${names.join(', ')}`
    return new WorkerError('WorkerDied', `${this.options.name} ended ${how}${during}`)
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

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

function levelOf(number: number): LogLevel {
  const names = Object.keys(LOG_LEVELS) as LogLevel[]
  return names.findLast((name) => LOG_LEVELS[name] <= number && name !== 'all') ?? 'garbage'
}
