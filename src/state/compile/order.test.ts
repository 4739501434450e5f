import { describe, expect, test } from 'vitest'
import { silentLog } from '../../base/mod.ts'
import { type Dict, repr, str, type Value } from '../../data/mod.ts'
import { renderYaml } from '../../yaml/mod.ts'
import { orderLow } from './compile-low.ts'
import { Places } from './places.ts'

const ctx = {
  opts: new Map<Value, Value>(),
  states: { has: (name: string) => name === 'test.mod_watch' || name === 'pkg.mod_aggregate' },
  places: new Places(),
  log: silentLog,
  aggregate: false,
}

/** Chunks written briefly: `a: {require: [{test: b}]}`. */
function chunks(text: string): Dict[] {
  return Array.from(renderYaml(text) as Dict, ([id, args], index) => {
    const base: Array<[Value, Value]> = [
      ['state', 'test'],
      ['name', id],
      ['__sls__', 't'],
      ['__id__', id],
      ['order', 10000 + index],
      ['fun', 'nop'],
    ]
    return new Map<Value, Value>([...base, ...((args as Dict) ?? [])])
  })
}

const ordered = (text: string) => orderLow(chunks(text), ctx)
const names = (text: string): string =>
  ordered(text)
    .chunks.map((chunk) => str(chunk.get('__id__')!))
    .join(' ')

describe('the order of chunks', () => {
  test.each<[string, string, string]>([
    ['is the order they are written in', 'a: {}\nb: {}\nc: {}', 'a b c'],
    ['puts what is required first', 'a: {require: [{test: c}]}\nb: {}\nc: {}', 'c a b'],
    ['takes an ID alone', 'a: {watch: [b]}\nb: {}', 'b a'],
    ['takes globs', "a: {require: [{test: 'x*'}]}\nx1: {}\nb: {}\nx2: {}", 'x1 x2 a b'],
    ['takes whole SLS files', 'a: {__sls__: u, require: [{sls: t}]}\nb: {}\nc: {}', 'b c a'],
    ['knows first and last', 'a: {order: last}\nb: {}\nc: {order: first}', 'c b a'],
    ['counts negative numbers from the end', 'a: {order: -1}\nb: {order: -2}\nc: {}', 'c b a'],
    ['tries a state before what waits on it with prereq', 'a: {}\nb: {prereq: [{test: a}]}', 'a b a'],
  ])('%s', (_name, text, wanted) => {
    expect(names(text)).toBe(wanted)
  })

  test('numbers the names of one ID behind each other', () => {
    const [first] = ordered('a: {name_order: 3}').chunks
    expect(first?.get('order')).toBe(10000.0003)
  })

  test.each<[string, string]>([
    [
      'a: {require: [{test: zz}]}',
      'Referenced state does not exist for requisite [require: (test: zz)] in state [a] in SLS [t]',
    ],
    ['a: {require: [{test: 3}]}', 'Requisite [require: test] in state [a] in SLS [t] must have a string as the value'],
    [
      'a: {require: [b]}\nb: {require: [a]}',
      "Recursive requisites were found: ({'SLS': 't', 'ID': 'b'}, 'require', {'SLS': 't', 'ID': 'a'}), ({'SLS': 't', 'ID': 'a'}, 'require', {'SLS': 't', 'ID': 'b'})",
    ],
  ])('refuses %j', (text, error) => {
    expect(ordered(text).errors.map(({ text }) => text)).toEqual([error])
  })

  test('turns watch into require for a module that cannot watch', () => {
    const [, low] = ordered('b: {}\na: {state: file, watch: [{test: b}]}').chunks
    expect([low?.has('watch'), repr(low?.get('require') ?? null)]).toEqual([false, "[OrderedDict([('test', 'b')])]"])
  })

  test('lets states of one module that do not wait on each other run as one', () => {
    const { dependencies, chunks: low } = orderLow(
      chunks('a: {state: pkg}\nb: {state: pkg}\nc: {state: pkg, require: [{pkg: a}]}'),
      { ...ctx, aggregate: true },
    )
    const joined = (chunk: Dict) => dependencies.aggregateOf(chunk).map((each) => each.get('__id__'))
    expect(low.map(joined)).toEqual([['a', 'b'], ['a', 'b'], []])
  })

  test('follows a chain of any length', () => {
    const many = (count: number): Dict[] =>
      chunks(Array.from({ length: count }, (_, i) => `s${i}: {require: [${i === 0 ? '' : `s${i - 1}`}]}`).join('\n'))
    const { chunks: low, errors } = orderLow(many(5000), ctx)
    expect([low.length, errors]).toEqual([5000, []])
  })
})
