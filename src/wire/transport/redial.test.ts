import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { quickPauses, Redial, reconnectDelays } from './redial.ts'

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0)
const attempts = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

describe('the pauses before a connection is tried again', () => {
  it('are at most half a second for the first half minute', () => {
    const longest = quickPauses(10_000, () => 1)
    const shortest = quickPauses(10_000, () => 0)
    expect(attempts(1, 5).map((attempt) => [shortest(attempt), longest(attempt)])).toEqual([
      [50, 100],
      [100, 200],
      [200, 400],
      [250, 500],
      [250, 500],
    ])
    const quick = attempts(1, 80).map(quickPauses(10_000, () => 0.5))
    expect(Math.max(...quick)).toBeLessThanOrEqual(500)
    expect(sum(quick)).toBeGreaterThan(28_000)
  })

  it('grow to the longest for a master that stays away', () => {
    const pause = quickPauses(10_000, () => 1)
    expect(attempts(81, 87).map(pause)).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 10_000])
  })

  it("are Salt's where its options are set", () => {
    expect([1, 2, 3, 9].map(reconnectDelays(100, 1000, false))).toEqual([100, 200, 400, 1000])
    const chosen = reconnectDelays(100, 1000, true)
    expect(chosen(1)).toBe(chosen(80))
  })
})

describe('a connection that is made again', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('reports failures, connections and losses to its watch', () => {
    const told: string[] = []
    const dialed: Array<(error: Error | undefined) => void> = []
    const watch = { works: () => told.push('works'), lost: () => told.push('lost'), failed: () => told.push('failed') }
    const redial = new Redial({
      dial: (ended) => {
        dialed.push(ended)
        return () => ended(undefined)
      },
      delay: (attempt) => attempt * 1000,
      watch: watch as never,
    })
    dialed[0]!(new Error('refused'))
    vi.advanceTimersByTime(1000)
    redial.succeeded()
    dialed[1]!(undefined)
    vi.advanceTimersByTime(2000)
    redial.succeeded()
    redial.close()
    expect([told, dialed.length]).toEqual([['failed', 'works', 'lost', 'works'], 3])
  })

  it('keeps its pauses growing with a peer that takes connections only to end them', () => {
    let count = 0
    const redial: Redial = new Redial({
      dial: (ended) => {
        count++
        queueMicrotask(() => {
          redial.succeeded()
          ended(undefined)
        })
        return () => {}
      },
      delay: (attempt) => 1000 * 2 ** attempt,
    })
    return vi.advanceTimersByTimeAsync(60_000).then(() => {
      redial.close()
      // after 2, 6, 14 and 30 seconds
      expect(count).toBe(5)
    })
  })
})
