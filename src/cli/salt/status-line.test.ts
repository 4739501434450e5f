import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StatusLine } from './status-line.ts'

const CLEARED = '\r\x1b[K'

function open(terminal: boolean): { line: StatusLine; written: string[] } {
  const written: string[] = []
  return {
    line: new StatusLine({ out: () => {}, err: (text) => written.push(text), terminal }, ['a', 'b', 'c']),
    written,
  }
}

describe('the status line', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('shows done, running and silent minions after a second, and makes room for output', () => {
    const { line, written } = open(true)
    line.draw()
    vi.advanceTimersByTime(1000)
    line.done('a')
    line.runningAre(new Set(['b']))
    line.close()
    expect(written).toEqual([
      `${CLEARED}0 of 3 done, waiting for: a b c`,
      CLEARED,
      `${CLEARED}1 of 3 done, running: b, no answer: c`,
      CLEARED,
    ])
  })

  it('prints nothing without a terminal', () => {
    const { line, written } = open(false)
    vi.advanceTimersByTime(5000)
    line.runningAre(new Set(['b']))
    line.close()
    expect(written).toEqual([])
  })
})
