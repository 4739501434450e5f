// Tests of saltcheck: its assertions, and where it searches for test files.
import { expect, test } from 'vitest'
import { type Dict, fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Keywords, tryFunction } from '../../../sdk/mod.ts'
import saltcheck from './module.ts'

const others = {
  'config.get': (args: readonly Value[]) => args[1] ?? null,
  'test.echo': (args: readonly Value[]) => args[0]!,
  'test.arg': (args: readonly Value[], kwargs: Keywords) =>
    new Map<Value, Value>([['args', [...args]]]).set('kwargs', new Map(kwargs as Map<string, Value>)),
}

async function outcome(wish: Record<string, unknown>): Promise<Record<string, unknown>> {
  const asked = fromPlain({ module_and_function: 'test.echo', ...wish } as never)
  const host = new MemoryHost()
  const { duration, ...rest } = toPlain(
    await tryFunction(saltcheck, 'run_test', { kwargs: { test: asked }, others, host }),
  ) as Record<string, unknown>
  expect(duration).toBeDefined()
  return rest
}

test.each([
  ['assertEqual', 3, '3', 'Pass'],
  ['assertEqual', 3, '4', 'Fail: 4 is not equal to 3'],
  ['assertEqual', true, 'False', 'Fail: False is not equal to True'],
  ['assertEqual', ['a', 'b'], 'ab', 'Pass'],
  ['assertEqual', { a: 1 }, 'ab', "Fail: ab is not equal to {'a': 1}"],
  ['assertNotEqual', 3, '3', 'Fail: 3 is equal to 3'],
  ['assertGreater', 3, '4', 'Pass'],
  ['assertLess', 3, '4', 'Fail: 3 not False'],
  ['assertIn', 'abc', 'b', 'Pass'],
  ['assertNotIn', 'abc', 'b', 'Fail: b was found in abc'],
  ['assertTrue', 'x', undefined, 'Fail: x not True'],
  ['assertFalse', '', undefined, 'Pass'],
  ['assertEmpty', 'x', undefined, 'Fail: x is not empty'],
  ['assertNotEmpty', '', undefined, 'Fail: value is empty'],
  ['assertSomething', 'x', 'x', 'Fail - invalid test'],
  ['assertEqual', 'x', undefined, 'Fail - invalid test'],
])('%s of %j and %j is %s', async (assertion, answer, expected_return, status) => {
  const wish = { assertion, args: [answer], ...(expected_return !== undefined && { expected_return }) }
  expect(await outcome(wish)).toEqual({ status })
})

test('a test reports in detail what it compared, but not hidden values', async () => {
  const wish = { assertion: 'assertEqual', args: ['key'], expected_return: 'other', output_details: true }
  expect(await outcome(wish)).toEqual({
    status: 'Fail: other is not equal to key',
    'module.function [args]': 'test.echo ["key"]',
    'saltcheck assertion': 'other == key',
  })
  expect(await outcome({ ...wish, print_result: false })).toMatchObject({
    status: 'Fail: Result is not equal',
    'saltcheck assertion': 'other == hidden',
  })
})

test('a test of several assertions fails when one of them does, each about a part of the answer', async () => {
  const assertions = [
    { assertion: 'assertEqual', assertion_section: 'args', expected_return: [1] },
    { assertion: 'assertIn', assertion_section: 'args', expected_return: 5 },
  ]
  expect(await outcome({ module_and_function: 'test.arg', args: [1], assertions })).toEqual({
    assertion1: { status: 'Pass' },
    assertion2: { status: 'Fail: 5 not found in [1]' },
    status: 'Fail',
  })
})

test('a skipped test, and a test of a missing function', async () => {
  const wish = { assertion: 'assertEqual', args: ['x'], expected_return: 'x' }
  expect(await outcome({ ...wish, skip: true })).toEqual({ status: 'Skip' })
  expect(await outcome({ ...wish, module_and_function: 'test.none' })).toEqual({ status: 'Fail - invalid test' })
})

const TESTS = fromPlain({
  up: { module_and_function: 'test.echo', args: [1], assertion: 'assertEqual', expected_return: 1 },
  down: { module_and_function: 'test.echo', args: [1], assertion: 'assertEqual', expected_return: 2 },
}) as Dict

/** `web` with its own folder, and `none` without tests. */
const tree = {
  ...others,
  'cp.list_states': () => ['web', 'none'],
  'state.show_low_sls': ([sls]: readonly Value[]) => [new Map<Value, Value>([['__sls__', sls!]])],
  'state.show_top': () => new Map<Value, Value>([['base', ['web', 'none']]]),
  'cp.cache_dir': ([folder]: readonly Value[]) =>
    folder === 'salt://web/saltcheck-tests' ? ['/cache/web/saltcheck-tests/init.tst'] : [],
  'slsutil.renderer': () => TESTS,
}

test('tests of SLS files are counted, and SLS files without tests too', async () => {
  const report = toPlain(
    await tryFunction(saltcheck, 'run_state_tests', { args: ['web,none'], kwargs: { only_fails: true }, others: tree }),
  ) as Array<Record<string, Record<string, unknown>>>
  const [none, web, results] = report
  expect(none).toEqual({})
  expect(Object.keys(web!['web']!)).toEqual(['down'])
  expect(results!['TEST RESULTS']).toMatchObject({ Passed: 1, Failed: 1, Skipped: 0, 'Missing Tests': 1 })
})

test('the report of the highstate names SLS files without tests', async () => {
  expect(toPlain(await tryFunction(saltcheck, 'report_highstate_tests', { others: tree }))).toEqual({
    'TEST REPORT RESULTS': {
      'Missing Tests': 1,
      'States missing tests': ['none'],
      'States with tests': ['web'],
    },
  })
})
