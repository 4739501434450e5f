import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../../../../test/until.ts'
import { fromPlain, type Plain } from '../../../data/mod.ts'
import { type Command, LocalHost, MemoryHost } from '../../../host/mod.ts'
import { beaconOptions } from '../../../sdk/mod.ts'
import { lookingOn } from '../../salt/beacons/looking.test-support.ts'
import journald from './beacon.ts'

const SSHD = [{ services: { login: { SYSLOG_IDENTIFIER: 'sshd', PRIORITY: 6 } } }]

test('entries after the first poll are reported when all their fields match', async () => {
  const entry = (cursor: string, more: object): string => JSON.stringify({ __CURSOR: cursor, ...more })
  const asked: string[][] = []
  const answers = [
    entry('c1', { SYSLOG_IDENTIFIER: 'sshd', PRIORITY: '6' }),
    [
      entry('c2', { SYSLOG_IDENTIFIER: 'sshd', PRIORITY: '6', MESSAGE: 'in', _PID: '7' }),
      entry('c3', { SYSLOG_IDENTIFIER: 'sshd', PRIORITY: '3', MESSAGE: 'bad' }),
      entry('c4', { SYSLOG_IDENTIFIER: 'sshd', PRIORITY: '6', MESSAGE: [104, 105, 255] }),
    ].join('\n'),
    '',
  ]
  const host = new MemoryHost({
    commands: [
      ({ argv }) => {
        asked.push(argv.slice(5))
        return answers.shift()!
      },
    ],
  })
  const look = lookingOn(host, journald, SSHD)
  expect(await look()).toEqual([])
  expect(await look()).toMatchObject([
    { tag: 'login', SYSLOG_IDENTIFIER: 'sshd', PRIORITY: 6, MESSAGE: 'in', _PID: 7 },
    { tag: 'login', MESSAGE: 'hi\ufffd' },
  ])
  expect(await look()).toEqual([])
  expect(asked).toEqual([['-n', '1'], ['--after-cursor=c1'], ['--after-cursor=c4']])
})

test.each<[Plain, string | undefined]>([
  [[], undefined],
  [SSHD, undefined],
  [[{ services: { sshd: ['x'] } }], 'Services configuration for journald beacon must be a list of dictionaries.'],
])('a configuration of the journal is judged as Salt judges it (%#)', (config, problem) => {
  expect(journald.validate(beaconOptions(fromPlain(config)), () => true)).toBe(problem)
})

const DAEMON = '/usr/lib/systemd/systemd-journald'
const canRun =
  process.geteuid?.() === 0 && [DAEMON, '/usr/bin/journalctl', '/usr/bin/logger'].every((path) => existsSync(path))

/** A separate journal beside that of the machine. */
async function withJournal(name: string, work: (host: LocalHost) => Promise<void>): Promise<void> {
  const daemon = spawn(DAEMON, [name], { stdio: 'ignore' })
  const socket = `/run/systemd/journal.${name}/dev-log`
  try {
    await until('the journal listens', () => existsSync(socket) || daemon.exitCode !== null)
    const host = new LocalHost()
    const own = Object.create(host, {
      run: {
        value: (command: Command) => {
          const [program, ...words] = command.argv
          return host.run({ ...command, argv: [program!, `--namespace=${name}`, ...words] })
        },
      },
    })
    await work(own)
  } finally {
    const ended = new Promise((done) => daemon.once('exit', done))
    if (daemon.exitCode === null && daemon.kill('SIGKILL')) await ended
    rmSync(`/run/systemd/journal.${name}`, { recursive: true, force: true })
    for (const folder of ['/var/log/journal', '/run/log/journal'].filter((path) => existsSync(path))) {
      const left = readdirSync(folder).filter((file) => file.endsWith(`.${name}`))
      for (const file of left) rmSync(`${folder}/${file}`, { recursive: true, force: true })
    }
  }
}

test.runIf(canRun)('entries of a real journal are reported', async () => {
  const name = `brine${process.pid}`
  await withJournal(name, async (host) => {
    const plain = new LocalHost()
    const socket = `/run/systemd/journal.${name}/dev-log`
    const say = (tag: string, priority: string, text: string) =>
      plain.run({ argv: ['logger', '--socket', socket, '-t', tag, '-p', priority, text] })
    await say('sshd', 'auth.info', 'before')
    const look = lookingOn(host, journald, SSHD) as () => Promise<Array<{ MESSAGE: string }>>
    expect(await look()).toEqual([])
    await say('cron', 'auth.info', 'other')
    await say('sshd', 'auth.err', 'worse')
    await say('sshd', 'auth.info', 'Accepted publickey')
    let told: Array<{ MESSAGE: string }> = []
    await until('the beacon tells of the login', async () => {
      told = [...told, ...(await look())]
      return told.some(({ MESSAGE }) => MESSAGE === 'Accepted publickey')
    })
    expect(told.filter(({ MESSAGE }) => MESSAGE !== 'before')).toMatchObject([
      { tag: 'login', SYSLOG_IDENTIFIER: 'sshd', PRIORITY: 6, MESSAGE: 'Accepted publickey' },
    ])
  })
})
