// Minions and masters together: a minion when masters start and end, when it is killed, and on requests.
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { TestSite } from './site.ts'

let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

/** Start salt-minion as a separate process. */
function process_(config: string): ChildProcess {
  const program = join(import.meta.dirname, '../../dist/salt-minion.js')
  const child = spawn(process.execPath, [program, '-c', dirname(config)], { stdio: 'ignore' })
  site.atEnd(async () => void child.kill('SIGKILL'))
  return child
}

test('A minion goes to the next master when it loses one, and back when the first returns', async () => {
  const first = await site.master('a', '127.0.0.1')
  const second = await site.master('b', '127.0.0.2')
  await site.minion('web1', {
    master: ['127.0.0.1', '127.0.0.2'],
    master_type: 'failover',
    master_alive_interval: 1,
    master_failback: true,
    master_failback_interval: 1,
    retry_dns: 0,
  })
  await first.event(/^salt\/minion\/web1\/start$/)
  expect(second.seen.some(({ tag }) => tag.includes('web1'))).toBe(false)
  await first.stop()
  await second.event(/^salt\/minion\/web1\/start$/)
  expect(await second.ask('web1', 'test.ping')).toBe(true)
  first.seen.splice(0)
  await first.start()
  await first.event(/^salt\/minion\/web1\/start$/)
  expect(await first.ask('web1', 'test.ping')).toBe(true)
})

test('A minion with a list of masters serves all of them', async () => {
  const first = await site.master('a', '127.0.0.1')
  const second = await site.master('b', '127.0.0.2')
  await site.minion('web1', { master: ['127.0.0.1', '127.0.0.2'] })
  for (const master of [first, second]) {
    await master.event(/^salt\/minion\/web1\/start$/)
    expect(await master.ask('web1', 'test.echo', ['hello'])).toBe('hello')
  }
})

test('A return outlives the master, and the minion that is killed before it could send it', async () => {
  const master = await site.master()
  const config = site.minionConfig('web1')
  const minion = process_(config)
  await master.event(/^salt\/minion\/web1\/start$/)
  const mark = join(site.root, 'ran')
  const go = join(site.root, 'go')
  const held = `until [ -e ${go} ]; do sleep 0.1; done`
  const jid = await master.publish('web1', 'cmd.run', [`${held}; echo once >> ${mark}; echo done`])
  await until('the job', () => readdirSync(join(site.root, 'web1/var/cache/salt/minion/proc')).includes(jid))
  await master.stop()
  writeFileSync(go, '')
  const outbox = join(site.root, 'web1/var/cache/salt/minion/outbox')
  await until('the return on disk', () => readdirSync(outbox).some((name) => name.endsWith('.p')))
  const ended = new Promise((done) => minion.once('exit', done))
  minion.kill('SIGKILL')
  await ended
  await master.start()
  process_(config)
  const { data } = await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
  expect(data.get('return')).toBe('done')
  await until('an empty outbox', () => readdirSync(outbox).length === 0)
})

test('A job that is killed takes its processes with it', async () => {
  const master = await site.master()
  await site.minion('web1')
  const pids = join(site.root, 'pids')
  const jid = await master.publish('web1', 'cmd.run', [
    `sleep 900 & echo $$ $! > ${pids}.new; mv ${pids}.new ${pids}; wait`,
  ])
  await until('the job', () => existsSync(pids))
  const processes = readFileSync(pids, 'utf8').trim().split(' ')
  expect(processes.filter((pid) => existsSync(`/proc/${pid}`))).toHaveLength(2)
  expect(await master.ask('web1', 'saltutil.kill_job', [jid])).toMatch(`Signal 9 sent to job ${jid}`)
  await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
  await until('their end', () => !processes.some((pid) => existsSync(`/proc/${pid}`)))
})

test('A minion applies its startup states, and says when it starts', async () => {
  mkdirSync(join(site.root, 'srv'), { recursive: true })
  writeFileSync(join(site.root, 'srv/first.sls'), 'here:\n  test.succeed_without_changes: []\n')
  const master = await site.master()
  await site.minion('web1', { startup_states: 'sls', sls_list: ['first'], start_event_grains: ['id'] })
  const { data } = await master.event(/^salt\/minion\/web1\/start$/)
  expect(data.get('grains')).toEqual(new Map([['id', 'web1']]))
  const ret = await master.event(/^salt\/job\/\d+\/ret\/web1$/)
  expect(ret.data.get('fun')).toBe('state.sls')
  expect(ret.data.get('success')).toBe(true)
})

test('Scheduled jobs return to the master, and beacons report to it', async () => {
  const watched = join(site.root, 'watched.conf')
  writeFileSync(watched, 'one\n')
  const master = await site.master()
  await site.minion('web1', {
    schedule: { tick: { function: 'test.echo', args: ['tick'], seconds: 2, metadata: { team: 'ops' } } },
    beacons: {
      inotify: [{ files: { [watched]: { mask: ['modify', 'attrib', 'delete_self'] } } }],
      half_full: [{ beacon_module: 'memusage' }, { percent: '0.1%' }, { interval: 1 }],
    },
  })
  const { data } = await master.event(/^salt\/job\/\d+\/ret\/web1$/)
  expect([data.get('schedule'), data.get('return'), data.get('success')]).toEqual(['tick', 'tick', true])
  expect([...(data.get('metadata') as Map<string, string>).keys()]).toEqual(['team', '_TOS', '_TS', '_TT'])
  const usage = await master.event(/^salt\/beacon\/web1\/half_full\/$/)
  expect(usage.data.get('id')).toBe('web1')
  appendFileSync(watched, 'two\n')
  const changes = (): unknown[] =>
    master.seen
      .filter(({ tag }) => tag === `salt/beacon/web1/inotify/${watched}`)
      .map((event) => event.data.get('change'))
  await until('the change', () => changes().includes('IN_MODIFY'))
  chmodSync(watched, 0o600)
  await until('the mode', () => changes().includes('IN_ATTRIB'))
})

test('A state run of the schedule does not take itself for another run', async () => {
  const master = await site.master()
  const state = { function: 'state.single', args: ['test.nop', 'name=nothing'], seconds: 2 }
  await site.minion('web1', { schedule: { drift: state } })
  const { data } = await master.event(/^salt\/job\/\d+\/ret\/web1$/)
  expect([data.get('schedule'), data.get('retcode')]).toEqual(['drift', 0])
  expect([...(data.get('return') as Map<string, Map<string, unknown>>).values()][0]?.get('result')).toBe(true)
})

test('A minion restarts and ends on request, and answers before that', async () => {
  const master = await site.master()
  const program = join(import.meta.dirname, '../../dist/salt-minion.js')
  const config = dirname(site.minionConfig('web1'))
  const words = [process.execPath, program, '-c', config]
  const first = process_(site.minionConfig('web1', { minion_restart_command: words }))
  const ended = new Promise((done) => first.once('exit', done))
  await master.event(/^salt\/minion\/web1\/start$/)
  master.seen.splice(0)
  expect(await master.ask('web1', 'minion.restart', ['systemd=False'])).toMatchObject({ killed: first.pid, retcode: 0 })
  expect(await ended).toBe(0)
  await master.event(/^salt\/minion\/web1\/start$/)
  const { killed } = (await master.ask('web1', 'minion.kill')) as { killed: number }
  expect(killed).not.toBe(first.pid)
  await until('its end', () => !existsSync(`/proc/${killed}`))
})
