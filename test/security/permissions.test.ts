// What other users of the machine see of a working master and minion: both daemons are started with a permissive umask,
// run jobs with secrets, and a user without rights searches their directories.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

const DIST = join(import.meta.dirname, '../../dist')
const CANARY = 'canary-7e57ab1e'
const NOBODY = { uid: 65_534, gid: 65_534 }

/** Needs root, to start daemons as root and inspect them as another user, who must be able to read the programs. */
const canTry = process.getuid?.() === 0 && spawnSync('test', ['-r', join(DIST, 'salt.js')], NOBODY).status === 0

let root = ''
const daemons: ChildProcess[] = []

const at = (...parts: string[]): string => join(root, ...parts)

function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}

function start(program: string): void {
  const words = [process.execPath, join(DIST, `${program}.js`), '-c', at('etc')]
  daemons.push(spawn('sh', ['-c', 'umask 0; exec "$@"', 'sh', ...words], { stdio: 'ignore' }))
}

async function stop(daemon: ChildProcess): Promise<void> {
  const ended = once(daemon, 'exit')
  daemon.kill()
  await ended
}

/** Return the output of a program; that no minion answers yet is no failure here. */
function run(program: string, words: string[], who = {}): string {
  const all = [join(DIST, `${program}.js`), '-c', at('etc'), ...words]
  // the home directory of the user `nobody` does not exist
  return spawnSync(process.execPath, all, { encoding: 'utf8', env: { ...process.env, HOME: '/' }, ...who }).stdout
}

const salt = (...words: string[]): string => run('salt', words)

/** Return the files below the directories of both daemons that the user `nobody` finds with these conditions. */
function found(...conditions: string[]): string[] {
  const places = ['var', 'etc/pki', 'etc/minion.d'].map((place) => at(place)).filter(existsSync)
  const { stdout } = spawnSync('find', [...places, ...conditions], { encoding: 'utf8', ...NOBODY })
  return stdout.split('\n').filter(Boolean)
}

/** Return the files below the directories that the user `nobody` can read, except those for all users or for this one. */
const readable = (): string[] => found('-type', 'f', '-readable').filter((path) => !/\.pid$|\/\.nobody_key$/.test(path))

/** Return whether the user `nobody` finds the secret in a file, in any encoding. */
function findsSecret(): string {
  const { stdout } = spawnSync('grep', ['-rlaF', CANARY, at('var'), at('etc')], { encoding: 'utf8', ...NOBODY })
  return stdout
}

beforeAll(async () => {
  if (!canTry) return
  root = mkdtempSync(join(tmpdir(), 'brine-permissions-'))
  chmodSync(root, 0o755)
  // as packages make it
  mkdirSync(at('var/cache/salt'), { recursive: true })
  const common = { root_dir: root, publish_port: await freePort(), log_level_logfile: 'info' }
  const ret = await freePort()
  const roots = { file_roots: { base: [at('srv/salt')] }, pillar_roots: { base: [at('srv/pillar')] } }
  const acl = { publisher_acl: { nobody: ['test.ping'] } }
  const master = {
    ...common,
    ...roots,
    ...acl,
    job_cache_files: true,
    interface: '127.0.0.1',
    ret_port: ret,
    auto_accept: true,
  }
  write('etc/master', JSON.stringify({ ...master, log_file: at('var/log/master'), schedule: {} }))
  const minion = { ...common, id: 'm1', master: '127.0.0.1', master_port: ret, grains_cache: true, cache_jobs: true }
  write('etc/minion', JSON.stringify({ ...minion, log_file: at('var/log/minion') }))
  write('srv/pillar/top.sls', "base:\n  '*': [secret]\n")
  write('srv/pillar/secret.sls', `password: ${CANARY}\n`)
  write('srv/salt/secret.txt', `${CANARY}\n`)
  write('srv/salt/_modules/mine.py', `def secret():\n    return '${CANARY}'\n`)
  const target = at('made')
  write('srv/salt/app.sls', `${target}:\n  file.managed:\n    - source: salt://secret.txt\n    - mode: '0600'\n`)
  write('srv/salt/open.sls', `${target}.open:\n  file.managed:\n    - contents: anything\n`)
  chmodSync(at('srv'), 0o700)
  start('salt-master')
  await until('the master has its key', () => existsSync(at('var/cache/salt/master/.root_key')))
  start('salt-minion')
  await until('the minion answers', () => salt('m1', 'test.ping', '-t', '5').includes('True'))
})
afterAll(async () => {
  for (const daemon of daemons.reverse()) await stop(daemon)
  if (root !== '') rmSync(root, { recursive: true })
})

describe.skipIf(!canTry)('another user of the machine', () => {
  it('reads nothing of jobs with secrets, while they run and after', async () => {
    salt('m1', 'state.apply', 'app')
    salt('m1', 'saltutil.sync_modules')
    salt('m1', 'cp.cache_file', 'salt://secret.txt')
    salt('m1', 'cp.cache_local_file', at('srv/salt/secret.txt'))
    salt('m1', 'data.update', 'password', CANARY)
    salt('m1', 'schedule.add', 'later', 'function=test.arg', `job_args=['${CANARY}']`, 'seconds=86400')
    salt('m1', 'schedule.save')
    salt('m1', 'beacons.add', 'load', `[{'note': '${CANARY}'}]`)
    run('salt-run', ['cache.store', 'secrets', 'one', CANARY])
    run('salt-run', ['salt.cmd', 'test.arg', CANARY])
    run('salt-call', ['test.arg', CANARY])
    salt('--async', 'm1', 'cmd.run', 'exec sleep 600', `env={'PASSWORD': '${CANARY}'}`)
    const proc = at('var/cache/salt/minion/proc')
    await until('the job runs', () => existsSync(proc) && readdirSync(proc).length > 0)
    const [readableThen, secretThen] = [readable(), findsSecret()]
    salt('m1', 'saltutil.kill_job', readdirSync(proc)[0]!)
    await until('the job has ended', () => readdirSync(proc).length === 0)
    expect([readableThen, secretThen]).toEqual([[], ''])
    expect([readable(), findsSecret()]).toEqual([[], ''])
    expect(readdirSync(at('var/cache/salt/master/jobs'))).not.toEqual([])
  })

  it('enters no directory of the minion, and changes nothing of either daemon', () => {
    expect(found('-path', at('var/cache/salt/minion/*'))).toEqual([])
    expect(found('-writable', '!', '-type', 'l').filter((path) => !path.endsWith('/.nobody_key'))).toEqual([])
  })

  it('publishes what publisher_acl names, by the key that lies in a directory that lists nothing', () => {
    // for the group of the event socket, because Salt's own client wants to list it
    expect(statSync(at('var/cache/salt/master')).mode & 0o777).toBe(0o751)
    expect(found('-path', at('var/cache/salt/master/*'))).toEqual([])
    expect(run('salt', ['--async', 'm1', 'test.ping'], NOBODY)).toContain('Executed command with job ID')
    // answers are for the group of the event socket
    expect(run('salt', ['m1', 'test.ping', '-t', '30'], { ...NOBODY, gid: 0 })).toContain('True')
  })

  it('still reads what states and commands make with the usual mask', () => {
    salt('m1', 'state.apply', 'open')
    expect(statSync(at('made.open')).mode & 0o777).toBe(0o644)
    expect(salt('m1', 'cmd.run', 'umask')).toContain('0022')
  })
})

describe.skipIf(!canTry)('directories of an earlier installation', () => {
  it('are closed at the start where they are too open, and Salt can go on with them', async () => {
    const cache = at('var/cache/salt/minion')
    const old = join(cache, 'files/base/old')
    mkdirSync(dirname(old), { recursive: true })
    writeFileSync(old, CANARY)
    for (const path of [cache, join(cache, 'files'), join(cache, 'files/base')]) chmodSync(path, 0o755)
    chmodSync(old, 0o644)
    expect(findsSecret()).not.toBe('')
    await stop(daemons.pop()!)
    start('salt-minion')
    await until('the minion closed it', () => (statSync(cache).mode & 0o777) === 0o700)
    await until('the minion closed what lies in it', () => (statSync(join(cache, 'files')).mode & 0o777) === 0o700)
    expect(findsSecret()).toBe('')
  })
})
