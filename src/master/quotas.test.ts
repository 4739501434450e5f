import { expect, it } from 'vitest'
import { type Dict, fromPlain, Packed, type Value } from '../data/mod.ts'
import { Quotas, sizeOf } from './quotas.ts'

function quotas(options: Record<string, Value> = {}): { own: Quotas; lines: string[] } {
  const lines: string[] = []
  return {
    own: new Quotas(new Map(Object.entries(options)), (level, text) => void lines.push(`${level}: ${text}`)),
    lines,
  }
}

it('counts the memory size of values, not their size in a message', () => {
  const empty: Value[] = Array.from({ length: 1000 }, () => new Map())
  expect(sizeOf(empty)).toBeGreaterThan(100_000)
  expect(sizeOf(fromPlain({ a: 'x'.repeat(1000) }))).toBeLessThan(2000)
})

it('refuses a mine, grains and resources beyond their limits, with one line a minute', () => {
  const { own, lines } = quotas({ minion_mine_max_size: 1, minion_grains_max_size: 1, minion_resources_max: 3 })
  const large = fromPlain({ text: 'x'.repeat(2 << 20) }) as Dict
  const small = fromPlain({ text: 'x' }) as Dict
  expect([own.allowsMine('web1', small), own.allowsMine('web1', large), own.allowsMine('web1', large)]).toEqual([
    true,
    false,
    false,
  ])
  expect([own.allowsGrains('web1', small), own.allowsGrains('web1', large)]).toEqual([true, false])
  const resources = (ids: string[]): Dict => fromPlain({ resources: { switch: ids } }) as Dict
  expect(own.allowsResources('web1', resources(['a', 'b', 'c']))).toBe(true)
  expect(own.allowsResources('web1', resources(['a', 'b', 'c', 'd']))).toBe(false)
  expect(lines.map((line) => line.replace(/\d+ bytes/g, 'N bytes'))).toEqual([
    'warning: Refused what minion web1 sent: The mine would have N bytes, 1048576 are allowed (minion_mine_max_size)',
    'warning: Refused what minion web1 sent: Its grains would have N bytes, 1048576 are allowed (minion_grains_max_size)',
    'warning: Refused what minion web1 sent: it has 4 resources, 3 are allowed (minion_resources_max)',
  ])
})

it('keeps the necessary fields of a return that is too large', () => {
  const { own } = quotas({ minion_return_max_size: 1 })
  const packed = new Packed(new Uint8Array(2 << 20), () => null, 1)
  const load = new Map<Value, Value>([
    ['id', 'web1'],
    ['jid', '20300101000000000001'],
    ['retcode', 0],
    ['return', packed],
  ])
  const fitted = own.fitted(load)
  expect(fitted.get('return')).toBe('The return has 2097152 bytes, 1048576 are allowed (minion_return_max_size)')
  expect([fitted.get('retcode'), fitted.get('success')]).toEqual([1, false])
  const usual = new Map<Value, Value>([['return', [1, 2]]])
  expect(own.fitted(usual).get('return')).toEqual([1, 2])
})

it('drops the events of a minion that fires too many, and of no other', () => {
  const { own, lines } = quotas({ minion_events_per_second: 1 })
  expect(Array.from({ length: 30 }, () => own.allowsEvents('web1', 1)).filter(Boolean)).toHaveLength(10)
  expect(own.allowsEvents('web2', 10)).toBe(true)
  expect(own.allowsEvents('web2', 11)).toBe(false)
  expect(lines).toHaveLength(2)
})

it('bounds the keys that wait, counting those that others file too', () => {
  const { own, lines } = quotas({ max_pending_minions: 5 })
  let there = 3
  const file = (): boolean => {
    const isAllowed = own.allowsPending(() => there)
    if (isAllowed) there++
    return isAllowed
  }
  expect([file(), file(), file(), file()]).toEqual([true, true, false, false])
  expect(lines).toEqual(['warning: More than 5 keys wait or were rejected: new ones are refused (max_pending_minions)'])
})

it('refuses sign-ins of an address with too many failures, and no others', () => {
  const { own, lines } = quotas({ failed_auth_per_second: 1 })
  const attempt = (host: string, isAccepted = false): boolean => {
    const isAllowed = own.signIn.begin(host)
    if (isAccepted) own.signIn.accepted(host)
    return isAllowed
  }
  expect(Array.from({ length: 100 }, () => attempt('192.0.2.7', true)).every(Boolean)).toBe(true)
  expect(Array.from({ length: 30 }, () => attempt('192.0.2.7')).filter(Boolean)).toHaveLength(20)
  expect(attempt('192.0.2.8')).toBe(true)
  expect(lines).toHaveLength(1)
})
