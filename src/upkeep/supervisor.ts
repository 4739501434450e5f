// Supervises the first minutes of a new version of a minion. It is a separate process of the old version: it ends the
// old minion, starts the new one by its own path, and starts the old one again if the new one ends or does not report
// in time. `current` points to the old version until the new one has reported, so a reboot in between starts the old
// one.
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, PRIVATE_FILE, processMark } from '../base/mod.ts'
import type { UpgradeTrial } from './trial.ts'
import { makeCurrent, versionFolder } from './versions.ts'

/** How long a minion may take to end before it is killed, in milliseconds. */
const ENDING_MS = 30_000
const LOOK_MS = 100

/** The environment variable that marks a minion as on trial: the directory of the upgrade. */
export const TRIAL = 'BRINE_UPGRADE_TRIAL'

/** The environment variable with the process id of `brine run-minion`, for the minion below it. */
export const LAUNCHER = 'BRINE_LAUNCHER'

/** Starts the minion of a version, and returns its process id. */
export type StartVersion = (trial: UpgradeTrial, version: string) => number

/** Start the supervisor of an upgrade, which outlives this process. */
export function startSupervisor({ folder, request: { prefix, from, node } }: UpgradeTrial): void {
  const program = join(versionFolder(prefix, from), 'dist', 'brine.js')
  spawn(node, [program, 'supervise-upgrade', folder], { detached: true, stdio: 'ignore', cwd: '/' }).unref()
}

async function end(mark: string): Promise<void> {
  const pid = Number.parseInt(mark, 10)
  const signal = (name: NodeJS.Signals): void => {
    if (isRunning(mark)) process.kill(pid, name)
  }
  signal('SIGTERM')
  for (const late = Date.now() + ENDING_MS; isRunning(mark); await sleep(LOOK_MS))
    if (Date.now() > late) signal('SIGKILL')
}

/** Carry an upgrade to its end, from wherever an earlier supervisor was killed. */
export async function supervise(trial: UpgradeTrial, start: StartVersion = startDetached): Promise<void> {
  const { old } = trial.request
  if (!trial.verdict && trial.process === undefined) {
    await end(old)
    if (!trial.verdict) trial.noteProcess(processMark(start(trial, trial.request.to)))
  }
  const reason = await outcome(trial)
  if (reason === undefined || !trial.decide('expired', reason)) return
  if (trial.process !== undefined) await end(trial.process)
  makeCurrent(trial.request.prefix, trial.request.from)
  start(trial, trial.request.from)
}

/** Wait for the verdict. Return why the new version failed; undefined when it did not. */
async function outcome(trial: UpgradeTrial): Promise<string | undefined> {
  for (; ; await sleep(LOOK_MS)) {
    if (trial.verdict) return undefined
    if (!isRunning(trial.process ?? '0:')) return 'the new version ended before it had reported to its master'
    if (trial.isExpired) return `the new version did not report to its master within ${trial.request.seconds} seconds`
  }
}

/**
 * Start the minion of a version in the background, and return its process id. The output of the new version goes to the
 * log.
 */
function startDetached(trial: UpgradeTrial, version: string): number {
  const { prefix, node, execArgv, words, cwd, to } = trial.request
  const program = join(versionFolder(prefix, version), 'dist', 'salt-minion.js')
  const log = version === to ? openSync(trial.log, 'a', PRIVATE_FILE) : undefined
  const { [TRIAL]: _, ...env } = process.env
  const child = spawn(node, [...execArgv, program, ...words], {
    detached: true,
    cwd,
    stdio: ['ignore', log ?? 'ignore', log ?? 'ignore'],
    env: version === to ? { ...env, [TRIAL]: trial.folder } : env,
  })
  // a program that cannot be started has no process; the supervisor sees that it does not run
  child.on('error', () => undefined)
  child.unref()
  if (log !== undefined) closeSync(log)
  return child.pid ?? 0
}
