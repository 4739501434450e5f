// Sockets whose existence tells Salt's own Python that a master runs here. Salt's clients test for `publish_pull.ipc`
// before they publish, and netapi modules for `workers.ipc`; neither connects. In Salt's master these sockets carry
// jobs past all access checks, so here each connection is closed at once.
import type { Server } from 'node:net'
import { join } from 'node:path'
import { type Log, silentLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { closeLocal, serveLocal } from './local-socket.ts'

const NAMES = ['publish_pull.ipc', 'workers.ipc'] as const

/** Create the sockets; return a function that removes them. */
export async function openMasterMarks(opts: Dict, log: Log = silentLog): Promise<() => Promise<void>> {
  const folder = option(opts, 'sock_dir')
  if (opts.get('ipc_mode') === 'tcp') {
    const reason = 'at a port nobody knows which user of the machine connects'
    log(
      'warning',
      `ipc_mode tcp is not served, because ${reason}: local programs reach this master at the sockets in ${folder}`,
    )
  }
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    await Promise.all(servers.splice(0).map(closeLocal))
  }
  try {
    for (const name of NAMES) {
      const path = join(folder, name)
      const server = await serveLocal({ path, mode: 0o600, log }, (socket) => {
        socket.on('error', (error) => log('debug', `A connection to ${path} was lost: ${error.message}`))
        socket.destroy()
        log('warning', `Closed a connection to ${path}: jobs are published through the request port only`)
      })
      servers.push(server)
    }
  } catch (error) {
    await close()
    throw error
  }
  return close
}
