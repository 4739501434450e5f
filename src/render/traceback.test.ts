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

test('a traceback names each place once', () => {
  const trace = [
    'Traceback (most recent call last):',
    '  File "/srv/m.py", line 2, in go',
    '    return inner()',
    '  File "/srv/m.py", line 6, in inner',
    '    raise ValueError("no")',
    'ValueError: no\n',
  ].join('\n')
  const error = Object.assign(new PyError('ValueError', 'no'), { trace })
  expect(traceback(error, [{ file: '/srv/m.py', line: 6 }])).toBe(trace)
  expect(traceback(error, [{ file: '/srv/a.sls', line: 2 }])).toContain(
    'last):\n  File "/srv/a.sls", line 2\n  File "/srv/m.py"',
  )
})
