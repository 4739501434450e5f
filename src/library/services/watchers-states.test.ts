import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../data/mod.ts'
import { type StateDeclaration, type Trial, tryState } from '../../sdk/mod.ts'
import sysfs from '../system/sysfs/state.ts'
import monit from './monit/state.ts'
import supervisord from './supervisord/state.ts'

type Others = NonNullable<Trial['others']>

const apply = async (
  states: StateDeclaration,
  fun: string,
  kwargs: Record<string, Value>,
  others: Others,
  test = false,
) => toPlain(await tryState(states, fun, { kwargs, others, test })) as Record<string, unknown>

const programs: Others = {
  'supervisord.status': () =>
    fromPlain({ web: { state: 'RUNNING' }, 'jobs:a': { state: 'RUNNING' }, 'jobs:b': { state: 'STOPPED' } }),
  'supervisord.reread': () => '',
  'supervisord.add': () => 'new: added process group',
  'supervisord.start': ([name]) => (name === 'broken' ? 'broken: ERROR (no such file)' : `${String(name)}: started`),
  'supervisord.restart': () => 'restarted',
  'supervisord.stop': () => 'stopped',
}

test.each<[string, Record<string, Value>, boolean, unknown, string, unknown]>([
  ['running', { name: 'web' }, false, true, 'Not starting already running service: web', {}],
  [
    'running',
    { name: 'web', restart: true },
    false,
    true,
    'Restarting service: web',
    { web: 'Restarting service: web' },
  ],
  ['running', { name: 'new' }, false, true, 'Starting: new', { new: 'Adding service: new Starting: new' }],
  ['running', { name: 'broken' }, false, false, 'broken: ERROR (no such file)', {}],
  ['running', { name: 'jobs:*' }, true, null, 'The following services will be started: jobs:b', {}],
  ['running', { name: 'new' }, true, null, 'Service new will be added and started', {}],
  ['running', { name: 'web' }, true, true, 'Service web is already running', {}],
  ['dead', { name: 'web' }, false, true, 'Stopping service: web', { web: 'Stopping service: web' }],
  ['dead', { name: 'jobs:' }, false, true, 'Stopping service: jobs:', { 'jobs:': 'Stopping service: jobs:' }],
  ['dead', { name: 'none' }, false, true, "Service none doesn't exist", {}],
])('supervisord.%s of %j, dry: %s', async (fun, kwargs, test, result, comment, changes) => {
  expect(await apply(supervisord, fun, kwargs, programs, test)).toMatchObject({ result, comment, changes })
})

test('sysfs.present compares with the value in brackets', async () => {
  const others: Others = { 'sysfs.read': () => 'none [mq-deadline] bfq', 'sysfs.write': () => true }
  expect(await apply(sysfs, 'present', { name: 's', value: 'mq-deadline' }, others)).toMatchObject({
    result: true,
    comment: 'SysFS attribute s is already set.',
  })
  expect(await apply(sysfs, 'present', { name: 's', value: 'bfq' }, others)).toMatchObject({
    result: true,
    changes: { s: 'bfq' },
    comment: 'Updated SysFS attribute s to bfq',
  })
})

test('monit.monitor starts to watch unwatched services', async () => {
  const others: Others = {
    'monit.summary': ([name]) => (name === 'web' ? fromPlain({ Process: { web: 'Not monitored' } }) : new Map()),
    'monit.monitor': () => true,
  }
  expect(await apply(monit, 'monitor', { name: 'web' }, others)).toMatchObject({
    result: true,
    changes: { web: 'Running' },
    comment: 'web started to be monitored.',
  })
  expect(await apply(monit, 'unmonitor', { name: 'web' }, others)).toMatchObject({
    comment: 'web is not being monitored.',
  })
})
