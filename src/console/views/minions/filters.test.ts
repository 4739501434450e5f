import { describe, expect, it } from 'vitest'
import { chosen, columnText, selected, toggled } from './filters.ts'
import { minion } from './minion.test-support.ts'

const highstate = (failed: number, changed: number) => ({
  jid: '1',
  when: '2026-11-16T10:00:00Z',
  succeeded: 1,
  changed,
  failed,
})

const ROWS = [
  minion('db1', { lastHighstate: highstate(1, 0), version: '3006.9' }),
  minion('web1', { lastHighstate: highstate(0, 2), columns: { 'grains.num_cpus': 10 } }),
  minion('web2', { presence: { connected: false, since: null }, columns: { 'grains.num_cpus': 9 } }),
]

const ALL = { q: '', state: '', result: '', version: '' }
const ids = (filter: Partial<typeof ALL>, sort = 'id'): string[] =>
  chosen(ROWS, { ...ALL, ...filter }, sort).map(({ id }) => id)

describe('chosen', () => {
  it('filters by a part of the id, presence, version and result', () => {
    expect(ids({ q: ' WEB' })).toEqual(['web1', 'web2'])
    expect(ids({ state: 'down' })).toEqual(['web2'])
    expect(ids({ version: '3006.9' })).toEqual(['db1'])
    expect(ids({ result: 'failed' })).toEqual(['db1'])
    expect(ids({ result: 'changed' })).toEqual(['web1'])
    expect(ids({ result: 'never' })).toEqual(['web2'])
  })

  it('finds drift beside the result', () => {
    const drifted = [minion('a', { drift: { jid: '2', when: '', changes: 3 } }), minion('b')]
    expect(chosen(drifted, { ...ALL, result: 'drift' }, 'id').map(({ id }) => id)).toEqual(['a'])
  })

  it('sorts by columns, numbers as numbers', () => {
    expect(ids({}, '-id')).toEqual(['web2', 'web1', 'db1'])
    expect(ids({}, 'version')).toEqual(['db1', 'web1', 'web2'])
    expect(ids({ q: 'web' }, 'grains.num_cpus')).toEqual(['web2', 'web1'])
    expect(ids({ q: 'web' }, '-grains.num_cpus')).toEqual(['web1', 'web2'])
  })
})

describe('columnText', () => {
  it('writes values on one line', () => {
    expect(columnText(null)).toBe('')
    expect(columnText(['web', 'db'])).toBe('web, db')
    expect(columnText({ a: 1 })).toBe('{"a":1}')
    expect(columnText('x'.repeat(1000))).toHaveLength(300)
  })
})

describe('selection', () => {
  const known = new Map(ROWS.map((each) => [each.id, each]))

  it('means the shown minions by a star', () => {
    expect(selected('*', ROWS.slice(1), known)).toEqual(['web1', 'web2'])
  })

  it('leaves out ids that are no minions any more', () => {
    expect(selected('web1,gone', ROWS, known)).toEqual(['web1'])
  })

  it('becomes a star when all are chosen, and a list when one is taken away', () => {
    expect(toggled('', 'web1', ROWS)).toBe('web1')
    expect(toggled('db1,web1', 'web2', ROWS)).toBe('*')
    expect(toggled('*', 'web1', ROWS)).toBe('db1,web2')
    expect(toggled('web1', 'web1', ROWS)).toBe('')
  })
})
