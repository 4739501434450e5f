// salt-cloud with the driver saltify against a real sshd whose processes see a machine of their own: the deployment, events,
// the first answer of the minion, and its end.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPlain } from '../../src/data/mod.ts'
import { freePort } from '../free-port.ts'
import { noSshd, startSshd, type TestSshd } from '../ssh/sshd.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

const root = join(import.meta.dirname, '..', '..')

/** A separate machine needs rights that not every root has. */
const canUnshare = spawnSync('unshare', ['--mount', '--pid', '--fork', '--mount-proc', 'true']).status === 0
const cannot = noSshd !== undefined || process.getuid?.() !== 0 || !canUnshare

/** Fresh folders for all that an installation writes to. */
const MOUNTS = `set -e
cp -a /etc "$1"; mount --bind "$1" /etc; rm -rf /etc/salt
for folder in /opt /usr/local/bin /var/cache /var/log /var/lib /run; do mount -t tmpfs tmpfs "$folder"; done
mkdir -p /run/sshd /var/log/salt
shift; exec "$@"`

/** Pack what a minion needs of dist/ as npm does. The lab sends the whole installation with its Node. */
function packMinion(file: string): string {
  const parts = ['parts', 'python', 'package.json', 'salt-minion.js', 'salt-call.js'].map((name) => `dist/${name}`)
  execFileSync('tar', ['--transform=s,^,package/,', '-I', 'gzip -1', '-cf', file, ...parts], { cwd: root })
  return file
}

let home: string
let site: TestSite
let master: TestMaster
let sshd: TestSshd

beforeAll(async () => {
  if (cannot) return
  home = mkdtempSync(join(tmpdir(), 'brine-cloud-'))
  site = await TestSite.open()
  const alone = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', MOUNTS, 'sh']
  sshd = await startSshd({ wrapper: [...alone, join(home, 'etc')] })
  master = await site.master('master', '127.0.0.1', { auto_accept: false, keysize: 2048 })
  const ports = { pub: await freePort(), ret: await freePort() }
  const write = (name: string, value: object): void => {
    mkdirSync(join(master.config, name, '..'), { recursive: true })
    writeFileSync(join(master.config, name), JSON.stringify(value))
  }
  write('cloud', { cachedir: join(home, 'cache'), master: '127.0.0.1', package: packMinion(join(home, 'brine.tgz')) })
  write('cloud.providers.d/own.conf', { racks: { driver: 'saltify' } })
  const login = {
    ssh_host: '127.0.0.1',
    ssh_port: sshd.port,
    private_key: sshd.identity,
    known_hosts_file: sshd.knownHosts,
  }
  write('cloud.profiles.d/own.conf', {
    box: {
      ...{ provider: 'racks', ...login, sync_after_install: 'grains', start_action: 'test.version' },
      minion: { publish_port: site.ports.pub, grains: { role: 'web' } },
      grains: { rack: 7 },
    },
    syndicate: {
      // the package is this installation itself
      ...{ extends: 'box', make_master: true, package: '' },
      master: { interface: '127.0.0.1', publish_port: ports.pub, ret_port: ports.ret, keysize: 2048 },
    },
    scripted: { extends: 'syndicate', script: 'own.sh' },
  })
})
afterAll(async () => {
  if (cannot) return
  await sshd?.stop()
  await site?.close()
  rmSync(home, { recursive: true, force: true })
})

const accepted = () => master.wheel('key.list', ['accepted'])

/** The built program. */
async function run(...words: string[]): Promise<{ status: number | null; out: string; err: string }> {
  const program = [join(root, 'dist', 'salt-cloud.js'), '-c', master.config, '--out=json']
  const child = spawn(process.execPath, [...program, ...words])
  let [out, err] = ['', '']
  child.stdout.on('data', (piece) => void (out += piece))
  child.stderr.on('data', (piece) => void (err += piece))
  const status = await new Promise<number | null>((done) => child.once('close', done))
  return { status, out, err }
}

/** Run a command on the machine, as a logged-in user. */
const onHost = (line: string): string => {
  const options = [
    '-p',
    String(sshd.port),
    '-i',
    sshd.identity,
    '-F',
    '/dev/null',
    '-o',
    `UserKnownHostsFile=${sshd.knownHosts}`,
  ]
  return execFileSync('ssh', [...options, 'root@127.0.0.1', line], { encoding: 'utf8' })
}

describe.skipIf(cannot)('salt-cloud with saltify', () => {
  it('accepts no key when the login is refused', async () => {
    const login = [
      `ssh_port=${sshd.port}`,
      `private_key=${sshd.strangeIdentity}`,
      `known_hosts_file=${sshd.knownHosts}`,
    ]
    const { status, out } = await run('-b', '127.0.0.1', 'box1', ...login)
    expect(status).toBe(1)
    expect(JSON.parse(out).box1.Error).toContain('The login is refused')
    expect(await accepted()).toEqual({ minions: [] })
  })

  it('puts a minion on a machine that answers, and calls functions on it', async () => {
    const { status, out, err } = await run('-p', 'box', 'box1')
    expect({ status, err }).toEqual({ status: 0, err: expect.any(String) })
    expect(JSON.parse(out).box1).toMatchObject({ deployed: true, start_action: expect.any(String) })
    expect(await accepted()).toEqual({ minions: ['box1'] })
    expect(await master.ask('box1', 'grains.item', ['role', 'rack', 'salt-cloud'])).toEqual({
      ...{ role: 'web', rack: 7 },
      'salt-cloud': { driver: 'saltify', provider: 'racks', profile: 'box' },
    })
    const told = await master.event(/^salt\/cloud\/box1\/deploy_script$/)
    expect(toPlain(told.data)).toMatchObject({
      name: 'box1',
      host: '127.0.0.1',
      event: 'box1 has been deployed at 127.0.0.1',
    })
    const steps = master.seen.map(({ tag }) => tag).filter((tag) => tag.startsWith('salt/cloud/box1/'))
    expect(steps.map((tag) => tag.split('/').at(-1)).slice(-5)).toEqual([
      'creating',
      'waiting_for_ssh',
      'deploying',
      'deploy_script',
      'created',
    ])
    expect(onHost('stat -c %a /etc/salt/pki/minion/minion.pem /etc/salt/minion.d/99-bootstrap.conf')).toBe('400\n600\n')
  })

  it('lists the machine by its minion, and leaves it alone the second time', async () => {
    expect(JSON.parse((await run('-Q')).out).racks.saltify.box1).toMatchObject({ state: 'running', name: 'box1' })
    expect(JSON.parse((await run('-p', 'box', 'box1')).out).box1).toEqual({
      Error: 'box1 already exists under racks:saltify',
    })
  })

  it('is asked by the runner, and by functions on the minion of the master', async () => {
    const { value } = await master.run('cloud.query')
    expect(toPlain(value)).toMatchObject({ racks: { saltify: { box1: { state: 'running' } } } })
    const options = JSON.parse(readFileSync(join(master.config, 'master'), 'utf8'))
    const minion = { id: 'beside', master: '127.0.0.1', master_port: site.ports.ret, publish_port: site.ports.pub }
    writeFileSync(join(master.config, 'minion'), JSON.stringify({ root_dir: options.root_dir, ...minion }))
    const keys = (await master.wheel('key.gen_accept', ['beside'])) as { pub: string; priv: string }
    const pki = join(options.root_dir, 'etc', 'salt', 'pki', 'minion')
    mkdirSync(pki, { recursive: true })
    writeFileSync(join(pki, 'minion.pem'), keys.priv, { mode: 0o400 })
    writeFileSync(join(pki, 'minion.pub'), keys.pub)
    const call = [join(root, 'dist', 'salt-call.js'), '-c', master.config, '--out=json', 'cloud.has_instance', 'box1']
    const child = spawn(process.execPath, call, { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (piece) => void (out += piece))
    await new Promise((done) => child.once('close', done))
    expect(JSON.parse(out)).toEqual({ local: true })
    await master.wheel('key.delete', ['beside'])
  })

  it('removes the minion and its key when the machine is destroyed', async () => {
    const { status, out } = await run('-d', 'box1', '-y')
    expect({ status, out: JSON.parse(out) }).toMatchObject({ status: 0, out: { racks: { saltify: { box1: {} } } } })
    expect(await accepted()).toEqual({ minions: [] })
    expect(onHost('ls /etc/salt/minion.d')).not.toContain('bootstrap')
  })

  it('puts a master on the machine too with make_master, beside a minion of this master', async () => {
    const refused = await run('-p', 'scripted', 'box2')
    expect(refused.status).toBe(1)
    expect(refused.out + refused.err).toContain('make_master needs the built-in deployment')
    const { status, out, err } = await run('-p', 'syndicate', 'box2')
    expect({ status, err }).toEqual({ status: 0, err: expect.any(String) })
    expect(JSON.parse(out).box2).toMatchObject({ deployed: true })
    expect(await master.ask('box2', 'test.ping')).toBe(true)
    expect(onHost('stat -c %a /etc/salt/master.d/99-cloud.conf')).toBe('600\n')
    const pid = onHost('cat /var/run/salt-master.pid').trim()
    expect(onHost(`tr '\\0' ' ' < /proc/${pid}/cmdline`)).toContain('salt-master')
    await until('the new master has its key', () => onHost('ls /etc/salt/pki/master').includes('master.pem'))
    expect(JSON.parse(onHost('salt-key --out=json -L'))).toMatchObject({ minions: [], minions_pre: [] })
    await run('-d', 'box2', '-y')
    expect(await accepted()).toEqual({ minions: [] })
  })
})
