import { describe, expect, it } from 'vitest'
import { type Dict, SaltError, type Value } from '../../data/mod.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { makeIfelse } from './ifelse.ts'

const asked: Value[][] = []
const ifelse = makeIfelse((kind, target, minionId) => {
  asked.push([kind, target, minionId])
  return target === 'web*' || target === '*'
})

const call = (args: Value[], kwargs: Record<string, Value> = {}): unknown =>
  ifelse.invoke({} as Runtime, args, new Map(Object.entries(kwargs)))

describe('ifelse', () => {
  it('gives the value of the first target that matches, else the default', () => {
    expect(call(['db*', 'D', 'web*', 'W', 'x'])).toBe('W')
    expect(call(['db*', 'D', 'x'])).toBe('x')
    expect(call([false, 'F', true, 'T', 'x'])).toBe('T')
  })

  it('asks for the kind of target and the minion it was given', () => {
    asked.length = 0
    call(['a', 1, 2], { tgt_type: 'grain', minion_id: 'm1' })
    expect(asked).toEqual([['grain', 'a', 'm1']])
  })

  it('merges into the value that it found', () => {
    const merge: Dict = new Map([['m', 1]])
    expect(call(['web*', new Map([['p', 2]]), 0], { merge })).toEqual(
      new Map([
        ['p', 2],
        ['m', 1],
      ]),
    )
    expect(call(['web*', null, 0], { merge })).toBe(merge)
    expect(() => call(['web*', 'W', 0], { merge: 'text' })).toThrow(SaltError)
  })
})
