import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Value } from '../data/mod.ts'
import { MineService } from './mine-service.ts'

/** Return the mine of a master on which every target matches these minions. */
function service(mines: Readonly<Record<string, Dict>>, meant: readonly string[]): MineService {
  const bank = { fetch: (id: string): Value | undefined => mines[id] }
  const parts = { opts: new Map(), cache: { bank: () => bank } }
  const targets = { exact: async () => [...meant] }
  return new MineService(parts as never, targets as never, {} as never)
}

const numbered = (word: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${word}${n}`)

test('The mine does not look for each of many functions on each of many minions', async () => {
  let looks = 0
  class Watched extends Map<Value, Value> {
    override get(key: Value): Value | undefined {
      looks++
      return super.get(key)
    }
    override has(key: Value): boolean {
      looks++
      return super.has(key)
    }
  }
  const minions = numbered('minion', 1000)
  const mines = Object.fromEntries(minions.map((id, n): [string, Dict] => [id, new Watched([[`f${n}`, n]])]))
  const load = fromPlain({ fun: numbered('f', 1000), tgt: '*', id: 'asking' }) as Dict
  const found = await service(mines, minions).get(load)
  expect([found.size, found.get('f7')]).toEqual([1000, new Map([['minion7', 7]])])
  expect(looks).toBeLessThan(10_000)
})

test('The mine answers one function without its name, and the same function only once', async () => {
  const mines = { web1: fromPlain({ f: 1 }) as Dict }
  expect(await service(mines, ['web1']).get(fromPlain({ fun: 'f', tgt: '*', id: 'a' }) as Dict)).toEqual(
    new Map([['web1', 1]]),
  )
  expect(await service(mines, ['web1']).get(fromPlain({ fun: ['f', 'f'], tgt: '*', id: 'a' }) as Dict)).toEqual(
    new Map([['f', new Map([['web1', 1]])]]),
  )
})
