import { expect, test } from 'vitest'
import { type Dict, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Trial, tryFunction } from '../../../sdk/mod.ts'
import minion from './module.ts'

const grains = (more: Record<string, Value> = {}): Dict =>
  new Map(Object.entries({ pid: 42, kernel: 'Linux', ...more }))

interface Machine {
  files?: Record<string, string>
  command?: Value
  startedAs?: string[]
  kwargs?: Record<string, Value>
  others?: NonNullable<Trial['others']>
}

/** A minion of a machine: its result, how often it was asked to end, and the started commands. */
async function restart({ files = {}, command = null, startedAs, kwargs = {}, others = {} }: Machine = {}) {
  let ends = 0
  const started: string[][] = []
  const host = await MemoryHost.with({ files })
  host.start = async ({ argv }) => {
    started.push([...argv.slice(3)])
    return 1
  }
  const daemon = {
    askMaster: async () => null,
    fire: async () => true,
    running: () => [],
    signal: () => false,
    end: () => void ends++,
    ...(startedAs && { startedAs }),
  }
  const answer = await tryFunction(minion, 'restart', {
    grains: grains(),
    host,
    kwargs,
    others: { 'config.get': () => command, ...others },
    context: { daemon },
  })
  return { answer: toPlain(answer), ends, started }
}

test('A minion lists the keys that lie on its master, as salt-key does', async () => {
  const pki = '/etc/salt/pki/master'
  const files = { [`${pki}/minions/web2`]: '', [`${pki}/minions/Web1`]: '', [`${pki}/minions_pre/.hidden`]: '' }
  const others = { 'config.get': () => '/etc/salt/pki/minion' }
  expect(toPlain(await tryFunction(minion, 'list', { host: await MemoryHost.with({ files }), others }))).toEqual({
    minions: ['Web1', 'web2'],
    minions_pre: [],
    minions_rejected: [],
    minions_denied: [],
  })
})

test('Killing returns the process, or the reason without one', async () => {
  const kill = async (own: Dict): Promise<Plain> => toPlain(await tryFunction(minion, 'kill', { grains: own }))
  expect(await kill(new Map())).toEqual({ killed: null, retcode: 70, comment: ['Unable to find "pid" in grains'] })
  expect(await kill(grains())).toEqual({ killed: null, retcode: 1, comment: ['ps.kill_pid failed'] })
})

test('A minion in the foreground is ended, and its supervisor restarts it', async () => {
  expect(await restart()).toEqual({
    answer: {
      killed: 42,
      restart: {},
      service_restart: {},
      retcode: 0,
      comment: ['Not running in daemon mode - will not restart process after killing'],
    },
    ends: 1,
    started: [],
  })
})

test.each<[string, Machine, string]>([
  ['its configured command', { command: ['salt-minion', '-d'] }, 'Using configuration minion_restart_command:'],
  ['the words it was started with', { startedAs: ['salt-minion', '-d'] }, 'Restart using process argv:'],
])('A minion starts again with %s once it has ended', async (_what, machine, comment) => {
  const { answer, ends, started } = await restart(machine)
  expect(answer).toMatchObject({ killed: 42, retcode: 0, comment: [comment, '    salt-minion', '    -d'] })
  expect(ends).toBe(1)
  expect(started).toEqual([['42', 'salt-minion', '-d']])
})

const SYSTEMD = { '/run/systemd/system/x': '' }

test('Under systemd the service is restarted', async () => {
  const asked: Value[][] = []
  const others: NonNullable<Trial['others']> = {
    'service.restart': (args, kwargs) => {
      asked.push([...args, (kwargs as Map<string, Value>).get?.('no_block') ?? null])
      return true
    },
  }
  const { answer, ends } = await restart({ files: SYSTEMD, others })
  expect(answer).toEqual({
    killed: null,
    restart: {},
    service_restart: { result: true },
    retcode: 0,
    comment: ['Using systemctl to restart salt-minion', 'Service restart successful'],
  })
  expect(ends).toBe(0)
  expect(asked).toHaveLength(1)
  expect((await restart({ files: SYSTEMD, kwargs: { systemd: false } })).ends).toBe(1)
})

test('A retry that cannot be scheduled keeps the minion running', async () => {
  const kwargs = { schedule_retry: true }
  const others = {
    'cmd.run_all': () =>
      new Map<Value, Value>([
        ['retcode', 1],
        ['stderr', 'no bus'],
      ]),
  }
  expect((await restart({ files: SYSTEMD, kwargs, others })).answer).toMatchObject({
    service_restart: { schedule_retry: {}, result: false, stderr: 'no bus' },
    retcode: 70,
    comment: ['Using systemctl to restart salt-minion', 'Adding scheduled retry failed'],
  })
  const bad = await restart({ files: SYSTEMD, kwargs: { ...kwargs, retry_delay: 'soon' } })
  expect(bad.answer).toMatchObject({
    service_restart: { stderr: 'Invalid retry_delay value: soon. Must be a number of seconds.' },
  })
})
