import { expect, test } from 'vitest'
import type { Outcome } from '../command.ts'
import { OURS, startProblem } from './sides.ts'

const hostThat = (outcome: Outcome) => ({ attempt: async () => outcome })

const TRACEBACK = `Traceback (most recent call last):
  File "<string>", line 1, in <module>
ModuleNotFoundError: No module named 'looseversion'
`

test.each([
  ['answers a ping is compared', { code: 0, stdout: '{"local": true}\n', stderr: '' }, undefined],
  [
    'lacks a module says so in one line',
    { code: 1, stdout: '', stderr: TRACEBACK },
    /^ModuleNotFoundError: .*'looseversion'$/,
  ],
  ['prints nothing at all is not compared', { code: 1, stdout: '', stderr: '' }, /^no JSON:$/],
])('a side that %s', async (_what, outcome, expected) => {
  const problem = await startProblem(hostThat(outcome), OURS)
  if (expected === undefined) expect(problem).toBeUndefined()
  else expect(problem).toMatch(expected)
})
