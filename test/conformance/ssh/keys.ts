// The keys of a run: of the sshd, and of those that may or may not log in. All scenarios of a run share them.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PASSPHRASES: Readonly<Record<string, string>> = { locked: 'pass phrase 1' }

/** Keys of users that the sshd accepts, the first one being Salt's own. */
const ACCEPTED = ['salt-ssh.rsa', 'other', 'locked']

const keygen = (...args: string[]): string => execFileSync('ssh-keygen', args, { encoding: 'utf8' })

/** Make all keys in a directory. */
export function makeKeys(directory: string): void {
  mkdirSync(directory)
  for (const name of [...ACCEPTED, 'wrong', 'host', 'other-host']) {
    const type = name === 'salt-ssh.rsa' ? ['-t', 'rsa', '-b', '2048'] : ['-t', 'ed25519']
    keygen('-q', ...type, '-N', PASSPHRASES[name] ?? '', '-C', name, '-f', join(directory, name))
  }
  const accepted = ACCEPTED.map((name) => readFileSync(join(directory, `${name}.pub`), 'utf8'))
  writeFileSync(join(directory, 'authorized_keys'), accepted.join(''))
}

/** Put the keys of users where a scenario has them. */
export function giveKeys(directory: string, root: string): void {
  const own = join(root, 'etc/salt/pki/master/ssh')
  const others = join(root, 'keys')
  for (const folder of [own, others]) mkdirSync(folder, { recursive: true })
  for (const name of [...ACCEPTED, 'wrong']) {
    const to = join(name === 'salt-ssh.rsa' ? own : others, name)
    for (const end of ['', '.pub']) copyFileSync(join(directory, name + end), to + end)
    chmodSync(to, 0o600)
  }
}

/** Return type and key of a host key, without its comment. */
export function hostKey(directory: string, name: 'host' | 'other-host'): string {
  return readFileSync(join(directory, `${name}.pub`), 'utf8')
    .split(' ')
    .slice(0, 2)
    .join(' ')
}

export const fingerprint = (directory: string): string => keygen('-l', '-f', join(directory, 'host.pub')).split(' ')[1]!
