import { describe, expect, it } from 'vitest'
import { TurnQueue, Turns } from './turns.ts'

function drained(queue: TurnQueue<string>): string[] {
  const items: string[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item)
  return items
}

describe('queue of turns', () => {
  it('takes items of one key in their order', () => {
    const queue = new TurnQueue<string>()
    for (const item of ['a1', 'a2', 'a3']) queue.push(['a'], item)
    expect(drained(queue)).toEqual(['a1', 'a2', 'a3'])
    expect(queue.size).toBe(0)
  })

  it('gives every key its turn, however many items one has', () => {
    const queue = new TurnQueue<string>()
    for (let at = 0; at < 4; at++) queue.push(['a'], `a${at}`)
    queue.push(['b'], 'b0')
    queue.push(['c'], 'c0')
    expect(drained(queue)).toEqual(['a0', 'b0', 'c0', 'a1', 'a2', 'a3'])
  })

  it('gives the keys of each level their turns', () => {
    const queue = new TurnQueue<string>()
    for (const user of ['joe', 'joe', 'ann']) queue.push(['host1', user], `host1 ${user}`)
    queue.push(['host2', 'joe'], 'host2 joe')
    expect(drained(queue)).toEqual(['host1 joe', 'host2 joe', 'host1 ann', 'host1 joe'])
  })

  it('drops the newest item of the largest key', () => {
    const queue = new TurnQueue<string>()
    queue.push(['a', 'x'], 'a1')
    queue.push(['b', 'x'], 'b1')
    queue.push(['b', 'y'], 'b2')
    queue.push(['b', 'y'], 'b3')
    expect([queue.dropNewest(), queue.dropNewest(), queue.size]).toEqual(['b3', 'b1', 2])
    expect(drained(queue)).toEqual(['a1', 'b2'])
    expect(queue.dropNewest()).toBeUndefined()
  })
})

describe('turns', () => {
  /** Tasks that end when the test ends them. */
  function tasks(): { begun: string[]; ends: Array<() => void>; task(name: string): () => Promise<string> } {
    const begun: string[] = []
    const ends: Array<() => void> = []
    const task = (name: string) => (): Promise<string> => {
      begun.push(name)
      return new Promise((done) => ends.push(() => done(name)))
    }
    return { begun, ends, task }
  }
  const refuse = (): string => 'refused'

  it('do a bounded amount of work at the same time', async () => {
    const { begun, ends, task } = tasks()
    const turns = new Turns({ atOnce: 2, mostWaiting: 10 })
    const results = ['a', 'b', 'c'].map((name) => turns.run(['host'], task(name), refuse))
    expect(begun).toEqual(['a', 'b'])
    ends[1]!()
    expect(await results[1]).toBe('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const end of ends) end()
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c'])
  })

  it('refuse work of the key that waits with most', async () => {
    const { begun, ends, task } = tasks()
    const turns = new Turns({ atOnce: 1, mostWaiting: 2 })
    const flood = [0, 1, 2].map((at) => turns.run(['flood'], task(`f${at}`), refuse))
    const other = turns.run(['other'], task('other'), refuse)
    expect(await flood[2]).toBe('refused')
    ends[0]!()
    await flood[0]
    ends[1]!()
    await flood[1]
    ends[2]!()
    expect(await other).toBe('other')
    expect(begun).toEqual(['f0', 'f1', 'other'])
  })

  it('go on after work that fails', async () => {
    const turns = new Turns({ atOnce: 1, mostWaiting: 2 })
    const broken = (): never => {
      throw new Error('broken')
    }
    await expect(turns.run(['a'], broken, refuse)).rejects.toThrow('broken')
    expect(await turns.run(['a'], () => 'done', refuse)).toBe('done')
  })
})
