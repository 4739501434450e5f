import { describe, expect, test } from 'vitest'
import { excerpt } from './excerpt.ts'

const MARK = '    <======================'
const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `l${i + 1}\n`).join('')

describe('an excerpt', () => {
  test.each<[string, number, string]>([
    ['one', 1, `---\none${MARK}\n---`],
    ['a\nb\n', 2, `---\na\nb${MARK}\n---`],
    [numbered(20), 10, `---\n[...]\nl5\nl6\nl7\nl8\nl9\nl10${MARK}\nl11\nl12\nl13\nl14\nl15\n[...]\n---`],
    [numbered(11), 6, `---\nl1\nl2\nl3\nl4\nl5\nl6${MARK}\nl7\nl8\nl9\nl10\nl11\n---`],
    ['a\r\nb\x0cc', 3, `---\na\nb\nc${MARK}\n---`],
  ])('of %j at line %i', (text, line, wanted) => {
    expect(excerpt(text, line)).toBe(wanted)
  })

  test('of a text that goes on is cut at its end', () => {
    expect(excerpt('a\nb\n', 2, { goesOn: true })).toBe(`---\na\nb${MARK}\n[...]\n---`)
  })

  test('past the last line is the whole text', () => {
    expect(excerpt('a\nb\n', 7)).toBe('a\nb\n')
  })
})
