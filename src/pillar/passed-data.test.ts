import { expect, test } from 'vitest'
import { type Dict, fromPlain, toPlain } from '../data/mod.ts'
import { passedToExtPillars } from './passed-data.ts'

const options = (plain: Parameters<typeof fromPlain>[0]): Dict => fromPlain(plain) as Dict

test('options and parts of options are passed on, and stay as they are', () => {
  const opts = options({ pass_to_ext_pillars: ['a', 'b:c', 'a:x'], a: { x: [1], y: 2 }, b: { c: 3, d: 4 } })
  expect(toPlain(passedToExtPillars(opts))).toEqual({ a: { x: [1], y: 2 }, b: { c: 3 } })
  expect(toPlain(opts.get('a')!)).toEqual({ x: [1], y: 2 })
})

test('a value that is no list is refused', () => {
  expect(() => passedToExtPillars(options({ pass_to_ext_pillars: 'a' }))).toThrow(
    "'pass_to_ext_pillars' config is malformed.",
  )
})
