// `brine bootstrap` against a real sshd whose processes see a machine of their own: other mounts and processes, the same network.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { run } from '../../src/cli/bootstrap.ts'
import { callOverSsh } from '../../src/cli/over-ssh.ts'
import { clientConfig } from '../../src/config/mod.ts'
import { str, type Value } from '../../src/data/mod.ts'
import { runMasterFunction, socketAccess } from '../../src/runner/mod.ts'
import { noSshd, startSshd, type TestSshd } from '../ssh/sshd.ts'
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

let home: string
let site: TestSite
let master: TestMaster
let sshd: TestSshd
let pack: string

/** Pack what a minion needs of dist/ as npm does. */
function packMinion(file: string): void {
  const parts = ['parts', 'python', 'package.json', 'salt-minion.js', 'salt-call.js'].map((name) => `dist/${name}`)
  execFileSync('tar', ['--transform=s,^,package/,', '-I', 'gzip -1', '-cf', file, ...parts], { cwd: root })
}

beforeAll(async () => {
  if (cannot) return
  home = mkdtempSync(join(tmpdir(), 'brine-bootstrap-'))
  pack = join(home, 'brine.tgz')
  packMinion(pack)
  site = await TestSite.open()
  const wrapper = [
    'unshare',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    'sh',
    '-c',
    MOUNTS,
    'sh',
    join(home, 'etc'),
  ]
  sshd = await startSshd({ wrapper })
  master = await site.master('master', '127.0.0.1', { auto_accept: false, open_mode: false })
})
afterAll(async () => {
  if (cannot) return
  await sshd?.stop()
  await site?.close()
  rmSync(home, { recursive: true, force: true })
})

interface Ended {
  status: number
  out: string
  err: string
}

function wordsFor(words: readonly string[]): string[] {
  const login = ['-c', master.config, '--port', String(sshd.port), '--priv', sshd.identity, '--master', '127.0.0.1']
  const known = ['--ssh-option', `UserKnownHostsFile=${sshd.knownHosts}`]
  return ['127.0.0.1', ...login, ...known, ...(words.includes('--package') ? [] : ['--package', pack]), ...words]
}

async function bootstrap(...words: string[]): Promise<Ended> {
  const ended: Ended = { status: -1, out: '', err: '' }
  const streams = {
    out: (text: string) => void (ended.out += text),
    err: (text: string) => void (ended.err += text),
    terminal: false,
  }
  ended.status = await run(wordsFor(words), streams)
  return ended
}

/** Run a command on the host, as a logged-in user. */
const onHost = (line: string): string => {
  const options = [
    '-p',
    String(sshd.port),
    '-i',
    sshd.identity,
    '-o',
    `UserKnownHostsFile=${sshd.knownHosts}`,
    '-F',
    '/dev/null',
  ]
  return execFileSync('ssh', [...options, 'root@127.0.0.1', line], { encoding: 'utf8' })
}

const accepted = () => master.wheel('key.list', ['accepted'])

describe.skipIf(cannot)('brine bootstrap', () => {
  it('shows what it would do, without doing it', async () => {
    const { status, out, err } = await bootstrap('--id', 'box1', '--test')
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toContain('127.0.0.1: minion box1 of master 127.0.0.1: would make a key pair')
    expect(onHost('ls /etc/salt 2>/dev/null; ls /opt')).toBe('')
    expect(await accepted()).toEqual({ minions: [] })
  })

  it('takes the key back when the package cannot be installed', async () => {
    const broken = join(home, 'broken.tgz')
    mkdirSync(join(home, 'package'))
    writeFileSync(join(home, 'package', 'README'), '')
    execFileSync('tar', ['-czf', broken, '-C', home, 'package'])
    const { status, out, err } = await bootstrap('--id', 'box1', '--package', broken)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toContain('127.0.0.1: package: The archive has no package/dist/salt-minion.js')
    expect(await accepted()).toEqual({ minions: [] })
  })

  it('installs a minion that knows its master and answers', async () => {
    const { status, out, err } = await bootstrap('--id', 'box1')
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toMatch(/^127\.0\.0\.1: minion box1 answers \(.*key accepted.*package installed.*\)\n$/)
    expect(await accepted()).toEqual({ minions: ['box1'] })
    expect(await master.ask('box1', 'test.ping')).toBe(true)
    expect(onHost('cat /etc/salt/minion.d/99-bootstrap.conf')).toMatch(
      /^master: "127.0.0.1"\nid: "box1"\nmaster_finger: "[\da-f:]+"/m,
    )
    expect(onHost('stat -c %a /etc/salt/pki/minion /etc/salt/pki/minion/minion.pem')).toBe('700\n400\n')
  })

  it('has nothing to do the second time', async () => {
    const { out } = await bootstrap('--id', 'box1')
    expect(out).toBe('127.0.0.1: minion box1 answers (nothing to do)\n')
  })

  it('leaves a minion with another id or master alone', async () => {
    const other = await bootstrap('--id', 'box2')
    expect(other.status).toBe(1)
    expect(other.err).toContain(
      '127.0.0.1: look: The host has a minion already: /etc/salt/minion.d/99-bootstrap.conf has another id',
    )
    onHost('echo "master: elsewhere" > /etc/salt/minion')
    expect((await bootstrap('--id', 'box1')).err).toContain(
      '/etc/salt/minion has another master. Use brine bootstrap with --force to take it over',
    )
    expect(await accepted()).toEqual({ minions: ['box1'] })
    onHost('rm /etc/salt/minion')
  })

  it('refuses an id that another machine has', async () => {
    onHost('rm -r /etc/salt')
    const { status, err } = await bootstrap('--id', 'box1')
    expect(status).toBe(1)
    expect(err).toContain('look: The master has accepted another key for the id box1')
  })

  it('lets no host that names itself take over the id of another machine', async () => {
    const own = onHost('hostname').trim()
    await master.wheel('key.gen_accept', [own])
    const { status, err } = await bootstrap('--force')
    await master.wheel('key.delete', [own])
    expect(status).toBe(1)
    expect(err).toContain(`look: The master has accepted another key for the id ${own}`)
    expect(err).toContain(`--id ${own} --force`)
  })

  it('takes the key back when the minion does not answer', async () => {
    const { status, err } = await bootstrap('--id', 'box4', '--master', '127.0.0.9', '--timeout', '2')
    expect(status).toBe(1)
    expect(err).toContain('127.0.0.1: answer: The minion box4 does not answer after 2 s')
    expect(await accepted()).toEqual({ minions: ['box1'] })
  })

  it('takes the key back when it is interrupted', async () => {
    const words = wordsFor(['--id', 'box5', '--master', '127.0.0.9', '--timeout', '600', '--force'])
    const child = spawn(process.execPath, [join(root, 'dist', 'brine.js'), 'bootstrap', ...words], { stdio: 'ignore' })
    const ended = new Promise((done) => child.once('exit', done))
    await expect.poll(accepted).toEqual({ minions: ['box1', 'box5'] })
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(await accepted()).toEqual({ minions: ['box1'] })
  })

  it('names a host that it cannot reach', async () => {
    const { status, err } = await bootstrap('--id', 'box3', '--priv', sshd.strangeIdentity)
    expect(status).toBe(1)
    expect(err).toMatch(/^127\.0\.0\.1: connect: /m)
  })

  it('takes several packages only where a package manager installs them', async () => {
    const { status, err } = await bootstrap('--package', pack, '--package', pack)
    expect(status).toBe(1)
    expect(err).toContain('A minion is installed from one .tgz or one program, and 2 are named')
  })

  it.each([
    [['--package', '/no/such'], "The package '/no/such' is not a file"],
    [['--package', '/etc/passwd'], "'/etc/passwd' is neither a .deb, a .rpm, a .tgz nor a program of Linux"],
  ])('%j is refused before any host is reached', async (words, problem) => {
    const { status, err } = await bootstrap(...words)
    expect(status).toBe(1)
    expect(err).toContain(problem)
  })
})

/** Call the runner as salt-run does, or as a user of the API; lines of the log come along. */
async function manage(kwargs: Record<string, Value>, user?: string): Promise<{ value: Value; logged: string }> {
  let logged = ''
  const log = Object.assign((level: string, text: string) => void (logged += `${level} ${text}\n`), { least: 0 })
  const opts = await clientConfig({ path: join(master.config, 'master') }).then((read) =>
    read.set('config_dir', master.config),
  )
  const access = socketAccess(opts, user === undefined ? log : silentLog, { overSsh: callOverSsh })
  try {
    const { value } = await runMasterFunction(access, {
      ...({ family: 'runner', fun: 'manage.bootstrap', args: [], user: user ?? 'root' } as const),
      kwargs: new Map(Object.entries(kwargs)),
      ...(user !== undefined && { caller: { kind: 'user', name: user, proof: 'token' } }),
    })
    return { value, logged }
  } finally {
    access.close()
  }
}

describe.skipIf(cannot)('manage.bootstrap', () => {
  const login = (): Record<string, Value> => ({ ssh_priv_key: sshd.identity, package: pack, master: '127.0.0.1' })

  beforeAll(() => {
    onHost('rm -rf /etc/salt')
    const entry = { host: '127.0.0.1', port: sshd.port, ssh_options: [`UserKnownHostsFile=${sshd.knownHosts}`] }
    const roster = { roster1: entry, roster2: { ...entry, priv: sshd.strangeIdentity } }
    writeFileSync(join(master.config, 'roster'), JSON.stringify(roster))
  })

  it('installs a minion on a host of the roster, and hides the password', async () => {
    const seen = master.event(/^salt\/run\/\d+\/new$/)
    const { value, logged } = await manage({
      ...login(),
      hosts: ['roster1'],
      ssh_password: 'open-sesame-77',
      tmp_dir: '/x',
    })
    expect(value).toEqual(new Map([['roster1', expect.stringMatching(/^minion roster1 answers \(.*key accepted/)]]))
    expect(await master.ask('roster1', 'test.ping')).toBe(true)
    expect(logged).toContain("warning manage.bootstrap: 'tmp_dir' has no effect")
    expect(logged).not.toContain('open-sesame-77')
    const told = JSON.stringify([...(await seen).data].map(str))
    expect(told).toContain('roster1')
    expect(told).not.toContain('open-sesame-77')
  })

  it('reports all hosts where one fails', async () => {
    const { value } = await manage({ ...login(), hosts: 'roster2, roster1' })
    expect(str(value)).toMatch(/roster2: connect: [\s\S]*\nroster1: minion roster1 answers \(nothing to do\)/)
    expect(await accepted()).toEqual({ minions: expect.not.arrayContaining(['roster2']) })
  })

  it.each<[Record<string, Value>, string]>([
    [{ package: '/etc/shadow' }, "'package' cannot be given by a caller"],
    [{ ssh_priv_key: '/root/.ssh/id_rsa' }, "'ssh_priv_key' cannot be given by a caller"],
    [{ master: 'elsewhere' }, "'master' cannot be given by a caller"],
    [{ roster: 'scan' }, 'The value of the option roster cannot be used'],
    [{ hosts: '127.0.0.1' }, "'127.0.0.1' is not in the roster"],
  ])('refuses %j of a user of the API', async (kwargs, problem) => {
    expect(str((await manage({ hosts: 'roster1', ...kwargs }, 'mallory')).value)).toContain(problem)
  })
})
