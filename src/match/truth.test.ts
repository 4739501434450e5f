import { describe, expect, test } from 'vitest'
import { type Term, truthOf } from './truth.ts'

const read = (text: string): Term[] =>
  text.split(' ').map((word) => (word === 'T' ? true : word === 'F' ? false : word))

describe('the truth of a compound target', () => {
  test.each<[string, boolean | undefined]>([
    ['T', true],
    ['T and F', false],
    ['T or F and F', true],
    ['( T or F ) and F', false],
    ['not F and not F', true],
    ['T and ( F or ( not F ) )', true],
    ['( )', false],
    ['T T', undefined],
    ['( T', undefined],
    ['T )', undefined],
    ['not and T', undefined],
    ['T and', undefined],
    // Python calls the operand, if evaluation gets there
    ['T ( T )', undefined],
    ['T or T ( T )', true],
    ['F or T ( )', undefined],
  ])('%s', (expression, wanted) => {
    expect(truthOf(read(expression))).toBe(wanted)
  })

  test('is refused where nesting is deeper than Python reads', () => {
    const nested = (depth: number) => truthOf([...'('.repeat(depth), true, ...')'.repeat(depth)] as Term[])
    expect([nested(199), nested(200), nested(100_000)]).toEqual([true, undefined, undefined])
  })

  test('of nothing at all is an error', () => {
    expect(truthOf([])).toBeUndefined()
  })
})
