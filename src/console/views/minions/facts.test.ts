import { describe, expect, it } from 'vitest'
import { countStates, type Fleet, highstateKind, type Minion, withEvent } from './facts.ts'
import { minion } from './minion.test-support.ts'

const fleetOf = (...minions: Minion[]): Fleet => ({
  rows: new Map(minions.map((each) => [each.id, each])),
  total: minions.length,
})

const stamp = '2026-11-16T10:00:00.000000'

const returned = (jid: string, id: string, data: Record<string, unknown>) => ({
  tag: `salt/job/${jid}/ret/${id}`,
  stamp,
  data,
})

const STATES = {
  'file_|-a_|-a_|-managed': { result: true, changes: { diff: 'new' } },
  'file_|-b_|-b_|-managed': { result: true, changes: {} },
  'test_|-c_|-c_|-fail': { result: false, changes: {} },
}

describe('countStates', () => {
  it('counts succeeded, changed and failed states', () => {
    expect(countStates(STATES)).toEqual({ succeeded: 2, changed: 1, failed: 1 })
  })

  it('counts a state that would change in a dry run as changed', () => {
    expect(countStates({ a: { result: null, changes: {} } })).toEqual({ succeeded: 0, changed: 1, failed: 0 })
  })

  it('does not take errors for states', () => {
    expect(countStates(['Rendering failed'])).toBeUndefined()
    expect(countStates('no')).toBeUndefined()
    expect(countStates({ a: 1 })).toBeUndefined()
  })
})

describe('highstateKind', () => {
  it('knows the highstate, its dry run and single SLS files', () => {
    expect(highstateKind('state.apply', [])).toBe('applied')
    expect(highstateKind('state.highstate', [{ test: true }])).toBe('tried')
    expect(highstateKind('state.apply', ['test=True'])).toBe('tried')
    expect(highstateKind('state.apply', ['web'])).toBe('other')
    expect(highstateKind('state.apply', [{ mods: 'web' }])).toBe('other')
    expect(highstateKind('test.ping', [])).toBe('other')
  })
})

describe('withEvent', () => {
  it('takes the last job and the last highstate from a return', () => {
    const fleet = fleetOf(minion('web1'), minion('web2'))
    const data = { fun: 'state.apply', fun_args: [], return: STATES }
    const next = withEvent(fleet, returned('20261116100000000001', 'web1', data)) as Fleet
    expect(next.rows.get('web1')).toMatchObject({
      lastJob: '20261116100000000001',
      lastHighstate: { succeeded: 2, changed: 1, failed: 1, when: `${stamp}Z` },
    })
    expect(next.rows.get('web2')!.lastJob).toBeNull()
  })

  it('keeps facts that are newer than a return', () => {
    const fleet = fleetOf(minion('web1', { lastJob: '3' }))
    expect(withEvent(fleet, returned('2', 'web1', { fun: 'test.ping', return: true }))).toBeUndefined()
  })

  it('takes drift from a dry run, and forgets it after the highstate', () => {
    let fleet = fleetOf(minion('web1'))
    const states = { a: { result: null, changes: {} } }
    const tried = { fun: 'state.apply', fun_args: [{ test: true }], return: states }
    fleet = withEvent(fleet, returned('2', 'web1', tried)) as Fleet
    expect(fleet.rows.get('web1')!.drift).toMatchObject({ jid: '2', changes: 1 })
    fleet = withEvent(fleet, returned('3', 'web1', { fun: 'state.apply', fun_args: [], return: STATES })) as Fleet
    expect(fleet.rows.get('web1')!.drift).toBeNull()
  })

  it('follows presence', () => {
    const fleet = fleetOf(minion('web1'), minion('web2', { presence: { connected: false, since: null } }))
    const change = { tag: 'salt/presence/change', stamp, data: { new: ['web2'], lost: ['web1'] } }
    const next = withEvent(fleet, change) as Fleet
    expect([...next.rows.values()].map(({ presence }) => presence.connected)).toEqual([false, true])
  })

  it('requests the list again for new keys or unknown minions', () => {
    const fleet = fleetOf(minion('web1'))
    expect(withEvent(fleet, { tag: 'salt/key', stamp, data: {} })).toBe('reload')
    expect(withEvent(fleet, { tag: 'salt/minion/web9/start', stamp, data: {} })).toBe('reload')
  })

  it('does not change for other events', () => {
    expect(withEvent(fleetOf(minion('web1')), { tag: 'deploy/done', stamp, data: {} })).toBeUndefined()
  })
})
