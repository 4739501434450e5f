import { describe, expect, it } from 'vitest'
import {
  type Column,
  columnOrder,
  differences,
  type Group,
  groupOrder,
  groupRows,
  rowOf,
  shownRows,
} from './matrix-rows.ts'
import { changesFirst, findState, statesOf } from './results.ts'

const row = (minion: string, cells: string, group = 0) =>
  rowOf({ minion, cells, group, duration: 1, returned: '2026-01-01T00:00:00Z' })
const column = (id: string, order: number): Column => ({
  key: `test_|-${id}_|-${id}_|-nop`,
  id,
  name: id,
  function: 'test.nop',
  sls: 'a',
  place: null,
  order,
})
const group = (number: number, more: Partial<Group> = {}): Group => ({
  group: number,
  digest: String(number),
  minions: 1,
  succeeded: true,
  changed: 0,
  failed: 0,
  sample: `m${number}`,
  text: '',
  ...more,
})

describe('rows of a matrix', () => {
  const rows = [row('ok', 'ss'), row('bad', 'sfk', 1), row('new', 'cs', 2), row('dry', 'st', 3), row('torn', '!', 4)]

  it('have failures first, then changes', () => {
    expect(shownRows(rows, { show: 'all', q: '' }).map(({ minion }) => minion)).toEqual([
      'bad',
      'torn',
      'dry',
      'new',
      'ok',
    ])
    expect(shownRows(rows, { show: 'failed', q: 'o' }).map(({ minion }) => minion)).toEqual(['torn'])
    expect(shownRows(rows, { show: 'changed', q: '' })).toHaveLength(2)
    expect(shownRows(rows, { show: 'all', q: '', group: 2 })).toHaveLength(1)
  })

  it('stand for groups by their samples', () => {
    expect(groupRows(rows, [group(0, { sample: 'ok' }), group(1, { sample: 'bad' })])).toEqual([rows[0], rows[1]])
    const groups = [group(0, { minions: 9 }), group(1, { succeeded: false }), group(2, { changed: 1 })]
    expect(groupOrder(groups).map((each) => each.group)).toEqual([1, 2, 0])
  })

  it('have columns in the order of the run', () => {
    expect(columnOrder([column('b', 5), column('a', 1), column('c', 5)])).toEqual([1, 0, 2])
  })
})

describe('two runs', () => {
  it('differ where a state has another result, or a minion or state is new or gone', () => {
    const before = {
      columns: [column('a', 0), column('old', 1)],
      rows: [row('web1', 'fs'), row('gone', 'ss')],
      groups: [],
    }
    const after = {
      columns: [column('new', 0), column('a', 1)],
      rows: [row('web1', 'cs'), row('web2', 's')],
      groups: [],
    }
    const found = differences(before, after).map(({ minion, column: at, before: then, after: now }) => [
      minion,
      at?.id,
      then,
      now,
    ])
    expect(found).toEqual([
      ['web1', 'new', '.', 'c'],
      ['web1', 'a', 'f', 's'],
      ['web1', 'old', 's', '.'],
      ['web2', undefined, '', '!'],
      ['gone', undefined, '!', ''],
    ])
  })

  it('have the same state under another name, unless several states have its id', () => {
    const side = (cells: string, ...names: string[]) => ({
      columns: names.map((name, index) => ({ ...column('page', index), name })),
      rows: [row('web1', cells)],
      groups: [],
    })
    expect(differences(side('s', '/web1'), side('s', '/web2'))).toEqual([])
    const found = differences(side('sf', 'a', 'b'), side('fs', 'b', 'c'))
    expect(found.map(({ column: at, before, after }) => [at?.name, before, after])).toEqual([
      ['c', '.', 's'],
      ['a', 's', '.'],
    ])
  })

  it('of other functions differ by the digest of the return', () => {
    const side = (digest: string) => ({
      columns: [],
      rows: [row('a', '!'), row('b', '!', 1)],
      groups: [group(0), group(1, { digest })],
    })
    expect(differences(side('x'), side('y'))).toEqual([{ minion: 'b', before: '!', after: '!' }])
  })
})

describe('results of states', () => {
  const value = {
    'test_|-two_|-n_|-nop': { result: true, changes: {}, comment: 'fine', __run_num__: 1, duration: '1.5 ms' },
    'file_|-one_|-/x_|-managed': {
      result: true,
      changes: { diff: 'x' },
      comment: ['a', 'b'],
      __run_num__: 0,
      __id__: 'one',
    },
    'test_|-three_|-n_|-nop': { result: false, changes: {}, comment: '', __run_num__: 2, __state_ran__: false },
    'test_|-four_|-n_|-nop': { result: null, changes: { a: 1 }, comment: null, __run_num__: 3 },
  }

  it('are read in the order of the run, and failures and changes put first', () => {
    const states = statesOf(value)!
    expect(states.map(({ id, sign, duration }) => [id, sign, duration])).toEqual([
      ['one', 'c', 0],
      ['two', 's', 1.5],
      ['three', 'k', 0],
      ['four', 't', 0],
    ])
    expect(states[0]).toMatchObject({ function: 'file.managed', name: '/x', comment: 'a\nb' })
    expect(
      changesFirst(states)
        .map(({ sign }) => sign)
        .join(''),
    ).toBe('ktcs')
    expect(findState(states, { key: 'file_|-one_|-/y_|-managed', id: 'one', function: 'file.managed' })?.name).toBe(
      '/x',
    )
  })

  it('are not seen in other returns', () => {
    for (const other of [true, [], {}, ['No matching sls'], { a: 1 }, { 'a_|-b_|-c_|-d': 1 }])
      expect(statesOf(other)).toBeUndefined()
  })
})
