import { expect, test } from 'vitest'
import { isQuestion } from './become.ts'

test('a password prompt is the end of the output', () => {
  expect(isQuestion('[sudo] password for joe: ')).toBe(true)
  expect(isQuestion('Password: \nhello')).toBe(false)
})

test('a line of a target without an end is judged by its last words', () => {
  // looked at as a whole, it takes minutes
  expect(isQuestion('assword'.repeat(150_000))).toBe(false)
})
