// The private key that salt-ssh logs in with where a roster names none.
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { option } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { AGENT_FORWARDING, type Host } from '../../host/mod.ts'
import { RosterError } from './errors.ts'

/** Return the key of the options: the user's own with `ssh_use_home_key`, `ssh_priv`, or the key of salt-ssh itself. */
export function defaultKey(opts: Dict): { path: string; isNamed: boolean } {
  const home = join(homedir(), '.ssh', 'id_rsa')
  if (option(opts, 'ssh_use_home_key') && statSync(home, { throwIfNoEntry: false })?.isFile()) {
    return { path: home, isNamed: true }
  }
  const named = option(opts, 'ssh_priv')
  if (named) return { path: named.replace(/^~(?=\/)/, homedir()), isNamed: true }
  return { path: join(option(opts, 'pki_dir'), 'ssh', 'salt-ssh.rsa'), isNamed: false }
}

/** Make the key of the options if it does not exist yet, as Salt does for `ssh_priv`, too. */
export async function ensureDefaultKey(opts: Dict, host: Host): Promise<void> {
  const { path } = defaultKey(opts)
  // ssh replaces %h and the like itself
  if (path === AGENT_FORWARDING || path.includes('%') || (await host.stat(path)) !== undefined) return
  const failed = (why: string): RosterError =>
    new RosterError('InvalidEntry', `salt-ssh could not be run because it could not generate keys: ${why}`, {
      hint: 'Run it as root, or with -c and a configuration directory that you may write to',
    })
  const program = await host.which('ssh-keygen')
  if (program === undefined) throw failed('ssh-keygen is not installed')
  try {
    await host.makeDirectory(dirname(path), { parents: true, mode: 0o700 })
  } catch (error) {
    throw failed((error as Error).message)
  }
  const { retcode, stderr } = await host.run({
    argv: [program, '-P', '', '-f', path, '-t', 'rsa', '-q'],
    umask: 0o077,
    timeout: 120,
    maxOutput: 64 * 1024,
  })
  // another salt-ssh may have made it meanwhile
  if ((await host.stat(path)) === undefined)
    throw failed(new TextDecoder().decode(stderr).trim() || `ssh-keygen exits with ${retcode}`)
  await host.chmod(path, 0o600)
}
