// Folders of returns for masters that are no longer in the configuration. These returns are not sent; the log names
// them, and they stay for a week, in case the master is configured again.
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, PRIVATE_FOLDER, toError } from '../base/mod.ts'

const KEPT_MS = 7 * 86_400_000

const OUTBOX = /^outbox(-.*)?$/

export interface LeftOutboxes {
  cachedir: string
  /** The folders of the masters of now. */
  used: ReadonlySet<string>
  /** Folders whose returns move to another folder: a master has a different folder when it is the only one. */
  moved: ReadonlyArray<readonly [from: string, to: string]>
  log: Log
  now?: number
}

/** Move, report or remove the returns of folders that no master has now. */
export function settleOutboxes({ cachedir, used, moved, log, now = Date.now() }: LeftOutboxes): void {
  try {
    for (const [from, to] of moved) move(join(cachedir, from), join(cachedir, to))
    const folders = readdirSync(cachedir).filter((name) => OUTBOX.test(name) && !used.has(name))
    for (const name of folders) settle(join(cachedir, name), log, now)
  } catch (error) {
    log('warning', `Cannot look for returns of former masters: ${toError(error).message}`)
  }
}

function move(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true, mode: PRIVATE_FOLDER })
  for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name))
  rmdirSync(from)
}

function settle(folder: string, log: Log, now: number): void {
  const files = readdirSync(folder).map((name) => join(folder, name))
  const old = files.filter((file) => now - statSync(file).mtimeMs > KEPT_MS)
  for (const file of old) rmSync(file, { force: true })
  const left = files.length - old.length
  if (old.length > 0) log('warning', `Removed ${old.length} returns of a former master from ${folder} after a week`)
  if (left === 0) rmdirSync(folder)
  else log('warning', `${left} returns in ${folder} are not sent: their master is not in the configuration any more`)
}
