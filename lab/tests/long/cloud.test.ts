// The walk of the document about SaltCloud and DNS, with machines that really boot: profile, machine, DNS record by a reaction, highstate, destroy,
// and the record is gone. The machines are made by the driver nspawn; BIND, the master and salt-cloud run in the network of the lab.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/until.ts'
import { attempt, type Outcome, run } from '../../command.ts'
import { prepare, removeLeftovers } from '../../lab.ts'
import { Network } from '../../network.ts'
import { program, RUNNING } from '../../program.ts'
import { STOCK } from '../../stock.ts'

const SEEDS = join(import.meta.dirname, '..', '..', '..', 'test', 'seeds', 'dns')
const NAMESERVER = '10.10.38.250'
const MASTER = '10.77.0.1'

const ZONE = '$TTL 60\n@ IN SOA ns.mydomain.com. root.mydomain.com. 1 60 60 60 60\n@ IN NS ns.mydomain.com.\n'
const NAMED = (folder: string): string => `
options { directory "${folder}"; listen-on { any; }; listen-on-v6 { none; }; pid-file "pid"; recursion no; session-keyfile "session"; };
controls {};
zone "mydomain.com" { type primary; file "mydomain"; allow-update { any; }; };
zone "10.in-addr.arpa" { type primary; file "reverse"; allow-update { any; }; };
`

let work: string
let image: string
let network: Network
let programs: string
const children: ChildProcess[] = []

/** Start a program that lasts, in the network of the lab. */
function start(...argv: string[]): void {
  const [file, ...args] = network.within(argv)
  children.push(spawn(file!, args, { stdio: 'ignore' }))
}

const salt = (name: string, ...words: string[]): Promise<Outcome> =>
  attempt(network.within([process.execPath, join(programs, 'dist', `${name}.js`), '-c', join(work, 'etc'), ...words]))

async function answer(name: string, ...words: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr, code } = await salt(name, ...words, '--out=json')
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`${name} ${words.join(' ')} exits with ${code} and gives no JSON: ${stdout}${stderr}`)
  }
}

const addressOf = async (name: string): Promise<string> =>
  (await run(network.within(['dig', '+short', `@${NAMESERVER}`, `${name}.mydomain.com`, 'A']))).trim()

beforeAll(async () => {
  await removeLeftovers()
  mkdirSync(RUNNING, { recursive: true })
  work = mkdtempSync(join(RUNNING, `cloud-${process.pid}-`))
  image = (await prepare({ stock: STOCK })).root
  programs = await program()
  // daemons load packages with native parts
  const modules = join(programs, 'node_modules')
  if (!existsSync(modules)) symlinkSync(join(import.meta.dirname, '..', '..', '..', 'node_modules'), modules)
  network = await Network.create()
  await run(network.within(['ip', 'address', 'add', `${NAMESERVER}/32`, 'dev', network.bridge]))
  const write = (path: string, text: string): void => {
    mkdirSync(join(work, path, '..'), { recursive: true })
    writeFileSync(join(work, path), text)
  }
  write('named/named.conf', NAMED(join(work, 'named')))
  write('named/mydomain', `${ZONE}ns IN A ${NAMESERVER}\n`)
  write('named/reverse', ZONE)
  start('/usr/sbin/named', '-g', '-c', join(work, 'named', 'named.conf'))
  await run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(work, 'key')])
  const options = {
    root_dir: work,
    pki_dir: join(work, 'pki'),
    interface: MASTER,
    keysize: 2048,
    timeout: 60,
    file_roots: { base: [join(work, 'tree')] },
  }
  write('etc/master', JSON.stringify(options))
  cpSync(join(SEEDS, 'etc', 'salt', 'master.d'), join(work, 'etc', 'master.d'), { recursive: true })
  cpSync(join(SEEDS, 'srv'), join(work, 'srv'), { recursive: true })
  write('tree/top.sls', "base:\n  '*': [lab]\n")
  write('tree/lab.sls', '/etc/lab-motd:\n  file.managed:\n    - contents: made by highstate\n')
  write('etc/cloud', JSON.stringify({ cachedir: join(work, 'cloud'), master: MASTER }))
  const provider = {
    driver: 'nspawn',
    machines_dir: join(work, 'machines'),
    bridge: network.bridge,
    subnet: '10.77.0.0/24',
  }
  write('etc/cloud.providers.d/lab.conf', JSON.stringify({ lab: provider }))
  const profile = {
    provider: 'lab',
    image,
    private_key: join(work, 'key'),
    ssh_public_key: join(work, 'key.pub'),
    start_action: 'state.highstate',
  }
  write(
    'etc/cloud.profiles.d/lab.conf',
    JSON.stringify({ 'centos7-prod': profile, broken: { extends: 'centos7-prod', script: 'fail.sh' } }),
  )
  write('etc/cloud.deploy.d/fail.sh', '#!/bin/sh\necho no luck >&2\nexit 3\n')
  // the reactor's files are named by their place below /srv
  const master = [process.execPath, join(programs, 'dist', 'salt-master.js'), '-c', join(work, 'etc'), '-l', 'warning']
  start(
    'unshare',
    '--mount',
    'sh',
    '-c',
    'mount --bind "$1" /srv; shift; exec "$@"',
    'sh',
    join(work, 'srv'),
    ...master,
  )
  await until('the master answers', async () => (await salt('salt-run', 'manage.up')).code === 0)
})

afterAll(async () => {
  const left = existsSync(join(work, 'machines'))
    ? readdirSync(join(work, 'machines')).filter((name) => name.endsWith('.json'))
    : []
  for (const name of left) await salt('salt-cloud', '-d', name.slice(0, -5), '-y')
  for (const child of children.reverse()) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await network?.remove()
  rmSync(work, { recursive: true, force: true })
})

describe('a machine of salt-cloud', () => {
  it('boots, gets its minion, its DNS record and its highstate', async () => {
    expect(await addressOf('jmtest1')).toBe('')
    const made = await answer('salt-cloud', '-p', 'centos7-prod', 'jmtest1')
    expect(made['jmtest1']).toMatchObject({ state: 'running', private_ips: ['10.77.0.2'], deployed: true })
    await until('the record is there', async () => (await addressOf('jmtest1')) === '10.77.0.2')
    expect(await answer('salt', 'jmtest1', 'file.read', '/etc/lab-motd')).toEqual({ jmtest1: 'made by highstate\n' })
    expect(await answer('salt', 'jmtest1', 'service.enabled', 'salt-minion')).toEqual({ jmtest1: true })
    const hostKey = '/etc/ssh/ssh_host_ed25519_key.pub'
    const own = (await answer('salt', 'jmtest1', 'file.read', hostKey))['jmtest1']
    expect(own).toMatch(/^ssh-ed25519 /)
    if (existsSync(join(image, hostKey))) expect(own).not.toBe(readFileSync(join(image, hostKey), 'utf8'))
  })

  it('is there the second time, and in the roster of salt-ssh', async () => {
    const again = await answer('salt-cloud', '-p', 'centos7-prod', 'jmtest1')
    expect(again).toEqual({ jmtest1: { Error: 'jmtest1 already exists under lab:nspawn' } })
    const login = ['--roster=cloud', '-i', '--priv', join(work, 'key')]
    expect(await answer('salt-ssh', ...login, 'jmtest1', 'test.ping')).toEqual({ jmtest1: true })
  })

  it('comes back after a stop and a start', async () => {
    expect(await answer('salt-cloud', '-a', 'stop', 'jmtest1', '-y')).toEqual({
      lab: { nspawn: { jmtest1: 'stopped' } },
    })
    expect(await answer('salt-cloud', '-Q')).toMatchObject({ lab: { nspawn: { jmtest1: { state: 'stopped' } } } })
    expect(await answer('salt-cloud', '-a', 'start', 'jmtest1', '-y')).toEqual({
      lab: { nspawn: { jmtest1: 'running' } },
    })
    await until('its minion answers', async () => (await salt('salt', 'jmtest1', 'test.ping')).stdout.includes('True'))
  })

  it('is gone with its key and its record when it is destroyed', async () => {
    const gone = await answer('salt-cloud', '-d', 'jmtest1', '-y')
    expect(gone).toEqual({ lab: { nspawn: { jmtest1: { state: 'destroyed' } } } })
    await until('the record is gone', async () => (await addressOf('jmtest1')) === '')
    expect(await answer('salt-key', '-l', 'accepted')).toEqual({ minions: [] })
    expect(readdirSync(join(work, 'machines'))).toEqual([])
  })

  it('leaves nothing when its deployment fails', async () => {
    const failed = await answer('salt-cloud', '-p', 'broken', 'bad1')
    expect(failed).toEqual({ bad1: { Error: expect.stringContaining('exits with 3: no luck') } })
    expect(readdirSync(join(work, 'machines'))).toEqual([])
    expect(await answer('salt-key', '-l', 'accepted')).toEqual({ minions: [] })
  })

  it('is undone by the interrupted salt-cloud itself', async () => {
    const config = join(work, 'etc')
    const words = [join(programs, 'dist', 'salt-cloud.js'), '-c', config, '-p', 'centos7-prod', 'stop1']
    const argv = network.within([process.execPath, ...words])
    const child = spawn(argv[0]!, argv.slice(1), { stdio: 'ignore' })
    const ended = once(child, 'exit')
    await until('the machine is being made', () => existsSync(join(work, 'machines', 'stop1.json')))
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    expect(readdirSync(join(work, 'machines'))).toEqual([])
    expect(await answer('salt-key', '-l', 'accepted')).toEqual({ minions: [] })
  })

  it('leaves nothing after kill -9 at any moment, once salt-cloud runs again', async () => {
    const argv = network.within([
      process.execPath,
      join(programs, 'dist', 'salt-cloud.js'),
      '-c',
      join(work, 'etc'),
      '-p',
      'centos7-prod',
      'kill1',
    ])
    for (const seconds of [0.7, 1.5, 3, 6]) {
      const child = spawn(argv[0]!, argv.slice(1), { stdio: 'ignore' })
      await new Promise((done) => setTimeout(done, seconds * 1000))
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      expect((await salt('salt-cloud', '-Q')).code).toBe(0)
      // a run that was quick enough has made the machine
      await salt('salt-cloud', '-d', 'kill1', '-y')
      expect(readdirSync(join(work, 'machines'))).toEqual([])
      expect(await answer('salt-key', '-l', 'accepted')).toEqual({ minions: [] })
    }
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(join(work, 'machines'))
  })
})
