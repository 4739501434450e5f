// The life of a daemon: it opens, writes its pid file, and ends on a signal or a permanent error.
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError, calmLog, isGone, type Log, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { EXIT_CODES, SignInError } from '../../wire/mod.ts'
import type { ProgramLog } from '../logging.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { becomeDaemon } from '../running-as.ts'
import { reportStart } from './detach.ts'
import { readyNotifier } from './notify.ts'

export interface Daemon {
  name: string
  opts: Dict
  log: ProgramLog
  open(): Promise<unknown>
  /** Resolves when nothing on this machine keeps it from running; when it is open, unless this says earlier. */
  started?: () => Promise<unknown>
  /** Closes it, also while it opens. */
  close(): Promise<unknown>
  /** Resolves with the source of a request to end; rejects with the error that ends the daemon. */
  ended?: () => Promise<string>
  /** Wait before a refused daemon ends: an immediate restart loop would overload the master. */
  beforeRefusal?: () => Promise<unknown>
}

/** The same delay as in Salt, in milliseconds. */
const waitAWhile = (): Promise<unknown> => sleep(randomInt(10_000, 20_001))

/** Restrict the umask: files of a daemon are at most readable by others. */
export function keepFromOthers(): void {
  process.umask(process.umask() | 0o022)
}

export async function runDaemon(daemon: Daemon): Promise<number> {
  const { name, opts, log, ended, beforeRefusal = waitAWhile } = daemon
  const pidFile = option(opts, 'pidfile')
  const notifyReady = readyNotifier(log)
  const stopped = new Promise<NodeJS.Signals>((done) => {
    process.once('SIGINT', done)
    process.once('SIGTERM', done)
    // the terminal that the daemon runs in was closed
    process.stderr.on('error', ({ code }: NodeJS.ErrnoException) => code === 'EIO' && done('SIGHUP'))
  })
  const astray = new LastResort(name, log)
  const reopen = (): void => {
    log.reopen?.()
    log('warning', `${name} received SIGHUP: the log is opened anew`)
  }
  process.on('SIGHUP', reopen)
  let isNoted = false
  let handlers: Handlers | undefined
  try {
    isNoted = pidFile !== undefined && notePid(pidFile, log)
    await becomeDaemon(opts, log)
    handlers = await openHandlers(opts, log)
    const opened = daemon.open()
    // a failed start is reported below
    Promise.race([daemon.started?.() ?? opened, opened]).then(
      () => {
        // the earlier writer of the file was about to end
        if (pidFile !== undefined && !isNoted) isNoted = notePid(pidFile, log)
        reportStart({ ready: true })
        notifyReady()
      },
      () => undefined,
    )
    const end = opened.then(() => {
      astray.isReady = true
      log('info', `${name} is ready`)
      return ended?.() ?? stopped
    })
    log('warning', `${name} received ${await Promise.race([stopped, end, astray.failed])}, exiting`)
    return 0
  } catch (error) {
    if (error instanceof ProgramExit) {
      reportStart({ failure: error.stderr.trim(), status: error.status })
      throw error
    }
    const reason = reasonOf(error, pidFile)
    log('critical', `${name} cannot run: ${reason}`)
    log('debug', toError(error).stack ?? '')
    const { status } = error instanceof SignInError ? error.outcome : {}
    const code = (status && EXIT_CODES[status]) ?? 1
    reportStart({ failure: reason, status: code })
    if (status === 'rejected') await Promise.race([beforeRefusal(), stopped])
    return code
  } finally {
    await daemon.close()
    astray.close()
    process.off('SIGHUP', reopen)
    if (pidFile && isNoted) forgetPid(pidFile, log)
    await handlers?.close()
  }
}

interface Handlers {
  close(): Promise<void>
}

/** Log handlers of users and extensions; most sites have none. */
async function openHandlers(opts: Dict, log: ProgramLog): Promise<Handlers | undefined> {
  const { LogHandlers } = await import('../../pybridge/mod.ts')
  const handlers = LogHandlers.open(opts, log)
  if (handlers) log.also?.((record) => handlers.take(record))
  return handlers
}

/** Return why a daemon cannot run; if another one runs already, with its process id. */
function reasonOf(error: unknown, pidFile: string | undefined): string {
  const { message } = toError(error)
  const isTaken = error instanceof BrineError && error.code === 'BusTaken' && pidFile !== undefined
  const pid = isTaken ? readPid(pidFile) : Number.NaN
  return isRunning(pid) ? message.replace('another daemon', `another daemon (pid ${pid})`) : message
}

/**
 * Handles errors that no other code caught, such as of a plug-in's work that nobody awaits. A daemon that is ready
 * continues: one bad request or plug-in must not end the rest. A daemon that is starting fails.
 */
class LastResort {
  isReady = false
  /** Rejects with an error that came before the daemon was ready. */
  readonly failed: Promise<never>
  private fail!: (error: Error) => void
  private readonly name: string
  private readonly log: Log

  constructor(name: string, log: Log) {
    this.name = name
    this.log = calmLog(log)
    this.failed = new Promise((_, reject) => {
      this.fail = reject
    })
    // the rejection matters only to a waiting caller
    this.failed.catch(() => {})
    process.on('uncaughtException', this.take)
    process.on('unhandledRejection', this.tell)
  }

  close(): void {
    process.off('uncaughtException', this.take)
    process.off('unhandledRejection', this.tell)
  }

  private readonly take = (error: unknown): void => {
    if (this.isReady) this.tell(error)
    else this.fail(toError(error))
  }

  private readonly tell = (reason: unknown): void => {
    const stack = toError(reason).stack ?? ''
    this.log(
      'critical',
      `${this.name} goes on after an error in it; please report it with the lines before it: ${stack}`,
    )
  }
}

/** Writes the process id, unless the file is of another daemon that runs; says whether it did. */
function notePid(file: string, log: Log): boolean {
  try {
    if (isRunning(readPid(file))) return false
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, String(process.pid))
    return true
  } catch (error) {
    log('warning', `The process id could not be written: ${toError(error).message}`)
    return false
  }
}

/**
 * Remove the pid file. A daemon that left root may lack the permission; the next daemon sees that no process has the
 * number.
 */
function forgetPid(file: string, log: Log): void {
  try {
    rmSync(file, { force: true })
  } catch (error) {
    log('debug', `The process id could not be removed: ${toError(error).message}`)
  }
}

function readPid(file: string): number {
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : Number.NaN
}

function isRunning(pid: number): boolean {
  return pid > 0 && pid !== process.pid && !isGone(pid)
}
