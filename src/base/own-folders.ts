// Directories of a daemon or program that other users cannot read, whatever the umask of the process is. An existing
// directory loses the permissions that it has too many, and never gains any.
import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from './log.ts'

/** Mode of a directory that other users cannot enter. */
export const PRIVATE_FOLDER = 0o700

/** Mode of a directory whose files other users can open by name but not list. */
export const PASSABLE_FOLDER = 0o711

/** Mode of a directory whose group may list it, and whose files others can open by name. */
export const LISTABLE_FOLDER = 0o751

/** Mode of a file that other users cannot read. */
export const PRIVATE_FILE = 0o600

/** Create a directory with exactly this mode, and its missing parents with the usual one. Return whether it was missing. */
export function makeOwnFolder(path: string, mode: number = PRIVATE_FOLDER): boolean {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false
  mkdirSync(dirname(path), { recursive: true })
  mkdirSync(path, { mode, recursive: true })
  // mkdir leaves out the bits of the umask
  chmodSync(path, mode)
  return true
}

/**
 * Create a cache directory with this mode. If it exists, reduce its mode to this one and close its content to other
 * users: directories to 0700, files to 0600. The names in `except` keep their modes.
 */
export function claimFolder(path: string, mode: number, log: Log, except: readonly string[] = []): void {
  if (makeOwnFolder(path, mode)) return
  const folder = realpathSync(path)
  if (!isOwn(folder)) return
  const entries = readdirSync(folder).filter((name) => !except.includes(name))
  const tightened = entries.map((name) => join(folder, name)).filter((entry) => reduceMode(entry))
  if (reduceMode(folder, mode)) tightened.unshift(folder)
  if (tightened.length > 0) log('info', `Closed to other users of this machine: ${tightened.join(', ')}`)
}

/**
 * Whether a directory belongs to the program only: not to the system (/var/cache) and not to all users (sticky, such as
 * /tmp).
 */
function isOwn(path: string): boolean {
  return path.split('/').length > 3 && (statSync(path).mode & 0o1000) === 0
}

/**
 * Remove the permissions beyond a mode; return whether any were removed. Links and files of other users stay unchanged.
 */
function reduceMode(path: string, folderMode: number = PRIVATE_FOLDER): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.uid !== process.geteuid?.() || !(stat.isFile() || stat.isDirectory())) return false
  const most = stat.isDirectory() ? folderMode : PRIVATE_FILE
  if ((stat.mode & 0o777 & ~most) === 0) return false
  chmodSync(path, stat.mode & most)
  return true
}
