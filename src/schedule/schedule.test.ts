import { expect, test } from 'vitest'
import { type Dict, numberOf, type Value } from '../data/mod.ts'
import { Schedule, type ScheduleOptions } from './schedule.ts'

const value = (plain: unknown): Value =>
  Array.isArray(plain)
    ? plain.map(value)
    : plain !== null && typeof plain === 'object'
      ? new Map(Object.entries(plain).map(([key, item]) => [key, value(item)]))
      : (plain as Value)

/** A Wednesday at noon, local time. */
const NOON = new Date(2026, 6, 15, 12, 0, 0).getTime()

interface Setup {
  jobs: Record<string, unknown>
  pillar?: unknown
  remembered?: Record<string, number>
  running?: (name: string) => number
}

function trial({ jobs, pillar = {}, remembered = {}, running = () => 0 }: Setup) {
  let now = NOON
  const ran: Array<[string, number]> = []
  const errors: string[] = []
  const warnings: string[] = []
  const kept = new Map<string, number>()
  const options: ScheduleOptions = {
    opts: new Map([
      ['schedule', value(jobs)],
      ['pillar', value(pillar)],
    ]),
    log: (level, text) => (level === 'error' ? errors : warnings).push(text),
    keeper: {
      save: () => undefined,
      remembered: () => new Map(Object.entries(remembered)),
      remember: (next) => {
        for (const [name, moment] of next) kept.set(name, moment)
      },
    },
    running,
    run: (_fun, job) => ran.push([String((job as Dict).get('name')), (now - NOON) / 1000]),
    now: () => now,
    random: () => 0,
  }
  const schedule = new Schedule(options)
  const pass = (seconds: number, step = 1): void => {
    for (let left = seconds; left >= 0; left -= step) {
      schedule.look()
      now += step * 1000
    }
  }
  /** The seconds after noon at which a job ran. */
  const times = (name: string): number[] => ran.filter(([own]) => own === name).map(([, time]) => time)
  return { schedule, pass, times, errors, warnings, kept }
}

test.each<[string, Record<string, unknown>, number[]]>([
  ['an interval runs at the start and then again and again', { seconds: 10 }, [0, 10, 20, 30]],
  ['units add up', { minutes: 0, seconds: 15 }, [0, 15, 30]],
  ['a number may be text', { seconds: '10' }, [0, 10, 20, 30]],
  ['beside an interval a time counts for nothing', { seconds: 10, when: '12:00:05' }, [0, 10, 20, 30]],
  ['maxrunning: 0 keeps nothing from running', { seconds: 10, maxrunning: 0 }, [0, 10, 20, 30]],
  ['run_on_start: False waits for the interval', { seconds: 10, run_on_start: false }, [10, 20, 30]],
  ['when fires at its time', { when: '12:00:12' }, [12]],
  ['when in words of the afternoon', { when: 'July 15, 2026 12:00:05 PM' }, [5]],
  ['when may be a list', { when: ['12:00:03', '12:00:09'] }, [3, 9]],
  ['when of another weekday waits', { when: 'Thursday 12:00:05' }, []],
  ['when of this weekday fires', { when: 'Wednesday 12:00:05' }, [5]],
  ['when in the past stays silent', { when: '11:00' }, []],
  ['once fires once', { once: '2026-07-15T12:00:07' }, [7]],
  ['once has a format', { once: '15.07.2026 12:00:08', once_fmt: '%d.%m.%Y %H:%M:%S' }, [8]],
  ['cron with seconds', { cron: '* * * * * */20' }, [20]],
  ['disabled jobs stay silent', { seconds: 5, enabled: false }, []],
  ['splay puts it off', { seconds: 10, run_on_start: false, splay: 3 }, [11, 22, 33]],
  ['splay between bounds', { seconds: 10, run_on_start: false, splay: { start: 2, end: 5 } }, [12, 24]],
  [
    'a range lets it run within',
    { seconds: 5, run_on_start: false, range: { start: '12:00:08', end: '12:00:20' } },
    [8, 13, 18],
  ],
  [
    'an inverted range keeps it from running within',
    { seconds: 5, run_on_start: false, range: { start: '12:00:03', end: '12:00:20', invert: true } },
    [20, 25, 30],
  ],
  [
    'skip_during_range skips',
    { seconds: 10, run_on_start: false, skip_during_range: { start: '12:00:05', end: '12:00:15' } },
    [20, 30],
  ],
  [
    'run_after_skip_range makes good for it',
    {
      seconds: 10,
      run_on_start: false,
      run_after_skip_range: true,
      skip_during_range: { start: '12:00:05', end: '12:00:15' },
    },
    [16, 26],
  ],
  ['until ends it', { seconds: 10, run_on_start: false, until: '12:00:15' }, [10]],
  ['after begins it', { seconds: 10, run_on_start: false, after: '12:00:15' }, [20, 30]],
  [
    'skip_explicit skips one time',
    {
      seconds: 10,
      run_on_start: false,
      skip_explicit: [{ time: '2026-07-15T12:00:20', time_fmt: '%Y-%m-%dT%H:%M:%S' }],
    },
    [10, 30],
  ],
  [
    'run_explicit runs one time more',
    {
      seconds: 20,
      run_on_start: false,
      run_explicit: [{ time: '2026-07-15T12:00:07', time_fmt: '%Y-%m-%dT%H:%M:%S' }],
    },
    [7, 27],
  ],
])('Schedule: %s', (_name, job, expected) => {
  const { pass, times, errors } = trial({ jobs: { job: { function: 'test.ping', ...job } } })
  pass(33)
  expect(errors).toEqual([])
  expect(times('job')).toEqual(expected)
})

test('Cron jobs fire at the beginning of their minutes', () => {
  const { pass, times } = trial({ jobs: { job: { function: 'test.ping', cron: '*/2 * * * *' } } })
  pass(300)
  expect(times('job')).toEqual([120, 240])
})

test.each<[string, Record<string, unknown>, string]>([
  [
    'two kinds at once',
    { when: '12:00', cron: '* * * * *' },
    'Unable to use "when", "cron", "once" options together. Ignoring.',
  ],
  ['an interval that is no number', { seconds: null }, 'Invalid number of seconds: None. Ignoring job job.'],
  [
    'a bad bound',
    { seconds: 1, run_on_start: false, until: 'x' },
    'Invalid date string for until: x. Ignoring job job.',
  ],
  [
    'a range that is none',
    { seconds: 1, run_on_start: false, range: 'x' },
    'schedule.handle_func: Invalid, range must be specified as a dictionary.Ignoring job job.',
  ],
  ['a bad cron string', { cron: 'often' }, 'Invalid cron string. Ignoring job job.'],
  ['a bad time', { when: 'teatime' }, 'Invalid date string teatime. Ignoring job job.'],
  ['a bad once', { once: 'x' }, 'Date string could not be parsed: x, %Y-%m-%dT%H:%M:%S. Ignoring job job.'],
  [
    'a range that ends before it starts',
    { seconds: 1, run_on_start: false, range: { start: '13:00', end: '12:00' } },
    'schedule.handle_func: Invalid range, end must be larger than start. Ignoring job job.',
  ],
])('A job with %s is named once in the log', (_name, job, expected) => {
  const { pass, times, errors } = trial({ jobs: { job: { function: 'test.ping', ...job } } })
  pass(5)
  expect(errors).toEqual([expected])
  expect(times('job')).toEqual([])
})

test('Jobs of the pillar run, and names for times come from it', () => {
  const pillar = { schedule: { tea: { function: 'test.ping', when: 'tea time' } }, whens: { 'tea time': '12:00:04' } }
  const { pass, times } = trial({ jobs: {}, pillar })
  pass(10)
  expect(times('tea')).toEqual([4])
})

test('The whole schedule can be switched off, and skip_function stands in', () => {
  const off = trial({ jobs: { enabled: false, job: { function: 'test.ping', seconds: 5 } } })
  off.pass(10)
  expect(off.times('job')).toEqual([])
  expect(off.schedule.status('job').get('_skip_reason')).toBe('disabled')
})

test('A job that is still running as often as it may is left out', () => {
  let count = 1
  const { pass, times, schedule } = trial({
    jobs: { job: { function: 'test.ping', seconds: 5, maxrunning: 1 } },
    running: () => count,
  })
  pass(7)
  expect(times('job')).toEqual([])
  expect(schedule.status('job').get('_next_fire_time')).not.toBeNull()
  count = 0
  pass(4)
  expect(times('job')).toHaveLength(1)
})

test('The next time of a job survives a restart, and missed runs are repeated only on request', () => {
  const jobs = {
    soon: { function: 'test.ping', hours: 1, run_on_start: false },
    missed: { function: 'test.ping', hours: 1, run_on_start: false },
    due: { function: 'test.ping', hours: 1, run_on_start: false, run_missed: true },
  }
  const remembered = { soon: NOON + 5000, missed: NOON - 60_000, due: NOON - 60_000 }
  const { pass, times, kept } = trial({ jobs, remembered })
  pass(10)
  expect([times('soon'), times('missed'), times('due')]).toEqual([[5], [], [0]])
  expect(kept.get('soon')).toBe(NOON + 5000 + 3_600_000)
})

test('A job that is shortened does not wait for its old time', () => {
  const { schedule, pass, times } = trial({ jobs: { job: { function: 'test.ping', seconds: 3600 } } })
  pass(5)
  ;(schedule.own.get('job') as Dict).set('seconds', 10)
  pass(20)
  expect(times('job')).toEqual([0, 16, 26])
})

test('a summary shows when each job runs, in words and by the clock', () => {
  const { schedule, pass } = trial({
    jobs: {
      splay: 5,
      often: { function: 'test.ping', minutes: 1 },
      nightly: { fun: 'test.ping', cron: '0 3 * * *', enabled: false },
      once: { function: 'test.ping', once: '2026-07-15T13:00:00' },
      named: { function: 'test.ping', when: ['1:00pm', '2:00pm'] },
      first: { function: 'test.ping', run_on_start: true },
    },
  })
  pass(0)
  const shown = schedule.summary().map((job) => ['name', 'when', 'enabled'].map((name) => job.get(name)))
  expect(shown).toEqual([
    ['often', 'every 60 seconds', true],
    ['nightly', 'cron 0 3 * * *', false],
    ['once', 'once 2026-07-15T13:00:00', true],
    ['named', '1:00pm, 2:00pm', true],
    ['first', 'at the start', true],
  ])
  const [often, nightly] = schedule.summary()
  expect(['last_run', 'next_run'].map((name) => numberOf(often!.get(name)!))).toEqual([NOON / 1000, NOON / 1000 + 60])
  expect([nightly!.get('last_run'), nightly!.get('next_run')]).toEqual([null, null])
})

test('ignored keys of a job are one warning, and other jobs run', () => {
  const jobs = {
    slip: { function: 'test.ping', secnds: 5 },
    vain: { function: 'test.ping', seconds: 5, max_running: 1 },
    good: { function: 'test.ping', seconds: 5, args: [], returner: 'local' },
  }
  const { pass, times, errors, warnings } = trial({ jobs })
  pass(6)
  expect(warnings).toEqual([
    `Scheduled job "slip" never runs: it has none of ${TIMES}. Unknown key 'secnds'. Did you mean 'seconds'?`,
    `Scheduled job "vain" has keys that are ignored. Unknown key 'max_running'. Did you mean 'maxrunning'?`,
  ])
  expect([errors, times('slip'), times('vain'), times('good')]).toEqual([[], [], [0, 5], [0, 5]])
})
const TIMES = 'seconds, minutes, hours, days, when, cron, once'
