import { describe, expect, it } from 'vitest'
import { issuesOf, type Status } from './attention.ts'

const STATUS: Status = {
  id: 'master',
  version: '1',
  saltVersion: '3008.2',
  apiStarted: '2026-11-16T10:00:00Z',
  minions: { up: 3, down: 0, pending: 0, rejected: 0, denied: 0 },
  jobs: { stored: 1, running: 0 },
  events: { last: 1, perSecond: 0 },
  stores: {},
  highstates: { clean: 3, changed: 0, failed: 0, never: 0, drift: 0 },
  busiest: [],
  health: { loopLagMs: 5, rssBytes: 1, cpuPercent: 1, uptimeSeconds: 1, storage: 'ok', openFiles: 1 },
  history: [],
}

const NOTHING = { failedJobs: undefined, options: undefined }

const option = (name: string, hasEffect: boolean, origin: string | null) => ({
  name,
  origin,
  documented: '',
  hasEffect,
  note: null,
  secret: false,
})

describe('issuesOf', () => {
  it('finds nothing on a healthy master', () => {
    expect(issuesOf(STATUS, NOTHING)).toEqual([])
    expect(issuesOf(undefined, NOTHING)).toEqual([])
  })

  it('names keys, minions, highstates and drift, failures first', () => {
    const status = {
      ...STATUS,
      minions: { ...STATUS.minions, pending: 2, down: 1 },
      highstates: { ...STATUS.highstates, failed: 1, drift: 2 },
    }
    expect(issuesOf(status, NOTHING).map(({ title }) => title)).toEqual([
      '1 minion is down',
      'The last highstate of 1 minion failed',
      '2 minions drifted',
      '2 keys wait to be accepted',
    ])
  })

  it('reports unwritable paths of the master', () => {
    const status = { ...STATUS, health: { ...STATUS.health, storage: 'No space left' } }
    expect(issuesOf(status, NOTHING)[0]).toMatchObject({ key: 'storage', detail: 'No space left' })
  })

  it('lists failed jobs with their missing minions', () => {
    const job = {
      jid: '20261116100000000001',
      function: 'state.apply',
      target: '*',
      targetType: 'glob',
      user: 'root',
      started: '2026-11-16T10:00:00Z',
      state: 'failed' as const,
      counts: { minions: 3, returned: 2, failed: 1, missing: 1 },
    }
    expect(issuesOf(STATUS, { ...NOTHING, failedJobs: [job] })[0]).toMatchObject({
      title: 'state.apply failed on *',
      detail: '1 minion failed, 1 minion did not return',
      path: ['jobs', job.jid],
    })
  })

  it('names options of files that have no effect', () => {
    const options = [option('a', true, 'master:1'), option('b', false, 'master:2'), option('c', false, null)]
    expect(issuesOf(STATUS, { ...NOTHING, options })).toMatchObject([{ title: '1 option has no effect', detail: 'b' }])
  })
})
