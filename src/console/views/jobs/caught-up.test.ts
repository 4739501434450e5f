import { expect, it } from 'vitest'
import { caughtUp } from './caught-up.ts'
import type { Job } from './job-data.ts'
import type { Group, Row } from './matrix-rows.ts'

const TIME = '2026-11-16T10:00:00Z'

const job = (returned: number): Job => ({
  jid: '20261116100000000000',
  function: 'test.ping',
  target: '*',
  targetType: 'glob',
  user: 'ann',
  started: TIME,
  state: 'running',
  counts: { minions: 3, returned, failed: 0, missing: 3 - returned },
  args: [],
  kwargs: {},
  returner: null,
  metadata: null,
  cancelable: true,
  minions: ['db1', 'web1', 'web2'].map((id, at) =>
    at < returned ? { id, state: 'succeeded', returned: TIME } : { id, state: 'waiting', returned: null },
  ),
})

const row = (minion: string, group: number): Row => ({
  minion,
  cells: '!',
  group,
  duration: 0,
  returned: TIME,
  failed: 0,
  changed: 0,
})

const group = (number: number, succeeded: boolean): Group => ({
  group: number,
  digest: String(number),
  minions: 1,
  succeeded,
  changed: 0,
  failed: 0,
  sample: 'db1',
  text: '',
})

const GROUPS = [group(0, true), group(1, false)]

it('takes returns from the matrix that the job lacks', () => {
  const matrix = { rows: [row('db1', 0), row('web2', 1)], groups: GROUPS, waiting: 1, isWhole: true }
  const shown = caughtUp(job(1), matrix)
  expect(shown).toMatchObject({
    state: 'running',
    cancelable: true,
    counts: { minions: 3, returned: 2, failed: 1, missing: 1 },
  })
  expect(shown.minions.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'db1 succeeded',
    'web1 waiting',
    'web2 failed',
  ])
})

it('ends the job with its last return', () => {
  const rows = [row('db1', 0), row('web1', 0), row('web2', 0)]
  const shown = caughtUp(job(1), { rows, groups: GROUPS, waiting: 0, isWhole: true })
  expect([shown.state, shown.cancelable, shown.counts.missing]).toEqual(['done', false, 0])
  const failing = [row('db1', 0), row('web1', 1), row('web2', 0)]
  expect(caughtUp(job(1), { rows: failing, groups: GROUPS, waiting: 0, isWhole: true }).state).toBe('failed')
})

it('leaves a job as it is that is not behind, or whose matrix is not whole', () => {
  const [now, rows] = [job(1), [row('db1', 0), row('web1', 0)]]
  expect(caughtUp(now, undefined)).toBe(now)
  expect(caughtUp(now, { rows: rows.slice(1), groups: GROUPS, waiting: 2, isWhole: true })).toBe(now)
  expect(caughtUp(now, { rows, groups: GROUPS, waiting: 1, isWhole: false })).toBe(now)
})
