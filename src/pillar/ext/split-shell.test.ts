import { describe, expect, test } from 'vitest'
import { splitShell } from './split-shell.ts'

describe('a command line', () => {
  test.each([
    ['echo a  b', ['echo', 'a', 'b']],
    [`echo '{"a": 1}' x"y z"`, ['echo', '{"a": 1}', 'xy z']],
    [String.raw`a\ b "c\"d" 'e\f' ''`, ['a b', 'c"d', String.raw`e\f`, '']],
    ['', []],
  ])('%s', (line, words) => {
    expect(splitShell(line)).toEqual(words)
  })

  test('that is not complete is refused', () => {
    expect(() => splitShell("echo 'x")).toThrow('No closing quotation')
    expect(() => splitShell('echo \\')).toThrow('No escaped character')
  })
})
