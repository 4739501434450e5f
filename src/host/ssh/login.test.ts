import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEPLOY, noAccounts, OPS, PASSWORD, startSshdWithAccounts } from '../../../test/ssh/accounts.ts'
import type { TestSshd } from '../../../test/ssh/sshd.ts'
import { silentLog } from '../../base/mod.ts'
import { isSshError } from './errors.ts'
import { SshHost } from './ssh-host.ts'
import type { SshTarget } from './target.ts'

if (noAccounts) console.log(`Logins by password are not tested: ${noAccounts}`)

describe.skipIf(noAccounts)('a login over SSH', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshdWithAccounts()
  })
  afterAll(() => sshd.stop())

  const open = (more: Partial<SshTarget>): Promise<SshHost> =>
    SshHost.open({ ...sshd.target, ...more }, { log: silentLog, runtimeDir: sshd.runtimeDir })
  const whoami = async (more: Partial<SshTarget>): Promise<string> => {
    const host = await open(more)
    try {
      return Buffer.from((await host.run({ argv: ['id', '-un'] })).stdout)
        .toString()
        .trim()
    } finally {
      await host.close()
    }
  }
  const byPassword = (user: string, password: string): Partial<SshTarget> => ({
    user,
    password,
    identity: sshd.strangeIdentity,
  })

  test('works with a password, which is in no argument, environment or file', async () => {
    expect(await whoami(byPassword('deploy', PASSWORD))).toBe('deploy')
    const host = await open(byPassword('deploy', PASSWORD))
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    const texts = processes.flatMap((pid) => ['cmdline', 'environ'].map((name) => contentOf(`/proc/${pid}/${name}`)))
    expect(texts.filter((text) => text.includes(PASSWORD))).toEqual([])
    const found = execFileSync('find', [sshd.runtimeDir, '-type', 'f'], { encoding: 'utf8' }).trim().split('\n')
    expect(found.filter((path) => contentOf(path).includes(PASSWORD))).toEqual([])
    await host.close()
  })

  test('is refused with a wrong password', async () => {
    await expect(whoami(byPassword('deploy', 'wrong'))).rejects.toSatisfy((error) => isSshError(error, 'LoginRefused'))
  })

  test('gives the password only to the target', async () => {
    const configFile = join(sshd.folder, 'jump_config')
    writeFileSync(configFile, `UserKnownHostsFile ${sshd.knownHosts}\nIdentityFile ${sshd.strangeIdentity}\n`)
    const target = { ...byPassword('deploy', PASSWORD), configFile, options: [`ProxyJump=ops@127.0.0.1:${sshd.port}`] }
    const said = expect.stringContaining("ops@127.0.0.1's password:")
    await expect(whoami(target)).rejects.toMatchObject({ code: 'LoginRefused', said })
  })

  test('works with a key that has a passphrase', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'key-'))
    const identity = join(folder, 'locked')
    copyFileSync(sshd.identity, identity)
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'pass phrase 1', '-f', identity])
    expect(await whoami({ user: 'deploy', identity, passphrase: 'pass phrase 1' })).toBe('deploy')
    const wrong = whoami({ user: 'deploy', identity, passphrase: 'other' })
    await expect(wrong).rejects.toSatisfy((error) => isSshError(error, 'LoginRefused'))
    rmSync(folder, { recursive: true })
  })

  const has = (program: string): boolean => ['/bin', '/usr/bin'].some((folder) => existsSync(join(folder, program)))

  describe.each(['sudo', 'doas', 'su'] as const)('that becomes root by %s', (program) => {
    const withPassword = { program, user: 'root', password: PASSWORD }

    test.runIf(has(program) && program !== 'su')('needs no password without a prompt', async () => {
      expect(await whoami({ user: 'deploy', become: { program, user: 'root' } })).toBe('root')
      expect(await whoami({ user: 'deploy', become: { program, user: 'ops' } })).toBe('ops')
      expect(await whoami({ user: 'deploy', become: withPassword })).toBe('root')
    })

    test.runIf(has(program))('gives the password at the prompt', async () => {
      // su asks for the password of the other user
      const become = program === 'su' ? { ...withPassword, user: 'deploy' } : withPassword
      expect(await whoami({ user: 'ops', become })).toBe(become.user)
      const host = await open({ user: 'ops', become })
      const content = Buffer.alloc(100_000, 'text\n')
      const path = await host.tempFile()
      await host.write(path, content)
      expect(Buffer.from(await host.read(path)).equals(content)).toBe(true)
      await host.remove(path)
      await host.close()
    })

    test.runIf(has(program))('is refused with a wrong password, or without one', async () => {
      const user = program === 'su' ? DEPLOY.name : 'root'
      for (const password of [{ password: 'wrong' }, {}]) {
        const attempt = whoami({ user: OPS.name, become: { program, user, ...password } })
        await expect(attempt).rejects.toMatchObject({
          code: 'BecomeRefused',
          message: /^Could not become another user on /,
        })
      }
    })
  })

  test.runIf(has('sudo'))('becomes root through a terminal', async () => {
    const become = { program: 'sudo', user: 'root', password: PASSWORD } as const
    expect(await whoami({ user: 'ops', tty: true, become })).toBe('root')
  })
})

/** Return the content of a file; empty if it is missing or unreadable. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // the process ended meanwhile
    return ''
  }
}
