// The data as Python's pprint lays it out; `output_indent` is the indent per level, negative for the usual one.
import { compare, numberOf, pformat } from '../data/mod.ts'
import type { Outputter } from './outputter.ts'

export const pprint: Outputter = (data, { opts }) => {
  const indent = opts.get('output_indent')
  return indent !== undefined && compare('>=', indent, 0) ? pformat(data, Math.trunc(numberOf(indent)!)) : pformat(data)
}
