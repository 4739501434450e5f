// The life of a daemon: it opens, writes its process id, and ends on a signal or on what cannot be repaired.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
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
  try {
    if (pidFile) notePid(pidFile, log)
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
    if (pidFile) rmSync(pidFile, { force: true })
  }
}

function notePid(file: string, log: Log): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, String(process.pid))
  } catch (error) {
    log('warning', `The process id could not be written: ${toError(error).message}`)
  }
}
