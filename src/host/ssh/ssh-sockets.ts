// Connections from a target: to its own sockets, or to ports that it reaches.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path/posix'
import type { Connection, HostSocketOptions, SocketAddress } from '../host.ts'
import { openSocket } from '../local/local-sockets.ts'
import type { SshConnection } from './connection.ts'

export async function openRemoteSocket(
  connection: SshConnection,
  address: SocketAddress,
  options?: HostSocketOptions,
): Promise<Connection> {
  const folder = mkdtempSync(join(tmpdir(), '.brine-'))
  const path = join(folder, 's')
  const there =
    'path' in address
      ? address.path
      : `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`
  try {
    await connection.order('forward', '-L', `${path}:${there}`)
    return await openSocket({ path }, options)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
