import { expect, test } from 'vitest'
import { BrineError } from './errors.ts'
import { hasCode, isA, isAnyError, recover } from './recover.ts'

class Refused extends BrineError<'Refused'> {}
const refuse = (): never => {
  throw new Refused('Refused', 'no')
}

test('returns the given value for an expected error', () => {
  expect(recover(isA(Refused), 'otherwise', refuse)).toBe('otherwise')
  expect(recover(hasCode('ENOENT', 'Refused'), null, refuse)).toBeNull()
  expect(recover(isAnyError, 0, refuse)).toBe(0)
  expect(recover(isAnyError, 'otherwise', () => 'value')).toBe('value')
})

test('returns the given value for an expected rejection', async () => {
  const reject = async (): Promise<string> => refuse()
  expect(await recover(isA(Refused), 'otherwise', reject)).toBe('otherwise')
  expect(await recover(isAnyError, 'otherwise', async () => 'value')).toBe('value')
})

test('other errors go on', async () => {
  expect(() => recover(isA(TypeError), 'otherwise', refuse)).toThrow('no')
  expect(() => recover(hasCode('ENOENT'), 'otherwise', refuse)).toThrow('no')
  await expect(recover(hasCode('ENOENT'), 'otherwise', async () => refuse())).rejects.toThrow('no')
})
