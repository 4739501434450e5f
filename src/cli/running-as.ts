// The user of programs: the one in the configuration. The user must exist; root switches to it before any file is
// touched, so that later programs, and Salt's, can read the files.
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Log, ownUser, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { LocalHost, type User } from '../host/mod.ts'
import { ProgramExit } from './optparse/exit.ts'

const EX_NOUSER = 67

/** Folders that daemons write to. */
const FOLDERS = ['pki_dir', 'cachedir', 'sock_dir'] as const

/** Becomes the user of the configuration, where this is another one; `mustBe` ends a program that may not. */
export async function becomeConfigured(opts: Dict, log: Log, mustBe = false): Promise<void> {
  const user = await otherUser(opts)
  if (user && (mustBe || process.geteuid?.() === 0)) become(user, log)
}

/** The same for a daemon, after changing the owner of its folders and log. */
export async function becomeDaemon(opts: Dict, log: Log): Promise<void> {
  const user = await otherUser(opts)
  if (!user || process.geteuid?.() !== 0) return
  const folders = FOLDERS.map((name) => option(opts, name)).filter(isBelowRoot)
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  const logFile = option(opts, 'log_file')
  const owned = isBelowRoot(logFile) ? [...folders, logFile] : folders
  if (owned.includes(logFile)) touch(logFile)
  // by a program that follows no link and cannot be led astray while it walks
  execFileSync('chown', ['-hR', `${user.uid}:${user.gid}`, '--', ...owned])
  become(user, log)
}

function touch(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  closeSync(openSync(file, 'a', 0o640))
}

/** Whether a path is at least two levels deep: folders of the system must not change their owner. */
const isBelowRoot = (path: string): boolean => /^\/[^/]+\/+[^/]/.test(path)

async function otherUser(opts: Dict): Promise<User | undefined> {
  const name = option(opts, 'user')
  if (name === '' || name === ownUser()) return undefined
  const user = await new LocalHost().user(name)
  if (user) return user
  const why = `Failed to prepare the Salt environment for user ${name}. The user is not available.`
  throw new ProgramExit(EX_NOUSER, { stderr: `${why}\n` })
}

function become({ name, uid, gid, home, shell }: User, log: Log): void {
  try {
    // Node's types leave this one out
    ;(process as { initgroups?: (user: string, group: number) => void }).initgroups?.(name, gid)
    process.setgid?.(gid)
    process.setuid?.(uid)
  } catch (error) {
    log('critical', `Salt configured to run as user "${name}" but unable to switch.`)
    log('debug', toError(error).message)
    throw new ProgramExit(EX_NOUSER)
  }
  Object.assign(process.env, { HOME: home, SHELL: shell, USER: name, LOGNAME: name })
}
