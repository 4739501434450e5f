// Directories that a daemon or program keeps for itself. Other users of the machine cannot read them, whatever umask the process was
// started with; a directory that is there already loses the permissions that it has too many, and never gains any.
import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from './log.ts'

/** Mode of a directory that other users cannot enter. */
export const PRIVATE_FOLDER = 0o700

/** Mode of a directory in which other users reach the files they know by name. */
export const PASSABLE_FOLDER = 0o711

/** Mode of a directory whose names members of the owner's group may list, and in which others reach the files they know by name. */
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
 * Create a cache directory with this mode. If it is there, reduce its mode to this one, and close what lies in it to other users:
 * directories to 0700, files to 0600. The names in `except` keep their modes.
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

/** Whether a directory is a program's own: not one that belongs to the system (/var/cache) or to everybody (sticky, as /tmp). */
function isOwn(path: string): boolean {
  return path.split('/').length > 3 && (statSync(path).mode & 0o1000) === 0
}

/** Remove the permissions beyond a mode; return whether there were any. Links and other users' files stay as they are. */
function reduceMode(path: string, folderMode: number = PRIVATE_FOLDER): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.uid !== process.geteuid?.() || !(stat.isFile() || stat.isDirectory())) return false
  const most = stat.isDirectory() ? folderMode : PRIVATE_FILE
  if ((stat.mode & 0o777 & ~most) === 0) return false
  chmodSync(path, stat.mode & most)
  return true
}
