// Puts the public key of salt-ssh among those that a target accepts, by the password of the user.
import { readFileSync } from 'node:fs'
import type { Log } from '../base/mod.ts'
import { type Dict, SaltError } from '../data/mod.ts'
import { SshHost } from '../host/mod.ts'
import { defaultKey, type RosterEntry, sshTarget } from './roster/mod.ts'
import { runtimeFolder } from './runtime-folder.ts'

interface KeyParts {
  opts: Dict
  log: Log
}

/** Throws SshError when the password is refused as well. */
export async function installKey({ opts, log }: KeyParts, entry: RosterEntry, password: string): Promise<void> {
  const { become: _, ...target } = sshTarget(entry, opts)
  const identity = target.identity ?? defaultKey(opts).path
  const line = readFileSync(`${identity}.pub`, 'utf8').trim()
  const host = await SshHost.open({ ...target, password }, { log, runtimeDir: runtimeFolder(opts) })
  try {
    const home = (await host.env()).get('HOME')
    if (!home) throw new SaltError('CommandExecutionError', `The user of target ${entry.id} has no home directory`)
    const folder = `${home}/.ssh`
    if (!(await host.stat(folder))) await host.makeDirectory(folder, { mode: 0o700 })
    const file = `${folder}/authorized_keys`
    const there = (await host.stat(file)) ? Buffer.from(await host.read(file)).toString() : ''
    if (there.split('\n').includes(line)) return
    const before = there === '' || there.endsWith('\n') ? there : `${there}\n`
    await host.write(file, `${before}${line}\n`, { mode: 0o600 })
  } finally {
    await host.close()
  }
}
