// Going to the background. The program starts itself once more and waits until that process has passed its checks or has failed,
// so that the exit status of `-d` says whether the daemon runs.
import { type ChildProcess, spawn } from 'node:child_process'
import { ownWords } from '../../base/mod.ts'
import type { Streams } from '../streams.ts'

/** Set for a daemon that went to the background. */
const DETACHED = 'BRINE_DETACHED'

/** How long the starting program waits for the checks of the daemon, in milliseconds. */
const PATIENCE_MS = 30_000

/** Message of a daemon to the program that started it. */
type Report = { ready: true } | { failure: string; status: number }

/** Start this program again in the background, without the option for that. */
export async function detach(name: string, logFile: string, streams: Streams): Promise<number> {
  const [program = '', ...words] = ownWords()
  const child = spawn(
    program,
    words.filter((word) => word !== '-d' && word !== '--daemon'),
    {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, [DETACHED]: '1' },
    },
  )
  const report = await reportOf(child)
  if (child.connected) child.disconnect()
  child.unref()
  if ('ready' in report) return 0
  if (report.failure === STILL_STARTING) {
    streams.err(`${name} (pid ${child.pid}) is still starting; see ${logFile}\n`)
    return 0
  }
  streams.err(`${name} cannot run: ${report.failure || `it ended while it started; see ${logFile}`}\n`)
  return report.status
}

const STILL_STARTING = 'still starting'

function reportOf(child: ChildProcess): Promise<Report> {
  return new Promise((done) => {
    const timer = setTimeout(() => done({ failure: STILL_STARTING, status: 0 }), PATIENCE_MS)
    const finish = (report: Report): void => {
      clearTimeout(timer)
      done(report)
    }
    child.once('message', (report) => finish(report as Report))
    child.once('error', (error) => finish({ failure: error.message, status: 1 }))
    child.once('exit', (status) => finish({ failure: '', status: status || 1 }))
  })
}

/** The command line that started this daemon in the background, if one did. */
export function startedAs(): string[] | undefined {
  if (process.env[DETACHED] === undefined) return undefined
  return [...ownWords(), '-d']
}

/** Report the result of the start to the starting program. Only the first report counts. */
export function reportStart(report: Report): void {
  if (process.env[DETACHED] === undefined || !process.connected) return
  process.send?.(report, () => {
    if (process.connected) process.disconnect()
  })
}
