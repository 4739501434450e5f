// Extra processes that compile pillar, started when this takes much of the master's time, so that the templates of
// thousands of minions neither delay the bus nor leave other cores idle. A request with many values always goes to a
// process, because a minion chooses their number. Idle processes are stopped. If a process dies, the master compiles
// its requests itself.
import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, markTexts, type Value } from '../data/mod.ts'
import type { MinionPillarRequest } from '../pillar/mod.ts'
import { forkFor } from '../wire/mod.ts'

export type PillarQuestion = { open: Uint8Array; leastLevel: number } | { ask: number; request: Uint8Array }
export type PoolAnswer =
  | { log: Parameters<Log> }
  | { answer: number; pillar: Uint8Array; secrets: string[] }
  | { answer: number; error: string }
  | 'ready'

/** Encode values as for minions. */
export const packed = (value: unknown): Uint8Array => encodeMsgpack(value, 'bus')
export const unpacked = (bytes: Uint8Array): Value => decodeMsgpack(bytes, { dialect: 'bus' })

export interface PoolSettings {
  /** The file of this program. */
  program: string
  opts: Dict
  log: Log
  /** Maximum number of processes. */
  most: number
  /** Milliseconds of the last second that the master may make pillar itself. */
  ownMs?: number
  /**
   * How long a process stays without work, and the delay before a new start after one ended by itself, in milliseconds.
   */
  idleMs?: number
  pauseMs?: number
}

/**
 * Return the pool that the options describe: up to `worker_threads` processes, at most one per core besides the
 * master's own.
 */
export function pillarPool(opts: Dict, log: Log, program: string): PillarPool {
  const workers = option(opts, 'worker_threads')
  const most = Math.max(1, Math.min(workers, availableParallelism() - 1))
  return new PillarPool({ program, opts, log, most })
}

type Make = () => Promise<Dict>

/** Time constant of the load measurement. */
const MEMORY_MS = 1000

/** The process that was asked has ended. */
class GoneError extends Error {}

class PillarProcess {
  readonly child: ChildProcess
  isReady = false
  /** Resolves when the process is ready, or has ended. */
  readonly started: Promise<void>
  private onStarted: () => void = () => {}
  private readonly waiting = new Map<number, { done(pillar: Dict): void; fail(error: Error): void }>()
  private last = 0

  constructor({ program, opts, log }: PoolSettings, onEnd: () => void) {
    this.started = new Promise((done) => {
      this.onStarted = done
    })
    this.child = forkFor('pillar', program)
    this.child.on('error', (error) => log('error', `A process for pillar failed: ${error.message}`))
    this.child.on('message', (answer: PoolAnswer) => this.hear(answer, log))
    this.child.once('close', () => {
      this.isReady = false
      this.onStarted()
      for (const { fail } of this.waiting.values()) fail(new GoneError())
      onEnd()
    })
    this.tell({ open: packed(opts), leastLevel: log.least ?? 0 })
  }

  get busy(): number {
    return this.waiting.size
  }

  ask(request: MinionPillarRequest): Promise<Dict> {
    return new Promise((done, fail) => {
      const number = ++this.last
      this.waiting.set(number, { done, fail })
      this.tell({ ask: number, request: packed(request) })
    })
  }

  private tell(question: PillarQuestion): void {
    // that it is gone is noticed elsewhere
    if (this.child.connected) this.child.send(question, () => {})
  }

  private hear(answer: PoolAnswer, log: Log): void {
    if (answer === 'ready') {
      this.isReady = true
      this.onStarted()
    } else if ('log' in answer) log(...answer.log)
    else {
      const asked = this.waiting.get(answer.answer)
      this.waiting.delete(answer.answer)
      if ('error' in answer) asked?.fail(new Error(answer.error))
      else {
        markTexts(answer.secrets)
        asked?.done(unpacked(answer.pillar) as Dict)
      }
    }
  }
}

export class PillarPool {
  private readonly settings: PoolSettings
  private readonly processes = new Set<PillarProcess>()
  /** The time that went into pillar here of late, in milliseconds, and when that was reckoned. */
  private spent = 0
  private reckoned = 0
  private isClosed = false
  private notBefore = 0
  private idle: NodeJS.Timeout | undefined

  constructor(settings: PoolSettings) {
    this.settings = settings
  }

  /** `make` makes it here. A large request waits for a process rather than being made here. */
  async make(request: MinionPillarRequest, make: Make, isLarge = false): Promise<Dict> {
    if (isLarge && this.free === undefined) await this.started()
    const { free } = this
    if (free === undefined) return this.makeHere(make)
    if (free.busy > 0) this.grow()
    this.endWhenIdle()
    try {
      return await free.ask(request)
    } catch (error) {
      if (!(error instanceof GoneError)) throw error
      return this.makeHere(make)
    }
  }

  /** How many processes run. */
  get size(): number {
    return this.processes.size
  }

  /** Requests that processes have not answered. */
  get waiting(): number {
    return [...this.processes].reduce((sum, { busy }) => sum + busy, 0)
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.idle)
    for (const { child } of this.processes) child.kill('SIGKILL')
  }

  /** The process that has the least to do. */
  private get free(): PillarProcess | undefined {
    const [free] = [...this.processes].filter(({ isReady }) => isReady).sort((one, other) => one.busy - other.busy)
    return free
  }

  /** Resolves when a process has started, or cannot be. */
  private async started(): Promise<void> {
    this.grow()
    if (this.processes.size > 0) await Promise.race([...this.processes].map(({ started }) => started))
  }

  private async makeHere(make: Make): Promise<Dict> {
    const began = performance.now()
    try {
      return await make()
    } finally {
      const now = performance.now()
      this.spent = this.spent * Math.exp((this.reckoned - now) / MEMORY_MS) + now - began
      this.reckoned = now
      if (this.spent > (this.settings.ownMs ?? 200)) this.grow()
    }
  }

  private grow(): void {
    const { log, most, pauseMs = 60_000 } = this.settings
    const isStarting = [...this.processes].some(({ isReady }) => !isReady)
    if (isStarting || this.processes.size >= most || this.isClosed || performance.now() < this.notBefore) return
    try {
      const started = new PillarProcess(this.settings, () => {
        this.processes.delete(started)
        const { signalCode, exitCode } = started.child
        if (this.isClosed || signalCode === 'SIGTERM') return
        log('error', `A process for pillar ended by itself: ${signalCode ?? exitCode}`)
        this.notBefore = performance.now() + pauseMs
      })
      this.processes.add(started)
    } catch (error) {
      log('error', `Cannot start a process for pillar: ${toError(error).message}`)
      this.notBefore = performance.now() + pauseMs
    }
  }

  private endWhenIdle(): void {
    if (this.idle) {
      this.idle.refresh()
      return
    }
    this.idle = setTimeout(() => {
      for (const { child, busy } of this.processes) {
        if (busy === 0) child.kill('SIGTERM')
        else this.idle?.refresh()
      }
    }, this.settings.idleMs ?? 300_000)
    this.idle.unref()
  }
}
