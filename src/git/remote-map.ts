// `<cachedir>/<role>/remote_map.txt`: a list of all remotes with their cache folders, for users who inspect the cache.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { makeOwnFolder, writeWhole } from '../base/mod.ts'
import type { ConfiguredRemote } from './configured.ts'
import type { GitError } from './errors.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A remote as the map shows it. */
export type MappedRemote = Pick<ConfiguredRemote, 'folder' | 'shownId'>

/** Write the map of all remotes of a role into a folder, if it has changed. */
export function writeRemoteMap(folder: string, role: string, remotes: readonly MappedRemote[]): void {
  const path = join(folder, 'remote_map.txt')
  const lines = remotes.map((remote) => `${remote.folder} = ${remote.shownId}`)
  if (existsSync(path) && readFileSync(path, 'utf8').split('\n').slice(1, -1).join('\n') === lines.join('\n')) return
  makeOwnFolder(folder)
  const text = [`# ${role}_remote map as of ${moment(new Date())}`, ...lines, ''].join('\n')
  writeWhole(path, text)
}

/** A time as Salt writes it: `07 Mar 2024 09:05:01.123000`. */
function moment(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${two(time.getDate())} ${MONTHS[time.getMonth()]} ${time.getFullYear()}`
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
  return `${day} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}000`
}

/** Say in Salt's words that a remote was not fetched. */
export function fetchFailure({ role, shownId, git }: ConfiguredRemote, error: GitError): string {
  const hasLogin = git.user !== '' || git.password !== '' || git.privkey !== ''
  if (error.code === 'LoginNeeded' && !hasLogin)
    return `${role} remote '${shownId}' requires authentication, but no authentication configured`
  const hint = error.hint === undefined ? '' : `. ${error.hint}`
  return `Error occurred fetching ${role} remote '${shownId}': ${error.message}${hint}`
}
