// Files from Git with real servers: over HTTP with a password, to a minion, after a push with a web hook; and over SSH.
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Api, ownMaster } from '../../src/api/mod.ts'
import { silentLog } from '../../src/base/mod.ts'
import { salt } from '../../src/cli/mod.ts'
import { mirrorOf, plainRemote } from '../../src/git/mod.ts'
import { PASSWORD, serveHttp, USER } from '../conformance/gitfs/servers.ts'
import { freePort } from '../free-port.ts'
import { noSshd, startSshd } from '../ssh/sshd.ts'
import { until } from '../until.ts'
import { TestSite } from './site.ts'

const SECRET = 'the secret of the hook'
let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await site.close()
})

function push(content: string): void {
  const [bare, work] = [join(site.root, 'repos', 'states.git'), join(site.root, 'work')]
  if (!existsSync(bare)) execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare])
  rmSync(work, { recursive: true, force: true })
  execFileSync('git', ['clone', '-q', bare, work], { stdio: 'ignore' })
  mkdirSync(join(work, 'web'), { recursive: true })
  writeFileSync(
    join(work, 'web', 'init.sls'),
    `${site.root}/made:\n  file.managed:\n    - source: salt://web/content\n`,
  )
  writeFileSync(join(work, 'web', 'content'), content)
  const git = (...words: string[]): unknown =>
    execFileSync('git', ['-C', work, '-c', 'user.name=A', '-c', 'user.email=a@example.invalid', ...words])
  git('add', '-A')
  git('commit', '-q', '-m', content)
  git('push', '-q', bare, 'HEAD:refs/heads/main')
}

/** Apply the state on the minion, and return its file; undefined if the state does not exist. */
async function applied(config: string): Promise<string | undefined> {
  const streams = { out: () => {}, err: () => {}, terminal: false }
  if ((await salt(['-c', config, 'web1', 'state.apply', 'web'], streams)) !== 0) return undefined
  return readFileSync(join(site.root, 'made'), 'utf8')
}

test('A push reaches minions when the hook of its server has the secret, and not otherwise', async () => {
  push('one\n')
  const server = await serveHttp(join(site.root, 'repos'), true)
  site.atEnd(() => server.stop())
  const url = `http://127.0.0.1:${server.port}/states.git`
  const port = await freePort()
  const master = await site.master('master', '127.0.0.1', {
    fileserver_backend: ['gitfs'],
    gitfs_remotes: [{ [url]: [{ user: USER }, { password: PASSWORD }, { insecure_auth: true }, { base: 'main' }] }],
    gitfs_update_interval: 3600,
    gitfs_webhook_secret: SECRET,
    rest_cherrypy: { port, host: '127.0.0.1', disable_ssl: true },
  })
  const api = await Api.open(ownMaster(master.opened), silentLog)
  site.atEnd(() => api.close())
  await site.minion('web1')
  await until('the minion is there', async () => master.seen.some(({ tag }) => tag === 'salt/minion/web1/start'))
  await until('the minion has the first content', async () => (await applied(master.config)) === 'one\n')
  push('two\n')
  const body = JSON.stringify({ ref: 'refs/heads/main', repository: { clone_url: url } })
  const post = (secret: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/gitfs/update`, {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json',
        'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
    })
  expect((await post('another secret')).status).toBe(401)
  expect(await applied(master.config)).toBe('one\n')
  const taken = await post(SECRET)
  expect(taken.status).toBe(202)
  expect(await taken.json()).toEqual({ updating: [url] })
  await until('the push reaches the minion', async () => (await applied(master.config)) === 'two\n')
})

test.skipIf(noSshd !== undefined)(
  'A remote over SSH is fetched with a key that has a passphrase',
  async () => {
    push('one\n')
    const sshd = await startSshd()
    site.atEnd(() => sshd.stop())
    const key = join(site.root, 'key')
    copyFileSync(sshd.identity, key)
    chmodSync(key, 0o600)
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'open sesame', '-f', key])
    const { user, host, port, configFile } = sshd.target
    vi.stubEnv('GIT_SSH_COMMAND', `ssh -F ${configFile} -o UserKnownHostsFile=${sshd.knownHosts}`)
    const remote = plainRemote(`ssh://${user}@${host}:${port}${site.root}/repos/states.git`)
    const mirror = (passphrase: string) =>
      mirrorOf(join(site.root, 'cache'), { ...remote, pubkey: `${sshd.identity}.pub`, privkey: key, passphrase })
    await expect(mirror('wrong').update()).rejects.toMatchObject({ code: 'LoginRefused' })
    expect(await mirror('open sesame').update()).toBe(true)
  },
  60_000,
)
