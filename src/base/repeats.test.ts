import { expect, test } from 'vitest'
import { Repeats } from './repeats.ts'

test('A repeated message is due at once and then at growing intervals', () => {
  let seconds = 0
  const repeats = new Repeats({ now: () => seconds * 1000, mostMs: 60_000 })
  const written: number[] = []
  for (; seconds <= 300; seconds += 10) if (repeats.due('web1')) written.push(seconds)
  expect(written).toEqual([0, 10, 30, 70, 130, 190, 250])
  expect([repeats.due('web2'), repeats.due('web2')]).toEqual([true, false])
  repeats.over('web1')
  expect(repeats.due('web1')).toBe(true)
})

test('Only so many keys are remembered', () => {
  const repeats = new Repeats({ now: () => 0, most: 2 })
  for (const key of ['a', 'b', 'c']) expect(repeats.due(key)).toBe(true)
  expect([repeats.due('c'), repeats.due('b'), repeats.due('a')]).toEqual([false, false, true])
})
