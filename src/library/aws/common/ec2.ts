// Parts of requests and answers that all of EC2 shares: filters, tags, names of machines and networks.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import type { Parameters } from './form.ts'

/** Return filters as parameters: each has a name and one or more values. */
export const filtersOf = (filters: Iterable<readonly [Value, Value | readonly string[]]>): Parameters => ({
  Filter: [...filters].map(([name, value]) => ({ Name: str(name), Value: textsOf(value) })),
})

const textsOf = (value: Value | readonly string[]): string[] =>
  Array.isArray(value)
    ? value.map((item) => str(item as Value))
    : [typeof value === 'boolean' ? String(value) : str(value as Value)]

/** Return filters for tags. */
export const tagFilters = (tags: Dict): [Value, Value][] =>
  [...tags].map(([name, value]) => [`tag:${str(name)}`, value])

/** Return tags as parameters. */
export const tagsOf = (tags: Dict): Parameters[] =>
  [...tags].map(([name, value]) => ({ Key: str(name), Value: value === null ? '' : str(value) }))

/** The token of further pages, in all lists of EC2. */
export const EC2_PAGES = { at: 'nextToken', into: 'NextToken' }
