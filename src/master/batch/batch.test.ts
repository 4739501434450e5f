import { describe, expect, it } from 'vitest'
import { type Dict, encodeMsgpack, type Value } from '../../data/mod.ts'
import { Batch, type BatchNews, type BatchPlan } from './batch.ts'
import { batchEvent } from './telling.ts'

const plan = (more: Partial<BatchPlan> = {}): BatchPlan => ({
  jid: '20260101000000000000',
  fun: 'test.ping',
  arg: [],
  kwargs: new Map(),
  tgt: '*',
  tgtType: 'glob',
  ret: '',
  user: 'root',
  size: 2,
  wait: 0,
  failhard: false,
  timeout: 5,
  gatherJobTimeout: 10,
  driver: 'cli',
  isForBelow: false,
  ...more,
})

const answered = (id: string, retcode = 0) => ({
  returned: new Map<string, Dict>([[id, new Map<Value, Value>([['retcode', retcode]])]]),
})

/** Process news, then return the minions to start. */
function advance(batch: Batch, news: BatchNews, now: number): string[] {
  batch.take(news, now)
  return batch.next(now)
}

describe('a batch', () => {
  it('keeps its size until no minion waits any more', () => {
    const batch = new Batch(plan(), ['a', 'b', 'c'], 0)
    expect(advance(batch, {}, 0)).toEqual(['a', 'b'])
    expect(advance(batch, answered('b'), 1)).toEqual(['c'])
    expect(advance(batch, { lost: ['a'] }, 2)).toEqual([])
    expect(batch.isOver).toBe(false)
    advance(batch, answered('c'), 3)
    expect([batch.isOver, [...batch.done.keys()], [...batch.failed.keys()]]).toEqual([true, ['b', 'c'], ['a']])
  })

  it('holds small returns, and of many or large ones only which minions returned', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `web${index}`)
    const batch = new Batch(plan({ size: 50 }), ids, 0)
    advance(batch, {}, 0)
    const sizes = ids.map((id) => {
      const data: Dict = new Map<Value, Value>([['ret', 'x'.repeat(2000)]]).set('retcode', 0)
      advance(batch, { returned: new Map([[id, data]]) }, 1)
      return encodeMsgpack(batch.describe(), 'bus').length
    })
    expect(Math.max(...sizes)).toBeLessThan(25_000)
    expect([...batch.done.keys()]).toEqual(ids)
    expect([batch.done.get('web0'), batch.done.get('web49')]).toEqual([
      new Map([['retcode', 0]]),
      new Map([['retcode', 0]]),
    ])
  })

  it('holds of a long return code its number only', () => {
    const batch = new Batch(plan(), ['a'], 0)
    advance(batch, {}, 0)
    const retcode: Value = Array.from({ length: 200_000 }, (_, at) => at % 7)
    batch.take({ returned: new Map([['a', new Map<Value, Value>([['ret', true]]).set('retcode', retcode)]]) }, 1)
    expect(batch.done.get('a')).toEqual(new Map([['retcode', 6]]))
  })

  it('leaves a place empty for as long as it is to wait', () => {
    const batch = new Batch(plan({ size: 1, wait: 10 }), ['a', 'b'], 0)
    advance(batch, {}, 0)
    expect(advance(batch, answered('a'), 1)).toEqual([])
    expect(batch.nextWait).toBe(11)
    expect(advance(batch, {}, 11)).toEqual(['b'])
  })

  it('ends with the first failure when it is to', () => {
    const batch = new Batch(plan({ size: 1, failhard: true }), ['a', 'b'], 0)
    advance(batch, {}, 0)
    expect(advance(batch, answered('a', 3), 1)).toEqual([])
    expect([batch.isOver, batch.haltedBecause]).toEqual([true, 'failhard'])
  })

  it('goes on from its description', () => {
    const batch = new Batch(plan(), ['a', 'b', 'c', 'd'], 0)
    advance(batch, {}, 0)
    advance(batch, answered('a'), 1)
    const revived = Batch.revive(batch.describe())
    expect(revived.describe()).toEqual(batch.describe())
    expect(advance(revived, answered('b'), 2)).toEqual(['d'])
  })

  it('of many minions adds as much to the journal for each, however many they are', () => {
    const bytesForEach = (count: number): number => {
      const ids = Array.from({ length: count }, (_, index) => `web${index}`)
      const batch = new Batch(plan({ size: 50, tgt: ids, tgtType: 'list' }), ids, 0)
      return encodeMsgpack(batchEvent(batch, 'progress', 1), 'bus').length
    }
    expect(bytesForEach(1000)).toBeLessThan(bytesForEach(500) * 1.1)
    expect(bytesForEach(1000)).toBeLessThan(1000)
  })
})
