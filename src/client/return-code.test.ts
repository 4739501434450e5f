import { expect, test } from 'vitest'
import { Float, type Value } from '../data/mod.ts'
import { returnCode } from './return-code.ts'

test.each<[string, Value | undefined, number]>([
  ['a number', 3, 3],
  ['none', undefined, 0],
  ['nothing', null, 0],
  ['a truth', true, 1],
  ['a float', new Float(2), 2],
  ['a text of digits', '4', 4],
  ['another text', 'bad', 0],
  [
    'those of several functions',
    new Map([
      ['test.ping', 0],
      ['cmd.run', 5],
    ]),
    5,
  ],
  ['those of several functions in order', [0, 7, 2], 7],
  ['those of no function', new Map(), 0],
  ['more codes than a call has arguments', Array.from({ length: 200_000 }, () => 3), 3],
])('The return code of a return with %s', (_what, retcode, expected) => {
  expect(returnCode(retcode === undefined ? new Map() : new Map([['retcode', retcode]]))).toBe(expected)
})
