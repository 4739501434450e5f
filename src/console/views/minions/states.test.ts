import { describe, expect, it } from 'vitest'
import { listed, whenText } from './listed.ts'
import { statesOf } from './states.ts'

describe('statesOf', () => {
  it('has failed states first, then changes, each in the order of the run', () => {
    const states = statesOf({
      'file_|-page_|-/srv/page_|-managed': { result: true, changes: {}, __run_num__: 0, __sls__: 'web' },
      'pkg_|-nginx_|-nginx_|-installed': { result: true, changes: { nginx: 'new' }, __run_num__: 2 },
      'cmd_|-go_|-go_|-run': { result: false, changes: {}, comment: 'no such file', __run_num__: 1 },
      'cmd_|-try_|-try_|-run': { result: null, changes: {}, __run_num__: 3 },
    })
    expect(states.map(({ function: fun, outcome }) => [fun, outcome])).toEqual([
      ['cmd.run', 'failed'],
      ['pkg.installed', 'changed'],
      ['cmd.run', 'would change'],
      ['file.managed', 'ok'],
    ])
    expect(states[0]).toMatchObject({ id: 'go', comment: 'no such file' })
    expect(states[3]).toMatchObject({ id: 'page', sls: 'web' })
  })

  it('finds none in errors', () => {
    expect(statesOf(['Rendering failed'])).toEqual([])
    expect(statesOf({ a: 'text' })).toEqual([])
  })
})

describe('listed', () => {
  it('reads jobs of a schedule without what is usual', () => {
    const answer = {
      enabled: false,
      nightly: { function: 'state.apply', hours: 24, enabled: false, maxrunning: 1, name: 'nightly' },
      hourly: { function: 'test.ping', hours: 1, enabled: true, jid_include: true },
    }
    expect(listed(answer)).toEqual({
      isEnabled: false,
      entries: [
        { name: 'hourly', isEnabled: true, options: { function: 'test.ping', hours: 1 } },
        { name: 'nightly', isEnabled: false, options: { function: 'state.apply', hours: 24, enabled: false } },
      ],
    })
  })

  it('reads beacons whose options are a list', () => {
    const answer = { load: [{ averages: { '1m': [0, 1] } }, { interval: 60 }, { enabled: false }] }
    expect(listed(answer).entries).toEqual([
      { name: 'load', isEnabled: false, options: { averages: { '1m': [0, 1] }, interval: 60, enabled: false } },
    ])
  })

  it('has no entries of a text', () => {
    expect(listed('Function is not available')).toEqual({ isEnabled: true, entries: [] })
  })
})

describe('whenText', () => {
  it('says when a job runs', () => {
    expect(whenText({ hours: 1 })).toBe('every 1 hours')
    expect(whenText({ minutes: 1, seconds: 30 })).toBe('every 30 seconds 1 minutes')
    expect(whenText({ cron: '*/15 * * * *' })).toBe('cron */15 * * * *')
    expect(whenText({ when: ['Monday 5:00pm', 'Tuesday 3:00pm'] })).toBe('Monday 5:00pm, Tuesday 3:00pm')
    expect(whenText({ once: '2027-01-01T00:00:00' })).toBe('2027-01-01T00:00:00')
    expect(whenText({ run_on_start: true })).toBe('at start')
    expect(whenText({})).toBe('–')
  })
})
