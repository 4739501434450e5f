import { describe, expect, test } from 'vitest'
import type { Case, Json, Outcome, RecordedError } from './area.ts'
import { judge } from './judge.ts'
import { canonicalText, decodeTyped } from './typed-json.ts'

const value = (json: Json): Outcome => ({ expect: decodeTyped(json) })
const expecting = (expect: Json): Case => ({ name: 'x', expect })
const failing = (error: RecordedError): Case => ({ name: 'x', error })

describe('judging values', () => {
  test.each<[string, Json, Json, boolean]>([
    ['equal maps', { a: 1, b: 2 }, { a: 1, b: 2 }, true],
    ['another key order', { a: 1, b: 2 }, { b: 2, a: 1 }, false],
    ['int and float', 1, { $float: '1.0' }, false],
    ['int and bool', 1, true, false],
    ['list and tuple', [1], { $tuple: [1] }, false],
    ['sets in another order', { $set: [1, 'a'] }, { $set: ['a', 1] }, true],
    [
      'int-like text keys keep their order',
      {
        $map: [
          ['2', 1],
          ['1', 2],
        ],
      },
      {
        $map: [
          ['1', 2],
          ['2', 1],
        ],
      },
      false,
    ],
    ['text key and int key', { $map: [[1, 'x']] }, { $map: [['1', 'x']] }, false],
    ['NaN', { $float: 'nan' }, { $float: 'nan' }, true],
    ['a number past 2^53', { $int: '9007199254740993' }, { $int: '9007199254740992' }, false],
    ['bytes', { $bytes: 'AAE=' }, { $bytes: 'AAE=' }, true],
  ])('%s', (_name, wanted, got, right) => {
    expect(judge(expecting(wanted), value(got)) === undefined).toBe(right)
  })

  test('a permitted second outcome counts', () => {
    const testCase: Case = { name: 'x', expect: 'libyaml', pure: { expect: 'pure' } }
    expect(judge(testCase, value('pure'))).toBeUndefined()
    expect(judge(testCase, value('other'))).toContain('libyaml')
  })

  test('a value where a failure was recorded is wrong', () => {
    expect(judge(failing({ class: 'E' }), value('x'))).toContain('"expect":"x"')
  })
})

describe('judging errors', () => {
  const got = { error: { class: 'E', error: 'short', line: 3, message: 'long' } }
  test.each<[string, RecordedError, boolean]>([
    ['all fields equal', { class: 'E', error: 'short', line: 3, message: 'long' }, true],
    ['another class', { class: 'F', error: 'short', line: 3, message: 'long' }, false],
    ['another message', { class: 'E', error: 'short', line: 3, message: 'other' }, false],
    [
      'a message that carries a traceback',
      { class: 'E', error: 'short', line: 3, message: 'other', traceback: true },
      true,
    ],
    ['another line with a traceback', { class: 'E', error: 'short', line: 4, traceback: true }, false],
    ['a traceback without line', { class: 'X', error: 'y', traceback: true }, true],
    ['no line wanted', { class: 'E', line: null }, false],
    ['fields that were not recorded', { class: 'E' }, true],
  ])('%s', (_name, wanted, right) => {
    expect(judge(failing(wanted), got) === undefined).toBe(right)
  })
})

describe('typed JSON', () => {
  test.each<Json>([
    null,
    'text',
    [1, [2]],
    { a: { $float: '1.0' }, b: { $float: '-inf' } },
    {
      $map: [
        [{ $tuple: [1, 'x'] }, null],
        ['$a', 1],
      ],
    },
    { $int: '-12345678901234567890' },
    { $date: '2024-02-29' },
    { $datetime: '2024-02-29T12:34:56' },
    { $datetime: '2024-02-29T12:34:56.000700-05:30' },
    { $datetime: '2024-02-29T12:34:56+00:00' },
  ])('%j survives decoding and encoding', (json) => {
    expect(canonicalText(decodeTyped(json))).toBe(JSON.stringify(json))
  })

  test('a plain number with a fraction is refused', () => {
    expect(() => decodeTyped(1.5)).toThrow(/small integer/)
  })
})
