// A `nats-server` for tests. Debian 12 has one that is too old; the package of Debian 13 runs there.
import { join } from 'node:path'
import { toError } from '../../src/base/mod.ts'
import { debianPackage } from '../debian-package.ts'

/** The program, or the reason why this machine has none. */
export function natsServer(): { program: string } | { reason: string } {
  const given = process.env['NATS_SERVER']
  if (given !== undefined) return { program: given }
  try {
    return { program: join(debianPackage('nats-server', 'trixie'), 'usr/sbin/nats-server') }
  } catch (error) {
    return { reason: `no nats-server 2.10.23 can be had: ${toError(error).message.split('\n')[0]}` }
  }
}
