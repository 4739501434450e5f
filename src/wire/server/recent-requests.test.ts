import { describe, expect, it } from 'vitest'
import { RecentRequests } from './recent-requests.ts'

describe('recent requests', () => {
  it.each([null, true, false])('are carried out once when the answer is %s', async (answer) => {
    const recent = new RecentRequests(60)
    let runs = 0
    const run = (): unknown => {
      runs++
      return answer
    }
    expect([recent.once('a', run), recent.once('a', run)]).toEqual([answer, answer])
    expect(await Promise.all([0, 1].map(() => recent.once('b', async () => run())))).toEqual([answer, answer])
    expect(await recent.once('b', async () => run())).toBe(answer)
    expect(runs).toBe(2)
  })

  it('are carried out again when they read something, or failed', async () => {
    const recent = new RecentRequests(60)
    expect([recent.once('a', () => 'x'), recent.once('a', () => 'y')]).toEqual(['x', 'y'])
    expect(await Promise.all(['x', 'y'].map((text) => recent.once('b', async () => text)))).toEqual(['x', 'y'])
    expect(() =>
      recent.once('c', () => {
        throw new Error('broken')
      }),
    ).toThrow('broken')
    await expect(recent.once('d', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect([recent.once('c', () => true), recent.once('d', () => true)]).toEqual([true, true])
  })

  it('are forgotten when there are too many, or too old', () => {
    const few = new RecentRequests(60, 2)
    for (const name of ['a', 'b', 'c']) few.once(name, () => true)
    expect([few.once('a', () => false), few.once('c', () => false)]).toEqual([false, true])
    const brief = new RecentRequests(0)
    brief.once('a', () => true)
    expect(brief.once('a', () => false)).toBe(false)
  })

  it('are remembered up to their number, however many come', () => {
    const recent = new RecentRequests(60, 100)
    for (let at = 0; at < 1000; at++) recent.once(`request ${at}`, () => true)
    const known = Array.from({ length: 1000 }, (_, at) => recent.once(`request ${at}`, () => 'not known') === true)
    expect(known.slice(-100).every(Boolean)).toBe(true)
    expect(known.slice(0, 800).some(Boolean)).toBe(false)
  })

  it('that act get the same short answer again, and an empty one in place of a long one', () => {
    const recent = new RecentRequests(60)
    const short = new Map([['jid', '20260101000000000001']])
    recent.once('a', () => short, true)
    recent.once('b', () => ['x'.repeat(600)], true)
    const again = (): never => {
      throw new Error('ran again')
    }
    expect([recent.once('a', again, true), recent.once('b', again, true)]).toEqual([short, new Map()])
  })

  it('are forgotten when they take too much memory', () => {
    const recent = new RecentRequests(60)
    const large = (name: string): string => name.repeat(9 << 20)
    for (const name of ['a', 'b', 'c', 'd']) recent.once(large(name), () => true)
    expect([recent.once(large('d'), () => false), recent.once(large('a'), () => false)]).toEqual([true, false])
  })
})
