// `collections.namedtuple`: a tuple with named items, such as the groups of Jinja's `groupby`.
import { Tuple, type Value } from './value.ts'

export class NamedTuple extends Tuple {
  /** The Python class and the names of the items; set by `namedTuple`, since array methods build arrays by length. */
  typeName = 'tuple'
  fields: readonly string[] = []

  /** Return the item of this name; undefined if it does not exist. */
  getAttr(name: string): Value | undefined {
    const at = this.fields.indexOf(name)
    return at < 0 ? undefined : this[at]
  }
}

export function namedTuple(typeName: string, fields: readonly string[], items: Iterable<Value>): NamedTuple {
  const result = new NamedTuple()
  for (const item of items) result.push(item)
  result.typeName = typeName
  result.fields = fields
  return result
}
