import { expect, it } from 'vitest'
import { firstOf, fits, ranked } from './rank.ts'

it('finds titles by letters in their order', () => {
  expect(['Users and rights', 'Reactor', 'Runs'].filter((title) => fits(title, 'rs'))).toEqual([
    'Users and rights',
    'Runs',
  ])
  expect(fits('Keys', '')).toBe(true)
})

it('puts the best first', () => {
  const titles = ['cluster keys', 'keyring', 'monkey', 'k1-e2-y3', 'key'].map((title) => ({ title }))
  expect(ranked(titles, 'Key').map(({ title }) => title)).toEqual([
    'key',
    'keyring',
    'cluster keys',
    'monkey',
    'k1-e2-y3',
  ])
})

it('keeps the first of each name', () => {
  expect(firstOf(['web1', 'web2', 'db1'], (id) => id.slice(0, 2))).toEqual(['web1', 'db1'])
})
