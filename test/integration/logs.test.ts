// The logs of real daemons: renamed files, SIGHUP, names of components, and secrets at the level trace.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

const DIST = process.env['LIVE_DIST'] ?? join(import.meta.dirname, '../../dist')
const SECRET = 'correct-horse-battery'

const root = mkdtempSync(join(tmpdir(), 'brine-logs-'))
const config = join(root, 'etc')
const logs = { master: join(root, 'log/master'), minion: join(root, 'log/minion') }
/** The console output of the minion. */
const shown = join(root, 'console')
const pidfile = join(root, 'master.pid')
let minion: ChildProcess

const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const masterPid = (): number => Number(read(pidfile))

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

function run(program: string, ...words: string[]): { out: string; err: string } {
  const { stdout, stderr } = spawnSync(process.execPath, [join(DIST, `${program}.js`), '-c', config, ...words], {
    encoding: 'utf8',
  })
  return { out: stdout, err: stderr }
}

const ping = (): boolean => /m1:\s+True/.test(run('salt', 'm1', 'test.ping').out)

function tree(name: string, files: Record<string, string>): void {
  mkdirSync(join(root, name), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, name, file), text)
}

beforeAll(async () => {
  const ports = { ret_port: await freePort(), publish_port: await freePort() }
  const shared = { root_dir: root, log_level: 'quiet', log_level_logfile: 'trace' }
  tree('states', {
    'top.sls': "base: {'*': [web]}\n",
    'web.sls': `${root}/served:\n  file.managed:\n    - contents: "password={{ pillar['db']['password'] }}"\n`,
  })
  tree('pillar', {
    'top.sls': "base: {'*': [secrets]}\n",
    'secrets.sls': `db:\n  password: ${SECRET}\n  note: |\n    line ${SECRET}\n`,
  })
  const roots = { file_roots: { base: [join(root, 'states')] }, pillar_roots: { base: [join(root, 'pillar')] } }
  const master = { ...shared, ...ports, ...roots, interface: '127.0.0.1', auto_accept: true, log_file: logs.master }
  const minionOptions = { id: 'm1', master: '127.0.0.1', master_port: ports.ret_port, publish_port: ports.publish_port }
  tree('etc', {
    master: JSON.stringify({ ...master, pidfile }),
    minion: JSON.stringify({
      ...shared,
      ...minionOptions,
      log_file: logs.minion,
      log_level: 'debug',
      log_fmt_console: '%(jid)s|%(name)s|%(message)s',
    }),
  })
  run('salt-master', '-d')
  await until('the master is ready', () => read(logs.master).includes('salt-master is ready'))
  const stdio = ['ignore', 'ignore', openSync(shown, 'a')] as const
  minion = spawn(process.execPath, [join(DIST, 'salt-minion.js'), '-c', config], { stdio: [...stdio] })
  await until('the minion answers', ping)
})

afterAll(async () => {
  const pid = masterPid()
  for (const daemon of [minion.pid!, pid].filter(isRunning)) process.kill(daemon)
  if (minion.exitCode === null && minion.signalCode === null) await once(minion, 'exit')
  await until('the master has ended', () => !isRunning(pid))
  rmSync(root, { recursive: true, force: true })
})

test.each([
  ['a master in the background', logs.master, masterPid],
  ['a minion', logs.minion, () => minion.pid!],
] as const)('%s opens its log anew on SIGHUP, says so and goes on', async (_who, file, pid) => {
  renameSync(file, `${file}.old`)
  process.kill(pid(), 'SIGHUP')
  await until('the log is there again', () => read(file).includes('received SIGHUP'))
  expect(read(`${file}.old`)).not.toContain('SIGHUP')
  expect(isRunning(pid())).toBe(true)
  expect(ping()).toBe(true)
})

test.each([
  // programs such as `salt` write into the log of the master, too
  ['master', logs.master, /\[salt\.master/],
  ['minion', logs.minion, /DEBUG/],
] as const)('the log of the %s follows its name when the file is renamed', async (_who, file, ownLine) => {
  renameSync(file, `${file}.1`)
  await until('the log is there again', () => ping() && ownLine.test(read(file)))
})

test('lines of daemons and programs name their component, and no line a number that means nothing', () => {
  const { err } = run('salt', 'm1', 'state.apply', '-l', 'trace')
  expect(err).toMatch(/Reading configuration from .*\/etc\/master/)
  expect(err).toMatch(/Connecting to the master at 127\.0\.0\.1/)
  expect(err).toMatch(/Job \d{20} \(state\.apply\) was published to m1/)
  expect(err).toMatch(/minion m1 returned after/)
  expect(err).not.toContain(SECRET)
  const log = read(logs.minion)
  for (const name of ['salt.minion', 'salt.state', 'salt.fileclient', 'salt.template', 'salt.channel.client']) {
    expect(log).toMatch(new RegExp(`^\\S+ \\S+ \\[${name.padEnd(17)}\\]\\[(DEBUG|TRACE|INFO) *\\]\\[\\d+\\] `, 'm'))
  }
  expect(log).toMatch(/File salt:\/\/web\.sls of saltenv base was fetched, sha256 [0-9a-f]{64}/)
  expect(log).toMatch(/Rendered data from file: .*web\.sls:\n.*\n.*file\.managed:\n.*contents: "password=\*+"/)
  expect(log).toMatch(/Request to the master: cmd=_pillar/)
  expect(log).toMatch(/Low chunk file\.managed of /)
  expect(log).toMatch(/Function state\.apply of job \d{20} ended with 0 after \d+ ms/)
  const ofMaster = read(logs.master)
  expect(ofMaster).toMatch(
    /^\S+ \S+ \[salt\.master {6}\]\[INFO {4}\]\[\d+\] User \w+ Published command state\.apply with jid \d{20}$/m,
  )
  expect(ofMaster).toMatch(/Got return from m1 for job \d{20}/)
  expect(ofMaster).toMatch(/Request _pillar of minion m1 was answered after [\d.]+ ms/)
  expect(log + ofMaster).not.toContain(':0   ]')
})

test('no log shows a value of the pillar, also at the level trace', () => {
  // a change of an existing file shows a diff
  writeFileSync(join(root, 'served'), 'changed by hand\n')
  const { err } = run('salt-call', 'state.apply', '-l', 'trace')
  expect(err).toMatch(/^ +\+password=\*+$/m)
  expect(err).not.toContain(SECRET)
  expect(run('salt', 'm1', 'pillar.get', 'db:password', '-l', 'trace').err).not.toContain(SECRET)
  expect(read(logs.master)).toMatch(/Pillar source sls secrets in base \(.*secrets\.sls\): db/)
  for (const file of Object.values(logs)) expect(read(file)).not.toContain(SECRET)
})

test('lines of a job bear its id where the format asks for it', () => {
  const { out } = run('salt', 'm1', 'cmd.run', 'echo x', '--out=json', '-v')
  const jid = /\d{20}/.exec(out)![0]
  const lines = read(shown)
    .split('\n')
    .filter((line) => line.startsWith(`[JID: ${jid}]|`))
  expect(lines[0]).toMatch(/\|salt\.minion\|User \S+ Executing command cmd\.run with jid \d{20}$/)
  expect(lines).toContainEqual(expect.stringMatching(/\|salt\.loaded\.int\.module\.cmdmod\|Executing command 'echo'/))
  expect(lines).toContainEqual(
    expect.stringMatching(/\|salt\.loaded\.int\.module\.cmdmod\|Command '\w+' \(pid \d+\) ended with 0 after \d+ ms/),
  )
  expect(read(shown)).toMatch(/^\|salt\.config\|Reading configuration from /m)
})

test('salt-run and salt-key say at debug what they read and do', () => {
  const runner = run('salt-run', '-l', 'debug', 'test.arg', 'x').err
  expect(runner).toMatch(/Reading configuration from .*\/etc\/master/)
  expect(runner).toMatch(/Function test\.arg ended after [\d.]+ ms/)
  const keys = run('salt-key', '--log-level=debug', '-L').err
  expect(keys).toMatch(/Reading configuration from .*\/etc\/master/)
  expect(keys).toMatch(/Function key\.list ended after [\d.]+ ms/)
})
