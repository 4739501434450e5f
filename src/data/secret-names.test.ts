import { expect, test } from 'vitest'
import { isCredential, isProof, isSecretHeader } from './secret-texts.ts'

test.each([
  ['password', true, true],
  ['sharedsecret', true, true],
  ['token', true, true],
  ['key', false, true],
  ['user', false, false],
])('%s: a credential of a call %s, of a request %s', (name, ofCall, ofRequest) => {
  expect([isCredential(name), isProof(name)]).toEqual([ofCall, ofRequest])
})

test.each([
  ['Authorization', true],
  ['X-Api-Key', true],
  ['Set-Cookie', true],
  ['Accept', false],
])('the header %s holds a credential: %s', (name, isSecret) => {
  expect(isSecretHeader(name)).toBe(isSecret)
})
