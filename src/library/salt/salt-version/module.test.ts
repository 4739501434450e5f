import { expect, test } from 'vitest'
import { tryFunction } from '../../../sdk/mod.ts'
import saltVersion from './module.ts'

const ask = (name: string, release: string | number) => tryFunction(saltVersion, name, { args: [release] })

test.each([
  ['Oxygen', '2018.3', false, false, true],
  ['neon', '3000', false, false, true],
  ['Sodium', '3001', false, false, true],
  ['ARGON', '3008', true, false, false],
  ['Potassium', '3009', false, true, false],
  ['oganesson', '3108', false, true, false],
  ['Fluorine', '2019.2', false, false, true],
  ['nosuch', null, false, false, false],
])('salt_version knows %s as %j', async (release, number, isEqual, isLess, isGreater) => {
  expect(await ask('get_release_number', release)).toBe(number)
  expect(await ask('equal', release)).toBe(isEqual)
  expect(await ask('less_than', release)).toBe(isLess)
  expect(await ask('greater_than', release)).toBe(isGreater)
})

test('salt_version takes only text for a name', async () => {
  await expect(ask('equal', 3)).rejects.toThrow("'name' argument must be a string")
})
