import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../base/mod.ts'
import { SignInError, type SignInOutcome } from '../../wire/mod.ts'
import { type Daemon, runDaemon } from './daemon.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-daemon-'))
afterAll(() => rmSync(folder, { recursive: true }))
const pidfile = join(folder, 'run/daemon.pid')

function daemon(parts: Partial<Daemon>): Daemon & { closed: number; waited: number } {
  const made = {
    name: 'salt-minion',
    opts: new Map([['pidfile', pidfile]]),
    log: silentLog,
    open: async () => undefined,
    close: async () => void made.closed++,
    beforeRefusal: async () => void made.waited++,
    closed: 0,
    waited: 0,
    ...parts,
  }
  return made
}

/** Call only the daemon's listeners: the test runner's would count it as a failure of the test. */
function heard(kind: 'unhandledRejection' | 'uncaughtException', reason: Error): void {
  process.listeners(kind as 'uncaughtException').at(-1)!(reason, 'uncaughtException')
}

test.each<[SignInOutcome, number, number]>([
  [{ status: 'rejected' }, 77, 1],
  [{ status: 'fingerprint', expected: 'a', found: 'b' }, 42, 0],
  [{ status: 'invalid', what: 'signature', reason: '' }, 1, 0],
])('A daemon that its master turned away with %j ends with status %i', async (outcome, status, waited) => {
  const later = daemon({ ended: () => Promise.reject(new SignInError(outcome)) })
  expect([await runDaemon(later), later.waited, later.closed]).toEqual([status, waited, 1])
  const atOnce = daemon({ open: () => Promise.reject(new SignInError(outcome)) })
  expect([await runDaemon(atOnce), atOnce.waited, atOnce.closed]).toEqual([status, waited, 1])
})

test('A daemon notes its process while it runs, and ends on a signal, also while it opens', async () => {
  const opening = daemon({ open: () => new Promise(() => undefined) })
  const ended = runDaemon(opening)
  expect(readFileSync(pidfile, 'utf8')).toBe(String(process.pid))
  process.emit('SIGTERM')
  expect([await ended, opening.closed, existsSync(pidfile)]).toEqual([0, 1, false])
})

test('A daemon writes its pid file once it runs, after another daemon that was ending had written it', async () => {
  const ending = spawn('sleep', ['600'], { stdio: 'ignore' })
  mkdirSync(dirname(pidfile), { recursive: true })
  writeFileSync(pidfile, String(ending.pid))
  const gone = new Promise((done) => ending.once('exit', done))
  const late = daemon({
    open: () => {
      ending.kill('SIGKILL')
      return gone
    },
  })
  const ended = runDaemon(late)
  await gone
  await expect.poll(() => readFileSync(pidfile, 'utf8')).toBe(String(process.pid))
  process.emit('SIGTERM')
  expect(await ended).toBe(0)
})

test.each(['unhandledRejection', 'uncaughtException'] as const)(
  'A daemon survives an uncaught error (%s), and logs it',
  async (kind) => {
    const lines: string[] = []
    const reason = new Error('the queue is gone')
    const told = daemon({
      log: (level, text) => void lines.push(`${level}: ${text.split('\n')[0]}`),
      ended: async () => {
        heard(kind, reason)
        return 'a request'
      },
    })
    expect(await runDaemon(told)).toBe(0)
    expect(lines).toContain(
      'critical: salt-minion goes on after an error in it; please report it with the lines before it: Error: the queue is gone',
    )
  },
)

test('An uncaught error while a daemon starts ends it', async () => {
  const lines: string[] = []
  const starting = daemon({
    log: (level, text) => void lines.push(`${level}: ${text.split('\n')[0]}`),
    open: () => {
      setImmediate(() => heard('uncaughtException', new Error('no such port')))
      return new Promise(() => undefined)
    },
  })
  expect([await runDaemon(starting), starting.closed]).toEqual([1, 1])
  expect(lines).toContain('critical: salt-minion cannot run: no such port')
})

test('A daemon notifies systemd when it is ready, and hides the address from its children', async () => {
  const tools = join(folder, 'tools')
  const told = join(folder, 'told')
  mkdirSync(tools)
  writeFileSync(join(tools, 'systemd-notify'), `#!/bin/sh\necho "$1 $NOTIFY_SOCKET" > ${told}\n`, { mode: 0o755 })
  const before = process.env['PATH']
  Object.assign(process.env, { PATH: `${tools}:${before}`, NOTIFY_SOCKET: '/run/notify' })
  try {
    const ended = runDaemon(daemon({}))
    await expect.poll(() => existsSync(told) && readFileSync(told, 'utf8')).toBe('--ready /run/notify\n')
    expect(process.env['NOTIFY_SOCKET']).toBeUndefined()
    process.emit('SIGTERM')
    expect(await ended).toBe(0)
  } finally {
    process.env['PATH'] = before
    delete process.env['NOTIFY_SOCKET']
  }
})
