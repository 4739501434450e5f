// The life of a daemon: it opens, writes its process id, and ends on a signal or on what cannot be repaired.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Log, toError } from '../../base/mod.ts'
import { type Dict, textOf } from '../../data/mod.ts'
import { EXIT_CODES, SignInError } from '../../wire/mod.ts'

export interface Daemon {
  name: string
  opts: Dict
  log: Log
  /** Gives what closes it. */
  open(): Promise<() => Promise<void>>
  /** Rejects with what ends it later on. */
  ended?: () => Promise<never>
}

export async function runDaemon({ name, opts, log, open, ended }: Daemon): Promise<number> {
  const pidFile = textOf(opts.get('pidfile') ?? null)
  const stopped = new Promise<NodeJS.Signals>((done) => {
    process.once('SIGINT', done)
    process.once('SIGTERM', done)
  })
  let isNoted = false
  try {
    isNoted = pidFile !== undefined && notePid(pidFile, log)
    const opened = open()
    const first = await Promise.race([opened, stopped])
    if (typeof first === 'string') return 0
    log('info', `${name} is ready`)
    const signal = await (ended ? Promise.race([stopped, ended()]) : stopped)
    log('warning', `${name} received ${signal}, exiting`)
    await first()
    return 0
  } catch (error) {
    log('critical', `${name} cannot run: ${toError(error).message}`)
    log('debug', toError(error).stack ?? '')
    return error instanceof SignInError ? (EXIT_CODES[error.outcome.status] ?? 1) : 1
  } finally {
    if (pidFile && isNoted) rmSync(pidFile, { force: true })
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

function readPid(file: string): number {
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : Number.NaN
}

function isRunning(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Starts this same program again in the background, without the words that ask for that. */
export function detach(): number {
  const words = process.argv.slice(1).filter((word) => word !== '-d' && word !== '--daemon')
  spawn(process.execPath, [...process.execArgv, ...words], { detached: true, stdio: 'ignore' }).unref()
  return 0
}
