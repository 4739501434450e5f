import { describe, expect, it } from 'vitest'
import { loadJson, statesSucceeded } from './mod.ts'

describe('results of states', () => {
  it.each([
    ['{"a": {"result": true}}', true],
    ['{"a": {"result": true}, "b": {"result": null}}', true],
    ['{"a": {"result": true}, "b": {"result": false}}', false],
    ['{}', false],
    ['["No matching sls found"]', false],
    ['{"web1": {"a": {"result": true}}}', true],
    ['{"web1": {"a": {"result": false}}}', false],
    ['{"web1": {}}', false],
    ['{"a": "no result"}', false],
  ])('%s are fine: %s', (json, expected) => {
    expect(statesSucceeded(loadJson(json))).toBe(expected)
  })

  it('inside a minion take other values for granted', () => {
    expect(statesSucceeded(loadJson('{"a": {"result": true}, "retcode": 0}'), true)).toBe(true)
  })
})
