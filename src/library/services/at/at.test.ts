import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Recorded, scripted, type Trial, tryFunction, tryState } from '../../../sdk/mod.ts'
import at from './module.ts'
import states from './state.ts'

// output of at 3.2.5 of Debian
const QUEUE = '12\tThu Dec 24 09:05:00 2026 a root\n7\tFri Jan  1 10:00:00 2027 a joe\n'
const RECORDED: Record<string, Recorded> = {
  '/usr/bin/atq': QUEUE,
  '/usr/bin/at -c 12': '#!/bin/sh\n### SALT: backup\n/bin/backup\n',
  '/usr/bin/at -c 7': '#!/bin/sh\n/bin/true\n',
  '/usr/bin/at -c 99': '',
  '/usr/bin/at -d*': '',
}
const ADDED = 'warning: commands will be executed using /bin/sh\njob 12 at Thu Dec 24 09:05:00 2026'
const BACKUP = { job: 12, date: '2026-12-24', time: '09:05:00', queue: 'a', user: 'root', tag: 'backup' }
const PLAIN = { job: 7, date: '2027-01-01', time: '10:00:00', queue: 'a', user: 'joe', tag: '' }

async function call(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}, recorded = RECORDED) {
  const host = await MemoryHost.with({
    files: { '/usr/bin/at': { text: '', mode: 0o755 }, '/usr/bin/atq': { text: '', mode: 0o755 } },
  })
  const { others } = scripted(recorded)
  const ran: Value[] = []
  const noted: Record<string, NonNullable<Trial['others']>[string]> = {}
  for (const [name, run] of Object.entries(others)) {
    noted[name] = (given, options) => {
      ran.push(given[0]!)
      return run(given, options)
    }
  }
  return { answer: toPlain(await tryFunction(at, fun, { args, kwargs, host, others: noted })), ran }
}

describe('at', () => {
  test.each<[string, Value[], Record<string, Value>, Plain]>([
    ['atq', [], {}, { jobs: [BACKUP, PLAIN] }],
    ['atq', ['backup'], {}, { jobs: [BACKUP] }],
    ['atq', [7], {}, { jobs: [PLAIN] }],
    ['atc', [12], {}, '#!/bin/sh\n### SALT: backup\n/bin/backup\n'],
    ['atc', [99], {}, { error: "invalid job id '99'" }],
    ['jobcheck', [], { hour: 9, minute: 5 }, { jobs: [BACKUP] }],
    ['jobcheck', [], { runas: 'joe', month: 1, day: '1' }, { jobs: [PLAIN] }],
    ['jobcheck', [], { tag: 'none' }, { jobs: [], note: 'No match jobs or time format error' }],
    ['jobcheck', [], {}, { error: 'You have given a condition' }],
    ['atrm', [], {}, { jobs: { removed: [], tag: null } }],
    ['at', ['now'], {}, { jobs: [] }],
  ])('%s %j %j returns %j', async (fun, args, kwargs, answer) => {
    expect((await call(fun, args, kwargs)).answer).toEqual(answer)
  })

  test('atrm removes each job as an argument of its own', async () => {
    const all = await call('atrm', ['all'])
    expect(all.answer).toEqual({ jobs: { removed: ['12', '7'], tag: null } })
    expect(all.ran.at(-1)).toEqual(['/usr/bin/at', '-d', '12', '7'])
    const tagged = await call('atrm', ['all', 'backup'])
    expect(tagged.ran.at(-1)).toEqual(['/usr/bin/at', '-d', '12'])
    const none = await call('atrm', [99])
    expect(none.answer).toEqual({ jobs: { removed: [], tag: null } })
    expect(none.ran).not.toContainEqual(expect.arrayContaining(['-d']))
  })

  test('at.at returns the job that it added', async () => {
    const recorded = { ...RECORDED, '/usr/bin/at 09:05': ADDED }
    expect((await call('at', ['09:05', '/bin/backup'], { tag: 'backup' }, recorded)).answer).toEqual({ jobs: [BACKUP] })
  })

  test.each<[string, Plain]>([
    ['syntax error. Last token seen: q\nGarbled time', { jobs: [], error: 'invalid timespec' }],
    ['You do not have permission to use at.', { jobs: [], error: 'You do not have permission to use at.' }],
  ])('at.at that prints %j returns an error', async (printed, answer) => {
    const recorded = { ...RECORDED, '/usr/bin/at q': { retcode: 1, stderr: printed } }
    expect((await call('at', ['q', '/bin/true'], {}, recorded)).answer).toEqual(answer)
  })

  test('a tag cannot add lines to the script', async () => {
    await expect(call('at', ['now', '/bin/true'], { tag: 'x\n/bin/evil' })).rejects.toThrow(
      'A tag cannot hold line ends',
    )
  })
})

describe('states of at', () => {
  const others: NonNullable<Trial['others']> = {
    'at.at': ([time]) => fromPlain(time === 'never' ? { jobs: [], error: 'invalid timespec' } : { jobs: [BACKUP] }),
    'at.jobcheck': (_args, kwargs) => {
      const given = kwargs as Record<string, Value> | Map<string, Value>
      const tag = given instanceof Map ? given.get('tag') : given['tag']
      return fromPlain({ jobs: tag === 'backup' ? [BACKUP] : [] })
    },
    'at.atq': ([id]) => fromPlain({ jobs: id === 12 ? [BACKUP] : [] }),
    'at.atrm': ([first]) =>
      fromPlain({ jobs: { removed: first === undefined ? [] : [first === 12 ? 12 : '12'], tag: null } }),
    'user.info': ([name]) => fromPlain(name === 'joe' ? { name } : {}),
  }
  test.each<[string, Record<string, Value>, boolean, Plain]>([
    [
      'present',
      { name: '/bin/b', timespec: 'noon', tag: 'x' },
      false,
      { result: true, comment: 'job /bin/b added and will run on noon', changes: BACKUP },
    ],
    [
      'present',
      { name: 'b', timespec: 'noon' },
      true,
      { result: null, comment: 'job b added and will run on noon', changes: {} },
    ],
    ['present', { name: 'b', timespec: 'never' }, false, { result: false, comment: 'invalid timespec', changes: {} }],
    [
      'present',
      { name: 'b', timespec: 'noon', unique_tag: true },
      false,
      { result: false, comment: 'no tag provided and unique_tag is set to True' },
    ],
    [
      'present',
      { name: 'b', timespec: 'noon', unique_tag: true, tag: 'backup' },
      false,
      { result: true, comment: 'atleast one job with tag backup exists.', changes: {} },
    ],
    [
      'present',
      { name: 'b', timespec: 'noon', user: 'eve' },
      false,
      { result: false, comment: 'user eve does not exists' },
    ],
    [
      'present',
      { name: 'b', timespec: 'noon', user: 'joe' },
      false,
      { comment: 'job b added and will run as joe on noon' },
    ],
    [
      'absent',
      { name: 'x', jobid: 12 },
      false,
      { result: true, comment: 'job with id 12 was removed', changes: { removed: [12] } },
    ],
    ['absent', { name: 'x', jobid: 99 }, false, { result: true, comment: 'job with id 99 not present', changes: {} }],
    [
      'absent',
      { name: 'x', tag: 'backup' },
      false,
      { result: true, comment: 'removed 1 job(s)', changes: { removed: ['12'] } },
    ],
    ['absent', { name: 'x', tag: 'none' }, false, { result: true, comment: 'removed 0 job(s)', changes: {} }],
    ['absent', { name: 'x' }, true, { result: null, comment: 'removed ? job(s)', changes: {} }],
    ['absent', { name: 'x', limit: 'all' }, false, { result: false, comment: 'limit parameter not supported x' }],
    ['watch', { name: 'x', timespec: 'noon' }, false, { result: true, changes: {} }],
    [
      'mod_watch',
      { name: 'x', timespec: 'noon', sfun: 'watch', job: '/bin/b' },
      false,
      { result: true, changes: BACKUP },
    ],
    ['mod_watch', { name: 'x', timespec: 'noon', sfun: 'present' }, false, { result: false, changes: {} }],
  ])('at.%s of %j, dry: %s', async (fun, kwargs, test, report) => {
    expect(toPlain(await tryState(states, fun, { kwargs, others, test }))).toMatchObject(report as object)
  })
})
