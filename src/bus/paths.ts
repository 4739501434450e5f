// The paths of the sockets of an event bus: below `sock_dir`, with Salt's names.
import { join } from 'node:path'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { minionSocketNames } from '../wire/mod.ts'

export interface BusPaths {
  /** Subscribers read events here. */
  pub: string
  /** Programs fire events here. */
  pull: string
}

const folder = (opts: Dict): string => option(opts, 'sock_dir')

export function masterBusPaths(opts: Dict): BusPaths {
  return { pub: join(folder(opts), 'master_event_pub.ipc'), pull: join(folder(opts), 'master_event_pull.ipc') }
}

export function minionBusPaths(opts: Dict): BusPaths {
  const names = minionSocketNames(option(opts, 'id'), option(opts, 'hash_type'))
  return { pub: join(folder(opts), names.pub), pull: join(folder(opts), names.pull) }
}
