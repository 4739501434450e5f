// A roster whose targets are an sshd on loopback, for a master in this process.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSshd, type TestSshd } from './sshd.ts'

export interface SshRoster {
  sshd: TestSshd
  /** Options of the master that has this roster. */
  options: Record<string, unknown>
}

/** Start an sshd, and write a roster whose targets `ids` are all reached through it. */
export async function startRoster(ids: readonly string[]): Promise<SshRoster> {
  const sshd = await startSshd()
  const settings = { host: '127.0.0.1', port: sshd.port, user: sshd.target.user, priv: sshd.identity }
  const entries = ids.map((id) => [
    id,
    { ...settings, mine_functions: { who: { mine_function: 'grains.get', key: 'id' } } },
  ])
  const file = join(sshd.folder, 'roster')
  writeFileSync(file, JSON.stringify(Object.fromEntries(entries)))
  const ssh_options = [`UserKnownHostsFile=${sshd.knownHosts}`, 'ForwardAgent=no']
  return { sshd, options: { roster_file: file, ssh_options, ssh_config_file: '/dev/null', timeout: 20 } }
}
