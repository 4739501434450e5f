// The recorded cases ask far more; these are the rules one by one.
import { describe, expect, test } from 'vitest'
import { dictFrom, type Value } from '../../data/mod.ts'
import { display } from '../mod.ts'

const dict = (entries: Record<string, Value>) => dictFrom(entries)

function state(number: number, fields: Record<string, Value> = {}): [string, Value] {
  const given = { name: `n${number}`, changes: new Map(), result: true, comment: 'ok', __run_num__: number, ...fields }
  return [`test_|-id${number}_|-${String(given.name)}_|-nop`, dict(given)]
}

const run = (...states: [string, Value][]) => dict({ m1: dict(Object.fromEntries(states)) })

const shown = (data: Value, opts: Record<string, Value> = {}) =>
  display('highstate', data, dict({ state_verbose: true, ...opts })).split('\n')

test('highstate shows states in the order they ran, and counts them', () => {
  const lines = shown(run(state(1, { result: false }), state(0)))
  expect(lines.filter((line) => line.includes(' ID:'))).toEqual(['          ID: id0', '          ID: id1'])
  expect(lines.slice(-6)).toEqual([
    'Summary for m1',
    '------------',
    'Succeeded: 1',
    'Failed:    1',
    '------------',
    'Total states run:     2',
  ])
})

describe('highstate in one line per state', () => {
  const states = run(state(0), state(1, { changes: dict({ new: 1 }) }), state(2, { result: false }))

  test.each<[string, string[]]>([
    ['terse', ['n0', 'n1', 'n2']],
    ['mixed', ['n0', 'n1']],
    ['changes', ['n0']],
    ['full', []],
    ['terse_id', ['id0', 'id1', 'id2']],
    ['TERSE', ['n0', 'n1', 'n2']],
  ])('as %s is for %j', (mode, names) => {
    const terse = shown(states, { state_output: mode }).filter((line) => line.startsWith('  Name:'))
    expect(terse.map((line) => /Name: (\w+)/.exec(line)![1])).toEqual(names)
  })

  test('has columns, or a format of its own', () => {
    const tabular = { state_output: 'terse', state_tabular: true }
    expect(shown(states, tabular)[2]).toBe('      test.nop        Changed   Name: n1')
    const own = { state_output: 'terse', state_tabular: '{4}: {6[comment]} {1}' }
    expect(shown(states, own)[3]).toBe('Failed: ok n2')
  })

  test('shows all data as nested when the format names a missing field', () => {
    expect(shown(states, { state_output: 'terse', state_tabular: '{nope}' })[1]).toBe('    ----------')
  })
})

test('highstate leaves out silent states when it shall not be verbose, but counts them', () => {
  const lines = shown(run(state(0), state(1, { result: false })), { state_verbose: false })
  expect(lines.filter((line) => line.includes(' ID:'))).toEqual(['          ID: id1'])
  expect(lines.at(-1)).toBe('Total states run:     2')
})

test('highstate sums durations one by one, but only the longest of those in parallel', () => {
  const times = [state(0, { duration: 10.5 }), state(1, { duration: '2 ms' })]
  const beside = [state(2, { duration: 30, __parallel__: true }), state(3, { duration: 20, __parallel__: true })]
  expect(shown(run(...times, ...beside), { state_output_profile: true }).at(-1)).toBe('Total run time:  42.500 ms')
})

test('highstate fills warnings into eighty columns and counts them', () => {
  const text = 'word '.repeat(20).trim()
  const lines = shown(run(state(0, { warnings: [text, 'tab\there'] })))
  expect(lines.slice(8, 10)).toEqual([
    `    Warnings: ${'word '.repeat(13).trim()}`,
    `              ${'word '.repeat(7)}tab     here`,
  ])
  expect(lines).toContain('Warnings:  1')
})

test('highstate compresses the names of one id', () => {
  const names = ['a', 'b'].map((name, i): [string, Value] => {
    const changes = dict({ new: name })
    const fields = { name, changes, __id__: 'id', __sls__: 'web', duration: 1.5, start_time: `10:0${i}` }
    return [`test_|-id_|-${name}_|-nop`, state(i, fields)[1]]
  })
  const lines = shown(run(...names), { state_compress_ids: true, state_output: 'full_id', state_output_profile: true })
  expect(lines[2]).toBe('          ID: id (2)')
  expect(lines.slice(6, 8)).toEqual(['     Started: 10:00', '    Duration: 3.0 ms'])
  expect(lines).toContain('Succeeded: 2 (changed=2)')
})

test('highstate indents the run that a state of an orchestration started', () => {
  const inner = dict({ out: 'highstate', ret: run(state(0)) })
  const lines = shown(dict({ x_master: run(state(0, { changes: inner })).get('m1')!, retcode: 0 }))
  expect(lines[8]).toBe('              m1:')
  expect(lines.filter((line) => line.includes('Total states run'))).toEqual([
    '              Total states run:     1',
    'Total states run:     1',
  ])
  expect(lines.join('\n')).not.toContain('retcode')
})

test('highstate lists the errors of a compilation, without their escapes', () => {
  expect(shown(dict({ m1: ['bad \x1b[1mSLS'] }))).toEqual([
    'm1:',
    '    Data failed to compile:',
    '----------',
    '    bad ?[1mSLS',
  ])
})
