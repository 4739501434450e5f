// The private folder for the sockets of connections. It is short, because a path of a socket is.
import { join } from 'node:path'
import { makeOwnFolder } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'

/** The longest path of a folder that leaves room for the name of a socket. */
const LONGEST = 60

export function runtimeFolder(opts: Dict): string {
  const uid = process.geteuid?.() ?? 0
  const beside = join(option(opts, 'sock_dir'), 'ssh')
  const folder = beside.length <= LONGEST ? beside : join('/tmp', `.brine-ssh-${uid}`)
  makeOwnFolder(folder)
  return folder
}
