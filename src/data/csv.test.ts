import { describe, expect, test } from 'vitest'
import { parseCsv } from './csv.ts'

describe('csv', () => {
  test.each<[string, string[][]]>([
    ['', []],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\n\nb\n', [['a'], [], ['b']]],
    [
      'a,,c\n,\n',
      [
        ['a', '', 'c'],
        ['', ''],
      ],
    ],
    ['"x,y","say ""hi""","two\nlines"', [['x,y', 'say "hi"', 'two\nlines']]],
    ['a,\r\nb', [['a', ''], ['b']]],
    ['"{""a b"",c}",t', [['{"a b",c}', 't']]],
  ])('records of %j', (text, records) => {
    expect(parseCsv(text)).toEqual(records)
  })
})
