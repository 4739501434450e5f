// Adds the public key of salt-ssh to a user's authorized keys: for `--key-deploy`, and for the offer after a refused
// login.
import { existsSync, readFileSync } from 'node:fs'
import { BrineError, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { SshHost, sshRuntimeFolder } from '../host/mod.ts'
import { defaultKey, type RosterEntry, sshTarget } from './roster/mod.ts'

/** Type, key and an optional comment: words without special meaning in a shell command. */
const PUBLIC_KEY = /^[\w@.-]+ [A-Za-z0-9+/=]+(?: [\w@.:+-]+)?$/

/** Log in with a password as the user of a target, and add the public key unless it exists. Throws SshError. */
export async function installKey(parts: { opts: Dict; log: Log }, entry: RosterEntry, password: string): Promise<void> {
  const { opts, log } = parts
  const key = publicKey(opts)
  const { become: _, ...target } = await sshTarget(entry, opts)
  const host = await SshHost.open(
    { ...target, password },
    { log, runtimeDir: sshRuntimeFolder(option(opts, 'sock_dir')) },
  )
  try {
    const { retcode, stderr } = await host.raw(addingLine(key))
    if (retcode === 0) return
    throw new BrineError('KeyNotInstalled', new TextDecoder().decode(stderr).trim() || `the shell ends with ${retcode}`)
  } finally {
    await host.close()
  }
}

function publicKey(opts: Dict): string {
  const { path } = defaultKey(opts)
  const file = `${path}.pub`
  const key = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (!PUBLIC_KEY.test(key)) throw new BrineError('KeyNotInstalled', `There is no public key in ${file}`)
  return key
}

/** Return the command that adds a line. If the last line has no line end, one is added first. */
function addingLine(key: string): string {
  const file = '"$HOME/.ssh/authorized_keys"'
  return [
    'umask 077',
    'mkdir -p "$HOME/.ssh"',
    `touch ${file}`,
    `{ grep -qxF '${key}' ${file} || { [ -z "$(tail -c 1 ${file})" ] || echo >> ${file}; echo '${key}' >> ${file}; }; }`,
  ].join(' && ')
}
