import { describe, expect, it } from 'vitest'
import { repr } from '../repr.ts'
import { type Dict, OrderedDict, tuple, type Value } from '../value.ts'
import { AggregateList, AggregateMap, aggregate } from './aggregate.ts'
import { type MergeOptions, merge } from './merge.ts'
import { update } from './update.ts'

const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))

const left = (): Dict => dict({ a: 1, l: [1, 2], d: dict({ x: 1, y: 'y' }) })
const right = (): Dict => dict({ a: 2, l: [2, 3, 3], d: dict({ x: 9 }), n: null })

describe('update', () => {
  it('changes the destination and shares what it takes', () => {
    const dest = left()
    const upd = right()
    expect(update(dest, upd)).toBe(dest)
    expect(dest.get('l')).toBe(upd.get('l'))
    expect(repr(dest)).toBe("{'a': 2, 'l': [2, 3, 3], 'd': {'x': 9, 'y': 'y'}, 'n': None}")
  })

  it('completes lists with what they lack when asked', () => {
    expect(repr(update(left(), right(), { mergeLists: true }).get('l')!)).toBe('[1, 2, 3, 3]')
    const long = Array.from({ length: 20 }, (_, i) => `item${i}`)
    const merged = update(dict({ l: long }), dict({ l: ['item3', 'new', 7] }), { mergeLists: true })
    expect(merged.get('l')).toEqual([...long, 'new', 7])
  })

  it('replaces whole values when it is not recursive', () => {
    expect(repr(update(left(), right(), { recursive: false }).get('d')!)).toBe("{'x': 9}")
  })

  it('leaves tuples whole and finds keys by equality', () => {
    const dest: Dict = new Map<Value, Value>([[1, tuple([1])]])
    expect(repr(update(dest, new Map<Value, Value>([[true, [2]]]), { mergeLists: true }))).toBe('{1: [2]}')
  })

  it.each<[Value, Value]>([
    [[], new Map()],
    [new Map(), null],
  ])('refuses %j and %j', (dest, upd) => {
    expect(() => update(dest, upd)).toThrow('Cannot update using non-dict types in dictupdate.update()')
  })

  it('refuses a mapping over a list when it is strict', () => {
    const upd = dict({ l: new OrderedDict([['k', 1]]) })
    expect(() => update(left(), upd, { mergeLists: true, strict: true })).toThrow(
      "With merge_lists=True we cannot update list under key='l' with mapping containing keys " +
        "val.keys()=odict_keys(['k']) in dictupdate.update()",
    )
  })
})

describe('merge', () => {
  it.each<[MergeOptions, string]>([
    [{}, "{'a': 2, 'l': [2, 3, 3], 'd': {'x': 9, 'y': 'y'}, 'n': None}"],
    [{ strategy: 'recurse', mergeLists: true }, "{'a': 2, 'l': [1, 2, 3, 3], 'd': {'x': 9, 'y': 'y'}, 'n': None}"],
    [{ strategy: 'none', mergeLists: true }, "{'a': 2, 'l': [2, 3, 3], 'd': {'x': 9, 'y': 'y'}, 'n': None}"],
    [{ strategy: 'overwrite' }, "{'a': 2, 'l': [2, 3, 3], 'd': {'x': 9}, 'n': None}"],
    [{ strategy: 'list' }, "{'a': [1, 2], 'l': [[1, 2], [2, 3, 3]], 'd': [{'x': 1, 'y': 'y'}, {'x': 9}]}"],
  ])('with %j gives %s', (options, expected) => {
    expect(repr(merge(left(), right(), options))).toBe(expected)
  })

  it('leaves its first argument alone, but for overwrite', () => {
    const a = left()
    merge(a, right())
    expect(repr(a)).toBe(repr(left()))
    merge(a, right(), { strategy: 'overwrite' })
    expect(a.get('a')).toBe(2)
  })

  it.each([['jinja|yamlex'], ['yamlex_x']])('means aggregate by smart after the renderer %s', (renderer) => {
    const merged = merge(left(), right(), { renderer })
    expect(merged).toBeInstanceOf(AggregateMap)
    expect([...(merged as Dict).keys()]).toEqual(['a', 'l', 'd', 'n'])
    expect(repr((merged as Dict).get('d')!)).toBe("{'x': 9}")
  })

  it('warns about a strategy it does not know and falls back to recurse', () => {
    const warnings: string[] = []
    merge(left(), right(), { strategy: 'clever', warn: (message) => warnings.push(message) })
    expect(warnings).toEqual(["Unknown merging strategy 'clever', fallback to recurse"])
  })
})

describe('aggregate', () => {
  it('joins marked values and keeps the later of others', () => {
    const a = new AggregateMap([
      ['l', AggregateList.of(1, 2)],
      ['m', new Map([['x', 1]])],
    ])
    const b = new AggregateMap([
      ['l', AggregateList.of(2, 3)],
      ['m', new Map([['y', 1]])],
    ])
    const merged = aggregate(a, b) as Dict
    expect(merged.get('l')).toEqual(AggregateList.of(1, 2, 3))
    expect(merged.get('m')).toEqual(new Map([['y', 1]]))
  })

  it('marks the given number of levels', () => {
    expect(aggregate('first', 'second', true)).toEqual(AggregateList.of('first', 'second'))
    expect(aggregate([1], tuple([1, 2]), 1)).toEqual(AggregateList.of(1, 2))
    expect(aggregate(1, 2)).toBe(2)
  })
})
