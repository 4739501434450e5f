// `-d`: the exit status and the message say whether a daemon runs in the background.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isGone } from '../../src/base/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

let folder: string
const pids: number[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-detach-'))
})
afterEach(async () => {
  for (const pid of pids) if (!isGone(pid)) process.kill(pid, 'SIGTERM')
  await until('the end of the daemons', () => pids.every(isGone))
  pids.length = 0
  rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  status: number | null
  stderr: string
}

function run(program: string, config: string, ...words: string[]): Promise<Ended> {
  const file = join(import.meta.dirname, `../../dist/${program}.js`)
  const argv = [file, '-c', config, ...words]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  return new Promise((done) => child.once('close', (status) => done({ status, stderr })))
}

function configure(name: string, kind: string, options: Record<string, unknown>): string {
  const home = join(folder, name)
  mkdirSync(join(home, 'etc'), { recursive: true })
  writeFileSync(join(home, 'etc', kind), JSON.stringify({ root_dir: home, ...options }))
  return join(home, 'etc')
}

/** The process id that a daemon wrote; it is ended after the test. */
function pidOf(name: string, program: string): number {
  const pid = Number(readFileSync(join(folder, name, `var/run/${program}.pid`), 'utf8'))
  pids.push(pid)
  return pid
}

test('salt-master -d says that another master runs already, or why a master cannot run', async () => {
  const ports = { interface: '127.0.0.1', publish_port: await freePort(), ret_port: await freePort() }
  const config = configure('a', 'master', ports)
  expect(await run('salt-master', config, '-d')).toEqual({ status: 0, stderr: '' })
  const pid = pidOf('a', 'salt-master')
  expect(isGone(pid)).toBe(false)
  const second = await run('salt-master', config, '-d')
  const running = `Already running: another daemon (pid ${pid}) uses ${folder}/a/`
  expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining(`salt-master cannot run: ${running}`) })
  const shown = await run('salt-master', config)
  expect(shown).toMatchObject({ status: 1, stderr: expect.stringContaining(running) })
  const other = await run('salt-master', configure('b', 'master', ports), '-d')
  expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('Cannot listen on tcp://127.0.0.1:') })
})

test('salt-minion -d does not wait for its master, and says that another minion runs already', async () => {
  const config = configure('a', 'minion', { id: 'web1', master: '127.0.0.1', master_port: await freePort() })
  expect(await run('salt-minion', config, '-d')).toEqual({ status: 0, stderr: '' })
  const pid = pidOf('a', 'salt-minion')
  const second = await run('salt-minion', config, '-d')
  const running = `salt-minion cannot run: Already running: another daemon (pid ${pid}) uses ${folder}/a/`
  expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining(running) })
})

test('salt-master ends on a signal although an engine left a timer', async () => {
  const engines = join(folder, 'engines')
  mkdirSync(engines)
  writeFileSync(join(engines, 'lasting.mjs'), 'export function start() {\n  setInterval(() => {}, 1000)\n}\n')
  const ports = { interface: '127.0.0.1', publish_port: await freePort(), ret_port: await freePort() }
  const config = configure('a', 'master', { ...ports, engines_dirs: [engines], engines: [{ lasting: {} }] })
  expect(await run('salt-master', config, '-d')).toEqual({ status: 0, stderr: '' })
  const pid = pidOf('a', 'salt-master')
  process.kill(pid, 'SIGTERM')
  await until('the end of the master', () => isGone(pid))
})
