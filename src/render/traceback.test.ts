import { expect, test } from 'vitest'
import { BrineError } from '../base/mod.ts'
import { PyError, SaltError } from '../data/mod.ts'
import { failureLine, traceback } from './traceback.ts'

test.each([
  [new SaltError('CommandExecutionError', 'no'), 'salt.exceptions.CommandExecutionError: no'],
  [new PyError('ValueError', 'odd'), 'ValueError: odd'],
  [new PyError('KeyError', ''), 'KeyError'],
  [new BrineError('NoMaster', 'alone'), 'NoMaster: alone'],
  [new Error('plain'), 'Exception: plain'],
  ['thrown', 'Exception: thrown'],
])('the last line of a traceback names class and message: %s', (thrown, line) => {
  expect(failureLine(thrown)).toBe(line)
})

test('a traceback shows the places, and keeps the trace of users’ own Python', () => {
  const at = { file: '/srv/a.sls', line: 3, in: 'cmd.run' }
  expect(traceback(new PyError('ValueError', 'odd'), [at])).toBe(
    'Traceback (most recent call last):\n  File "/srv/a.sls", line 3, in cmd.run\nValueError: odd\n',
  )
  const trace = 'Traceback (most recent call last):\n  File "x.py", line 1\nValueError: odd\n'
  expect(traceback(Object.assign(new PyError('ValueError', 'odd'), { trace }))).toBe(trace)
})
