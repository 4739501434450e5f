import { expect, test } from 'vitest'
import { openLevels } from './levels.ts'

const nested = (width: number, depth: number): unknown =>
  depth === 0 ? 1 : Array.from({ length: width }, () => nested(width, depth - 1))

test.each([
  ['a text', 'text', 3, 3],
  ['a small value', { deep: { er: { est: 1 } } }, 3, 3],
  ['a long list', nested(100_000, 1), 3, 3],
  ['lists in a list', nested(100, 2), 2, 1],
  ['lists in lists in a list', nested(40, 3), 3, 2],
  ['no level', nested(100, 2), 0, 0],
])('of %s as many levels are open at first as a page bears', (_name, value, wished, levels) => {
  expect(openLevels(value, wished)).toBe(levels)
})
