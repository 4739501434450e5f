import { describe, expect, test } from 'vitest'
import { type Dict, dumpJson } from '../../data/mod.ts'
import { load } from '../../yaml/mod.ts'
import { mergeDict } from './stack-merge.ts'

const merged = (stack: string, document: string): string =>
  dumpJson(mergeDict(load(stack) as Dict, load(document) as Dict))

describe('a pillar stack', () => {
  test.each([
    ['{a: 1, d: {x: 1}}', '{d: {y: 2}, b: 2}', '{"a": 1, "d": {"x": 1, "y": 2}, "b": 2}'],
    ['{d: {x: 1}}', '{d: {__: overwrite, y: 2}}', '{"d": {"y": 2}}'],
    ['{d: {x: 1, y: 1}}', '{d: {__: remove, y: 0}}', '{"d": {"x": 1}}'],
    ['{d: {x: 1}}', '{d: {__: merge-first, x: 2, y: 2}}', '{"d": {"x": 1, "y": 2}}'],
    ['{l: [1, 2]}', '{l: [2]}', '{"l": [1, 2, 2]}'],
    ['{l: [1, 2]}', '{l: [{__: remove}, 2]}', '{"l": [1]}'],
    ['{l: [1]}', '{l: [{__: merge-first}, 2]}', '{"l": [2, 1]}'],
    ['{a: 1}', '{a: true}', '{"a": true}'],
  ])('%s with %s is %s', (stack, document, result) => {
    expect(merged(stack, document)).toBe(result)
  })

  test('refuses a strategy it does not know', () => {
    expect(() => merged('{}', '{__: sideways}')).toThrow('Unknown strategy "sideways"')
  })
})
