import { expect, test } from 'vitest'
import { BrineError } from './errors.ts'
import { hasCode, isA, isAnyError, recover } from './recover.ts'

class Refused extends BrineError<'Refused'> {}
const refuse = (): never => {
  throw new Refused('Refused', 'no')
}

test('a value stands for an expected error', () => {
  expect(recover(refuse, isA(Refused), 'otherwise')).toBe('otherwise')
  expect(recover(refuse, hasCode('ENOENT', 'Refused'), null)).toBeNull()
  expect(recover(refuse, isAnyError, 0)).toBe(0)
  expect(recover(() => 'value', isAnyError, 'otherwise')).toBe('value')
})

test('a value stands for an expected rejection', async () => {
  const reject = async (): Promise<string> => refuse()
  expect(await recover(reject, isA(Refused), 'otherwise')).toBe('otherwise')
  expect(await recover(async () => 'value', isAnyError, 'otherwise')).toBe('value')
})

test('other errors go on', async () => {
  expect(() => recover(refuse, isA(TypeError), 'otherwise')).toThrow('no')
  expect(() => recover(refuse, hasCode('ENOENT'), 'otherwise')).toThrow('no')
  await expect(recover(async () => refuse(), hasCode('ENOENT'), 'otherwise')).rejects.toThrow('no')
})
