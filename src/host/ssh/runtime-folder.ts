// The private folder for the sockets of connections. It is short, because a path of a socket is.
import { join } from 'node:path'
import { makeOwnFolder } from '../../base/mod.ts'

/** The longest path of a folder that leaves room for the name of a socket. */
const LONGEST = 60

/** Make the folder beside other sockets of the program, or in a short place where their folder has a long name. */
export function sshRuntimeFolder(sockDir: string): string {
  const uid = process.geteuid?.() ?? 0
  const beside = join(sockDir, 'ssh')
  const folder = beside.length <= LONGEST ? beside : join('/tmp', `.brine-ssh-${uid}`)
  makeOwnFolder(folder)
  return folder
}
