// Waiting for the result of a function.
import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { LocalHost } from '../../../host/mod.ts'
import { type StateTrial, tryState } from '../../../sdk/mod.ts'
import loop from './state.ts'

async function told(name: string, kwargs: Record<string, Value>, trial: Partial<StateTrial> = {}): Promise<string> {
  const answers: Value[] = [1, 2, [3, new Map([['state', 'up']])]]
  const others = { 'some.thing': () => answers.shift() ?? null }
  const given = { name: 'some.thing', period: 0.001, ...kwargs }
  const { result, comment } = toPlain(await tryState(loop, name, { kwargs: given, others, ...trial })) as {
    result: boolean | null
    comment: string
  }
  return `${String(result)} ${comment}`
}

describe('loop.until', () => {
  const host = new LocalHost()

  test('calls a function until a condition in Python holds', async () => {
    const condition = "isinstance(m_ret, list) and m_ret[1].get('state') == 'up'"
    expect(await told('until', { condition }, { host })).toBe(`true Condition ${condition} was met`)
  })

  test('lets a remote host read again before each attempt', async () => {
    let asked = 0
    const far = Object.assign(new LocalHost(), { forgetReads: () => void asked++ })
    await told('until_no_eval', { expected: 2, init_wait: 0.001 }, { host: far })
    expect(asked).toBe(2)
  })

  test('gives up after some time', async () => {
    expect(await told('until', { condition: 'False', timeout: 0 }, { host })).toBe(
      'false Timed out while waiting for condition False',
    )
  })

  test('fails with the error of a condition', async () => {
    await expect(told('until', { condition: 'nope' }, { host })).rejects.toThrow("name 'nope' is not defined")
  })

  test.each<[Record<string, Value>, string]>([
    [{ name: 'no.such', condition: 'm_ret' }, 'false Cannot find module no.such'],
    [{}, 'false An exit condition must be specified'],
    [{ condition: 'm_ret', period: 'x' }, 'false Period must be specified as a float in seconds'],
    [{ condition: 'm_ret', timeout: 'x' }, 'false Timeout must be specified as a float in seconds'],
  ])('refuses %j', async (kwargs, said) => {
    expect(await told('until', kwargs)).toBe(said)
  })
})

describe('loop.until_no_eval', () => {
  test.each<[Record<string, Value>, string]>([
    [{ expected: 2 }, 'true Call provided the expected results in 2 attempts'],
    [{ expected: 1, compare_operator: 'gt' }, 'true Call provided the expected results in 2 attempts'],
    [
      { expected: '1:state:up', compare_operator: 'data.subdict_match' },
      'true Call provided the expected results in 3 attempts',
    ],
    [{ expected: 2, compare_operator: 'zz' }, 'false Invalid operator "zz" supplied.'],
    [{ name: 'no.such', expected: 2 }, 'false Module.function "no.such" is unavailable.'],
    [{ expected: 9, timeout: 0 }, 'false Call did not produce the expected result after 0 attempts'],
  ])('%j', async (kwargs, said) => {
    expect(await told('until_no_eval', kwargs)).toBe(said)
  })

  test('calls nothing in a dry run', async () => {
    expect(await told('until_no_eval', { expected: 2 }, { test: true, others: {} })).toBe(
      'null Would have waited for "some.thing" to produce "2".',
    )
  })
})
