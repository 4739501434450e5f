import { expect, test } from 'vitest'
import { type Dict, dumpJson, fromPlain, type Plain, type Value } from '../../../data/mod.ts'
import { addRows, filledIn, queriesOf } from './rows.ts'

const FIELDS = ['a', 'b', 'c', 'd']
const ROWS = [
  ['x', 'p', 's', 1],
  ['x', 'p', 't', 2],
  ['x', 'q', 's', 3],
  ['y', 'p', 's', null],
  ['x', 'p', 's', 4],
]

function told(wish: Plain, fields: string[], rows: Plain[][]): string {
  const result: Dict = new Map()
  const [query] = queriesOf([fromPlain(wish)], new Map())
  addRows(result, query!, { fields, rows: rows.map((row) => fromPlain(row) as Value[]) })
  return dumpJson(result)
}

/** Salt's results for the rows above. */
test.each<[Plain, string]>([
  [{}, '{"x": {"p": {"s": 4, "t": 2}, "q": {"s": 3}}, "y": {"p": {"s": null}}}'],
  [{ depth: 1 }, '{"x": {"b": "p", "c": "s", "d": 4}, "y": {"b": "p", "c": "s", "d": null}}'],
  [{ depth: 2 }, '{"x": {"p": {"c": "s", "d": 4}, "q": {"c": "s", "d": 3}}, "y": {"p": {"c": "s", "d": null}}}'],
  [{ depth: 9 }, '{"x": {"p": {"s": 4, "t": 2}, "q": {"s": 3}}, "y": {"p": {"s": null}}}'],
  [{ as_list: true }, '{"x": {"p": {"s": [1, 4], "t": 2}, "q": {"s": 3}}, "y": {"p": {"s": null}}}'],
  [
    { as_list: true, depth: 2 },
    '{"x": {"p": {"c": ["s", "t", "s"], "d": [1, 2, 4]}, "q": {"c": "s", "d": 3}}, "y": {"p": {"c": "s", "d": null}}}',
  ],
  [{ with_lists: '1' }, '{"x": [{"s": 4, "t": 2}, {"s": 3}], "y": [{"s": null}]}'],
  [{ with_lists: [2] }, '{"x": {"p": [4, 2], "q": [3]}, "y": {"p": [null]}}'],
  [{ with_lists: '1,3' }, '{"x": [{"s": [1, 4], "t": [2]}, {"s": [3]}], "y": [{"s": [null]}]}'],
  [{ with_lists: '1,2,3' }, '{"x": [[[1, 4], [2]], [[3]]], "y": [[[null]]]}'],
  [{ depth: 2, with_lists: '2' }, '{"x": {"p": ["s", 4], "q": ["s", 3]}, "y": {"p": ["s", null]}}'],
  [{ depth: 1, with_lists: '1,2' }, '{"x": ["p", "s", 4], "y": ["p", "s", null]}'],
  [{ ignore_null: true }, '{"x": {"p": {"s": 4, "t": 2}, "q": {"s": 3}}, "y": {"p": {}}}'],
  [
    { ignore_null: true, depth: 2 },
    '{"x": {"p": {"c": "s", "d": 4}, "q": {"c": "s", "d": 3}}, "y": {"p": {"c": "s"}}}',
  ],
])('rows of a query with %j', (wish, shown) => {
  expect(told({ query: 'q', ...(wish as object) }, FIELDS, ROWS)).toBe(shown)
})

test.each<[Plain, string[], Plain[][], string]>([
  ['q', ['a'], [['x'], ['y']], '{"x": "x", "y": "y"}'],
  [
    'q',
    ['a', 'b'],
    [
      ['x', 1],
      ['x', 2],
    ],
    '{"x": 2}',
  ],
  [
    { query: 'q', as_list: true },
    ['a', 'b'],
    [
      ['x', 1],
      ['x', 2],
      ['y', 3],
    ],
    '{"x": [1, 2], "y": 3}',
  ],
  [
    { query: 'q', as_json: true },
    ['j'],
    [[{ a: { b: 1 }, l: [1] }], ['{"a": {"c": 2}, "l": [2]}']],
    '{"a": {"b": 1, "c": 2}, "l": [2]}',
  ],
  [['q', 1], ['a', 'b', 'c'], [['x', 'p', 1]], '{"x": {"b": "p", "c": 1}}'],
])('rows of %j with the columns %j', (wish, fields, rows, shown) => {
  expect(told(wish, fields, rows)).toBe(shown)
})

test('queries without a name come first, and those without text are left out', () => {
  const named = new Map<string, Value>([
    ['users', 'c'],
    ['groups', new Map([['query', 'b']])],
    ['none', new Map()],
  ])
  const queries = queriesOf(['a', ''], named)
  expect(queries.map(({ root, query }) => [root, query])).toEqual([
    [undefined, 'a'],
    ['groups', 'b'],
    ['users', 'c'],
  ])
})

test('the id stands where Python fills it in', () => {
  expect(filledIn("SELECT 1 WHERE id = %s OR n LIKE 'a%%';", "'web1'")).toBe(
    "SELECT 1 WHERE id = 'web1' OR n LIKE 'a%'",
  )
})
