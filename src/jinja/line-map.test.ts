import { expect, test } from 'vitest'
import { LineMap } from './line-map.ts'

test('a line of the text came from the template line of its piece, plus the lines of the piece before it', () => {
  const map = new LineMap()
  const pieces: [line: number, text: string][] = [
    [1, 'a\nb\n'],
    [5, '  c\n\n\td'],
    [9, ''],
    [9, '\ne'],
    [20, ' f\n'],
    [21, '\n\n\n'],
    [40, 'g'],
  ]
  let text = ''
  for (const [line, part] of pieces) {
    map.add(text.length, line)
    text += part
  }
  const lines = text.split('\n').map((_, index) => map.lineOf(text, index + 1))
  expect(lines).toEqual([1, 2, 5, 6, 7, 10, 21, 22, 23, 40])
})

test('a line that the text does not have is taken for one of the template', () => {
  const map = new LineMap()
  map.add(0, 7)
  expect([0, 1, 2, 3, 4].map((line) => map.lineOf('a\nb\n', line))).toEqual([7, 7, 8, 9, 4])
})

test('each text has its own lines, and a map without pieces has line 1', () => {
  const map = new LineMap()
  expect(map.lineOf('a\nb', 2)).toBe(1)
  map.add(0, 3)
  expect([map.lineOf('a\nb', 2), map.lineOf('abc\n\nb', 3), map.lineOf('a\nb', 2)]).toEqual([4, 5, 4])
})
