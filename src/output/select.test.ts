import { describe, expect, test } from 'vitest'
import { dictFrom, type Value } from '../data/mod.ts'
import { colorFor, selectOutputter } from './select.ts'

const opts = (entries: Record<string, Value>) => dictFrom(entries)

test.each<[string | null, Record<string, Value>, string]>([
  [null, {}, 'nested'],
  ['', {}, 'nested'],
  ['text', {}, 'txt'],
  ['nested', { output: 'json' }, 'json'],
  ['nested', { output: 'highstate' }, 'nested'],
  [null, { static: true, fun: 'state.apply' }, 'highstate'],
  [null, { static: true, fun: 'test.ping' }, 'nested'],
  [null, { static: true, fun: 'state.apply', output: 'yaml' }, 'yaml'],
  ['raw', { progress: true }, 'progress'],
  ['nosuch', {}, 'nosuch'],
])('selectOutputter for %j under %j is %s', (out, options, name) => {
  expect(selectOutputter(out, opts(options))).toBe(name)
})

describe('colorFor', () => {
  const terminal = { terminal: true, windows: false }
  const pipe = { terminal: false, windows: false }

  test('shows colours on a terminal only', () => {
    expect(colorFor(opts({}), terminal)).toBe(true)
    expect(colorFor(opts({}), pipe)).toBe(false)
  })

  test('obeys the option, which --no-color and Windows overrule, and --force-color all', () => {
    expect(colorFor(opts({ color: true }), pipe)).toBe(true)
    expect(colorFor(opts({ color: true, no_color: true }), terminal)).toBe(false)
    expect(colorFor(opts({ color: true }), { terminal: true, windows: true })).toBe(false)
    expect(colorFor(opts({ no_color: true, force_color: true }), pipe)).toBe(true)
  })
})
