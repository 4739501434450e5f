import { expect, it } from 'vitest'
import { PyRandom } from './random.ts'

const digits = () => Array.from({ length: 10 }, (_, i) => i)

it('PyRandom follows CPython from an int seed', () => {
  const random = new PyRandom(42)
  expect(random.random()).toBe(0.6394267984578837)
  expect(random.getrandbits(70)).toBe(327273841618135227089n)
  expect(random.randint(1n, 100n)).toBe(32n)
  expect(random.choice(digits())).toBe(3)
})

it('PyRandom follows CPython from a text seed', () => {
  const random = new PyRandom('web01')
  const shuffled = digits()
  random.shuffle(shuffled)
  expect(shuffled).toEqual([3, 2, 8, 4, 7, 9, 1, 0, 6, 5])
  expect(random.sample(digits(), 4)).toEqual([0, 9, 6, 1])
  expect(
    random.sample(
      Array.from({ length: 500 }, (_, i) => i),
      7,
    ),
  ).toEqual([466, 61, 62, 49, 310, 5, 468])
})
