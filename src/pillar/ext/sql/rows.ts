// Rows of a database as pillar data: the first columns are keys, one within the other, and the rest values. How many columns are
// keys, and where several values become a list, is said beside each query, in the words of Salt.
import { contains, type Dict, isDict, isList, loadJson, textOf, truthy, update, type Value } from '../../../data/mod.ts'

/** The result of a query. */
export interface Table {
  fields: string[]
  rows: Value[][]
}

/** A query, below which key its data goes, and how its rows are read. */
export interface Query {
  root: string | undefined
  query: string
  depth: number
  as_list: boolean
  as_json: boolean
  with_lists: number[]
  ignore_null: boolean
}

function columnsOf(value: Value): number[] {
  if (typeof value === 'string') return value.split(',').map(Number)
  return isList(value) ? value.map(Number) : []
}

/** Return the queries of a configuration: those without a name, then the named ones sorted by name. */
export function queriesOf(unnamed: readonly Value[], named: ReadonlyMap<string, Value>): Query[] {
  const all: Array<[string | undefined, Value]> = unnamed.map((each) => [undefined, each])
  all.push(...[...named].sort(([one], [other]) => (one < other ? -1 : 1)))
  return all.flatMap(([root, given]) => {
    const [first = null, second = 0] = isList(given) ? given : [given]
    const wish: Dict = isDict(given) ? given : new Map([['query', first]]).set('depth', second)
    const query = textOf(wish.get('query') ?? null) ?? ''
    if (query === '') return []
    const flag = (name: string): boolean => truthy(wish.get(name) ?? false)
    return {
      root,
      query,
      depth: Number(wish.get('depth') ?? 0),
      as_list: flag('as_list'),
      as_json: flag('as_json'),
      with_lists: columnsOf(wish.get('with_lists') ?? null),
      ignore_null: flag('ignore_null'),
    }
  })
}

const has = (dict: Dict, key: Value): boolean => dict.has(key)

/** Puts the rows of one query into a dict. */
class Rows {
  private readonly how: Query
  private readonly fields: readonly string[]
  private readonly depth: number
  /** Dicts that become lists of their values after the last row. */
  private readonly lists = new Map<Dict, Value[]>()

  constructor(how: Query, fields: readonly string[]) {
    this.how = how
    this.fields = fields
    const most = fields.length - 1
    this.depth = how.depth === 0 || how.depth >= fields.length ? most : how.depth
  }

  put(focus: Dict, row: readonly Value[]): void {
    if (this.how.as_json && this.fields.length === 1) {
      update(focus, dictOf(row[0]!), { mergeLists: this.how.as_list })
      return
    }
    let dict = focus
    for (let column = 0; column < this.depth - 1; column++) {
      this.note(dict, row[column]!, column + 1)
      dict = this.below(dict, row[column]!)
    }
    if (this.depth === this.fields.length - 1) this.putValue(dict, row)
    else this.putFields(dict, row)
  }

  /** Convert inner dicts first, so that outer lists contain lists. */
  finish(): void {
    for (const [dict, keys] of [...this.lists].reverse()) {
      for (const key of keys) {
        const value = dict.get(key)!
        if (isDict(value)) dict.set(key, [...value.values()])
        else if (isList(value)) dict.set(key, [value])
      }
    }
  }

  private note(dict: Dict, key: Value, column: number): void {
    if (!this.how.with_lists.includes(column)) return
    const keys = this.lists.get(dict) ?? []
    if (!contains(keys, key)) keys.push(key)
    this.lists.set(dict, keys)
  }

  /** Return the dict under a key; it replaces or extends the existing value. */
  private below(dict: Dict, key: Value): Dict {
    const there = dict.get(key)
    if (there !== undefined && isDict(there)) return there
    const fresh: Dict = new Map()
    if (there !== undefined && isList(there)) there.push(fresh)
    else if (there !== undefined && this.how.as_list) dict.set(key, [there, fresh])
    else dict.set(key, fresh)
    return fresh
  }

  /** All columns but the last are keys. */
  private putValue(dict: Dict, row: readonly Value[]): void {
    const [key, value] = [row.at(this.fields.length - 2)!, row.at(-1)!]
    const there = dict.get(key)
    const isListed = this.how.with_lists.includes(this.fields.length - 1)
    if ((this.how.as_list && has(dict, key)) || isListed) {
      const list = there === undefined ? [] : isList(there) ? there : [there]
      list.push(value)
      dict.set(key, list)
    } else if (!this.how.ignore_null || value !== null) dict.set(key, value)
  }

  /** The columns that are no keys are named. */
  private putFields(dict: Dict, row: readonly Value[]): void {
    const key = row[this.depth - 1]!
    if (!has(dict, key)) dict.set(key, new Map())
    this.note(dict, key, this.depth)
    const inner = dict.get(key) as Dict
    for (let column = this.depth; column < this.fields.length; column++) {
      const [name, value] = [this.fields[column]!, row[column]!]
      this.note(inner, name, column + 1)
      const there = inner.get(name)
      if (this.how.as_list && there !== undefined) {
        if (isList(there)) there.push(value)
        else inner.set(name, [there, value])
      } else if (!this.how.ignore_null || value !== null) inner.set(name, value)
    }
  }
}

/** A column of JSON may come as text. */
function dictOf(value: Value): Value {
  return typeof value === 'string' ? loadJson(value) : value
}

/** Merge the result of a query into the data of earlier queries. */
export function addRows(result: Dict, query: Query, { fields, rows }: Table): void {
  let focus = result
  if (query.root) {
    focus = new Map()
    result.set(query.root, focus)
  }
  const tree = new Rows(query, fields)
  for (const row of rows) tree.put(focus, row)
  tree.finish()
}

/** A query as drivers of Python fill it in: `%s` is the value, `%%` a percent sign. */
export function filledIn(query: string, literal: string): string {
  return query
    .trim()
    .replace(/;+$/, '')
    .replace(/%([s%])/g, (_, sign: string) => (sign === 's' ? literal : '%'))
}
