import { expect, test } from 'vitest'
import { oneLine } from './one-line.ts'

test('oneLine() returns a text of one line', () => {
  expect(oneLine('A name', 'web 1\tä')).toBe('web 1\tä')
})

test.each(['a\nb', 'a\r', '\0', '\x1b[2J', '\x85'])('oneLine() refuses %j without showing it', (text) => {
  expect(() => oneLine('A name', text)).toThrow('A name cannot hold line ends or other control characters')
})
