// Processes that match untrusted targets. A regular expression can take forever, and only the end of its process stops
// it, so a match that takes too long is killed with its process and delays no other. Authors take turns. A process
// starts with the first question and ends when there are no questions for a while.
import type { ChildProcess } from 'node:child_process'
import { type Log, type LogLevel, TurnQueue, toError } from '../base/mod.ts'
import { type Dict, encodeMsgpack } from '../data/mod.ts'
import { forkFor } from '../wire/mod.ts'

export type TargetQuestion = { open: Uint8Array } | { ask: Uint8Array }
export type TargetAnswer =
  | 'ready'
  /** All data is loaded; the time limit starts here. */
  | 'began'
  | { minions: string[]; missing: string[]; log: Array<[LogLevel, string]> }

export type Matched = Exclude<TargetAnswer, string>

export interface TargetSettings {
  /** The file of this program. */
  program: string
  opts: Dict
  log: Log
  /** Milliseconds that matching one target may take. */
  limit: number
  most?: number
  /** Milliseconds that a process stays without work. */
  idleMs?: number
}

/** Why a question has no answer: it took too long, its process ended over it, or no process could take it. */
export type Failure = 'slow' | 'broken' | 'unavailable'

/** Questions that may wait. Above that, the newest question of the author with most questions is refused. */
const MOST_WAITING = 20_000
/** Milliseconds in which a process must start and load its data. */
const PREPARING_MS = 60_000

interface Job {
  question: Uint8Array
  done(outcome: Matched | Failure): void
}

/** One process; it answers one question at a time. */
class TargetProcess {
  readonly child: ChildProcess
  isReady = false
  job: Job | undefined
  private timer: NodeJS.Timeout | undefined
  private readonly limit: number
  private readonly onFree: () => void

  constructor({ program, opts, log, limit }: TargetSettings, onFree: () => void, onEnd: () => void) {
    this.limit = limit
    this.onFree = onFree
    this.child = forkFor('targets', program)
    this.child.on('error', (error) => log('error', `A process for targets failed: ${error.message}`))
    this.child.on('message', (answer: TargetAnswer) => this.hear(answer))
    this.child.once('close', () => {
      this.isReady = false
      this.finish('broken')
      onEnd()
    })
    this.within(PREPARING_MS, 'broken')
    this.tell({ open: encodeMsgpack(opts, 'bus') })
  }

  ask(job: Job): void {
    this.job = job
    this.within(PREPARING_MS, 'broken')
    this.tell({ ask: job.question })
  }

  end(): void {
    this.isReady = false
    this.child.kill('SIGTERM')
  }

  private tell(question: TargetQuestion): void {
    // the event `close` reports the end of the process
    if (this.child.connected) this.child.send(question, () => {})
  }

  private hear(answer: TargetAnswer): void {
    if (answer === 'began') this.within(this.limit, 'slow')
    else if (answer === 'ready') {
      clearTimeout(this.timer)
      this.isReady = true
      this.onFree()
    } else {
      this.finish(answer)
      this.onFree()
    }
  }

  /** End the process after this time, unless its answer has arrived and is only not read yet. */
  private within(ms: number, failure: Failure): void {
    clearTimeout(this.timer)
    const { job } = this
    const over = (): void => {
      if (this.job !== job) return
      this.isReady = false
      this.child.kill('SIGKILL')
      this.finish(failure)
    }
    this.timer = setTimeout(() => setImmediate(over), ms)
    this.timer.unref()
  }

  private finish(outcome: Matched | Failure): void {
    clearTimeout(this.timer)
    const { job } = this
    this.job = undefined
    job?.done(outcome)
  }
}

export class TargetProcesses {
  private readonly settings: TargetSettings
  private readonly processes = new Set<TargetProcess>()
  /** Waiting questions by author. */
  private readonly waiting = new TurnQueue<Job>()
  private isClosed = false
  private idle: NodeJS.Timeout | undefined

  constructor(settings: TargetSettings) {
    this.settings = settings
  }

  ask(author: string, question: Uint8Array): Promise<Matched | Failure> {
    if (this.isClosed) return Promise.resolve('unavailable')
    return new Promise((done) => {
      this.waiting.push([author], { question, done })
      if (this.waiting.size > MOST_WAITING) this.waiting.dropNewest()!.done('unavailable')
      this.work()
    })
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.idle)
    this.failWaiting()
    for (const { child } of this.processes) child.kill('SIGKILL')
  }

  /** Hands out questions to processes that are free, and starts another where all are busy. */
  private work(): void {
    for (const process of this.processes) {
      if (!process.isReady || process.job) continue
      const job = this.waiting.next()
      if (!job) break
      process.ask(job)
    }
    const isStarting = [...this.processes].some(({ isReady, job }) => !isReady && !job)
    if (this.waiting.size > 0 && !isStarting && this.processes.size < (this.settings.most ?? 2)) this.start()
    this.endWhenIdle()
  }

  private start(): void {
    try {
      let wasReady = false
      const free = (): void => {
        wasReady = true
        this.work()
      }
      const started: TargetProcess = new TargetProcess(this.settings, free, () => {
        this.processes.delete(started)
        if (this.isClosed) return
        // a process that cannot start must not be restarted forever
        if (!wasReady && this.processes.size === 0) this.failWaiting()
        else this.work()
      })
      this.processes.add(started)
    } catch (error) {
      this.settings.log('error', `Cannot start a process for targets: ${toError(error).message}`)
      if (this.processes.size === 0) this.failWaiting()
    }
  }

  private failWaiting(): void {
    for (let job = this.waiting.next(); job !== undefined; job = this.waiting.next()) job.done('unavailable')
  }

  private endWhenIdle(): void {
    this.idle ??= setTimeout(() => {
      this.idle = undefined
      for (const process of this.processes) if (process.isReady && !process.job) process.end()
    }, this.settings.idleMs ?? 60_000).unref()
    this.idle.refresh()
  }
}
