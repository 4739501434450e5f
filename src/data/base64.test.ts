import { expect, test } from 'vitest'
import { decodeBase64 } from './base64.ts'

const text = (encoded: string): string => Buffer.from(decodeBase64(Buffer.from(encoded))).toString()

test.each([
  ['', ''],
  ['YWJj', 'abc'],
  ['YW Jj\n', 'abc'],
  ['YQ==', 'a'],
  ['YQ=-=', 'a'],
  ['YQ==YWJj', 'a'],
  ['=YWJj', 'abc'],
])('base64 %j is %j', (encoded, plain) => {
  expect(text(encoded)).toBe(plain)
})

test.each([
  ['YQ', 'Incorrect padding'],
  ['YQ=', 'Incorrect padding'],
  ['YWJjY', 'number of data characters (5) cannot be 1 more than a multiple of 4'],
])('base64 %j is refused: %s', (encoded, reason) => {
  expect(() => decodeBase64(Buffer.from(encoded))).toThrow(reason)
})
