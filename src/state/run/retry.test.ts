import { describe, expect, test } from 'vitest'
import { silentLog } from '../../base/mod.ts'
import { numberOf, str, type Value } from '../../data/mod.ts'
import { parallelAttempts, pauseOf, type Retry, retried, serialAttempts } from './retry.ts'
import { resultDict, type StateRet } from './surroundings.ts'

test('a pause has no splay below nothing', () => {
  expect(pauseOf({ until: true, attempts: 2, interval: 3, splay: -1 })).toBe(3)
})

const RETRY: Retry = { until: true, attempts: 3, interval: 2, splay: 0 }

const outcome = (result: Value, comment: string): StateRet =>
  resultDict([
    ['result', result],
    ['comment', comment],
    ['start_time', comment],
    ['duration', 10],
  ])

/** Retry with these results after the first; return the last result and the pauses. */
async function retrying(attempts: typeof serialAttempts, results: StateRet[], isTest = false) {
  const pauses: number[] = []
  const [first, ...left] = results
  const ret = await retried(first!, {
    retry: RETRY,
    attempts,
    isTest,
    log: silentLog,
    again: async () => left.shift()!,
    sleep: async (seconds) => void pauses.push(seconds),
  })
  return { comment: str(ret.get('comment')!), start: ret.get('start_time'), duration: ret.get('duration'), pauses }
}

const line = (attempt: number, comment: string, result = 'False'): string =>
  `Attempt ${attempt}: Returned a result of "${result}", with the following comment: "${comment}"`

describe('a state that is retried', () => {
  test('runs until it succeeds, and reports each earlier attempt', async () => {
    const results = [outcome(false, 'a'), outcome(false, 'b'), outcome(true, 'c')]
    const { comment, start, duration, pauses } = await retrying(serialAttempts, results)
    expect(comment).toBe([line(1, 'a'), line(2, 'b'), 'c'].join('\n'))
    expect([start, numberOf(duration ?? null), pauses]).toEqual(['a', 4030, [2, 2]])
  })

  test('runs no more often than its attempts', async () => {
    const results = [outcome(false, 'a'), outcome(false, 'b'), outcome(false, 'c'), outcome(true, 'd')]
    expect((await retrying(serialAttempts, results)).comment).toBe([line(1, 'a'), line(2, 'b'), 'c'].join('\n'))
  })

  test('counts the attempts after the first one when it runs in parallel', async () => {
    const results = [outcome(false, 'a'), outcome(false, 'b'), outcome(false, ''), outcome(true, 'd')]
    const { comment, pauses } = await retrying(parallelAttempts, results)
    expect(comment).toBe(['a', line(1, 'b'), '', line(3, 'd', 'True')].join('\n'))
    expect(pauses).toHaveLength(3)
  })

  test('is not called again in a dry run', async () => {
    const { comment, pauses } = await retrying(serialAttempts, [outcome(null, 'a')], true)
    expect(comment).toMatch(/^a {2}The state would be retried every 2 seconds/)
    expect(pauses).toEqual([])
  })
})
