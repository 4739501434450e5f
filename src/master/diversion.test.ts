import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CLOSED_MS, Diversion, REFUSED_MS } from './diversion.ts'

describe('a master that is cut off from the others of its cluster', () => {
  const log = vi.fn()
  const turnAway = vi.fn()
  let diversion: Diversion
  beforeEach(() => {
    vi.useFakeTimers()
    log.mockClear()
    turnAway.mockClear()
    const now = (): number => Date.now()
    diversion = new Diversion({ publisher: { turnAway }, isAccepted: (id) => id !== 'stranger', log, now })
  })
  afterEach(() => {
    diversion.close()
    vi.useRealTimers()
  })

  it('closes its publications for a while, and says so once', () => {
    diversion.divert('deaf')
    diversion.divert('deaf')
    expect(turnAway.mock.calls).toEqual([[true]])
    expect(log).toHaveBeenCalledExactlyOnceWith('error', expect.stringContaining('sends its minions to them'))
    vi.advanceTimersByTime(CLOSED_MS)
    expect(turnAway.mock.calls).toEqual([[true], [false]])
  })

  it('closes its publications also while its disk takes no jobs', () => {
    diversion.divert('stuck')
    diversion.divert('deaf')
    expect(turnAway.mock.calls).toEqual([[true]])
    expect(log).toHaveBeenCalledExactlyOnceWith('error', expect.stringContaining('cannot carry out jobs'))
  })

  it('refuses the first attempts of each minion, and then takes it in', () => {
    expect(diversion.refuses('web')).toBe(false)
    diversion.divert('deaf')
    vi.advanceTimersByTime(CLOSED_MS)
    expect(diversion.refuses('web')).toBe(true)
    vi.advanceTimersByTime(REFUSED_MS)
    expect(diversion.refuses('web')).toBe(false)
    expect(diversion.refuses('db')).toBe(true)
  })

  it('keeps no note of minions whose key is not accepted', () => {
    diversion.divert('deaf')
    expect(diversion.refuses('stranger')).toBe(false)
  })

  it('accepts all minions again when it reaches the others', () => {
    diversion.divert('deaf')
    expect(diversion.refuses('web')).toBe(true)
    diversion.divert(undefined)
    expect(diversion.refuses('web')).toBe(false)
    expect(turnAway).toHaveBeenLastCalledWith(false)
  })
})
