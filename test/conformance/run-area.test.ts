import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Case } from './area.ts'
import { RequestError } from './report.ts'
import { runArea, runCases } from './run-area.ts'

const echo = join(import.meta.dirname, 'fixtures', 'echo.ts')
const run = (cases: Case[], limitMs?: number) => runCases({ adapter: echo, cases }, limitMs)

describe('the conformance runner', () => {
  test('passes equal answers and shows both sides of unequal ones', async () => {
    const problems = await run([
      { name: 'right', say: 'a', expect: 'a' },
      { name: 'wrong', say: 'a', expect: 'b' },
    ])
    expect(problems).toEqual([undefined, 'wanted "b"\n   got "a"'])
  })

  test('fails a case that never ends, and goes on with the next', async () => {
    const problems = await run(
      [
        { name: 'hangs', act: 'hang', expect: 'a' },
        { name: 'waits', act: 'wait', expect: 'a' },
        { name: 'right', say: 'a', expect: 'a' },
      ],
      500,
    )
    expect(problems[0]).toBe('gave no answer within 0.5 s')
    expect(problems[1]).toMatch(/gave no answer|ended the runner/)
    expect(problems[2]).toBeUndefined()
  })

  test('fails a case whose adapter throws', async () => {
    const [problem] = await run([{ name: 'throws', act: 'throw', expect: 'a' }])
    expect(problem).toMatch(/^crashed: Error: as asked/)
  })

  test('refuses an adapter that cannot be loaded', async () => {
    await expect(runCases({ adapter: `${echo}.none`, cases: [{ name: 'x', expect: 1 }] })).rejects.toThrow(
      /The adapter/,
    )
  })

  test('refuses an unknown area and names those that exist', async () => {
    await expect(runArea('nonsense')).rejects.toThrow(RequestError)
  })
})
