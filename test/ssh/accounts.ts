// An SSH server with separate accounts, for logins by password and for sudo, su and doas. The accounts exist only in a
// mount namespace of the server, so that this machine is unchanged. Needs root.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noSshd, startSshd, type TestSshd } from './sshd.ts'

/** Of both accounts. */
export const PASSWORD = 's3cret-pw'

/** May do everything by sudo and doas, without a password. */
export const DEPLOY = { name: 'deploy', uid: 64_101 }

/** May do everything by sudo and doas, with the password. */
export const OPS = { name: 'ops', uid: 64_102 }

/** Why there are no such accounts, or undefined when there are. */
export const noAccounts: string | undefined = noSshd ?? reason()

function reason(): string | undefined {
  if (process.geteuid?.() !== 0) return 'accounts of their own need root'
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'no mount namespace can be made here'
  }
}

/** Start a server with the accounts `deploy` and `ops`. */
export async function startSshdWithAccounts(): Promise<TestSshd> {
  const folder = mkdtempSync(join(tmpdir(), 'sshd-'))
  chmodSync(folder, 0o755)
  const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: PASSWORD, encoding: 'utf8' }).trim()
  const users = [DEPLOY, OPS]
  for (const { name, uid } of users) {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), uid, uid)
  }
  const entries = {
    '/etc/passwd': users.map(({ name, uid }) => `${name}:x:${uid}:${uid}::${join(folder, name)}:/bin/sh`),
    '/etc/shadow': users.map(({ name }) => `${name}:${hash}:19000:0:99999:7:::`),
    '/etc/group': users.map(({ name, uid }) => `${name}:x:${uid}:`),
    '/etc/sudoers': [
      'Defaults lecture=never',
      'Defaults timestamp_timeout=0',
      'root ALL=(ALL:ALL) ALL',
      `${DEPLOY.name} ALL=(ALL:ALL) NOPASSWD: ALL`,
      `${OPS.name} ALL=(ALL:ALL) ALL`,
    ],
    '/etc/doas.conf': ['permit nopass root', `permit nopass ${DEPLOY.name}`, `permit ${OPS.name}`],
  }
  const binds = Object.entries(entries).map(([path, lines]) => {
    const isList = !/sudoers|doas/.test(path)
    const file = join(folder, path.slice('/etc/'.length))
    writeFileSync(file, `${isList ? readFileSync(path, 'utf8') : ''}${lines.join('\n')}\n`)
    chmodSync(file, isList && path !== '/etc/shadow' ? 0o644 : 0o440)
    return existsSync(path) ? `mount --bind ${file} ${path}` : `: > ${path} && mount --bind ${file} ${path}`
  })
  // a missing file cannot be covered, so /etc is first covered by a copy with the new files
  const cover = `mkdir -p ${folder}/etc ${folder}/work && mount -t tmpfs none ${folder}/work && mkdir ${folder}/work/up ${folder}/work/w && mount -t overlay none -o lowerdir=/etc,upperdir=${folder}/work/up,workdir=${folder}/work/w /etc`
  const script = [cover, ...binds, 'exec "$@"'].join(' && ')
  const wrapper = ['unshare', '-m', '--propagation', 'private', '/bin/sh', '-c', script, 'sh']
  return startSshd({ folder, wrapper, config: ['PasswordAuthentication yes'] })
}
