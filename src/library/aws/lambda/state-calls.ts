// Calls of the module boto_lambda by its states.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { asking } from '../common/state-calls.ts'

export const ask = asking('boto_lambda')

/** The changes of a state: old values, and new ones. */
export interface Difference {
  old: Dict
  new: Dict
}

/** Return the differences between wanted and present values, compared as texts; undefined if there are none. */
export function difference(present: Dict, wanted: Record<string, Value>): Difference | undefined {
  const other = Object.entries(wanted).filter(([name, value]) => str(present.get(name) ?? null) !== str(value))
  if (other.length === 0) return undefined
  return {
    old: new Map(other.map(([name]): [Value, Value] => [name, present.get(name) ?? null])),
    new: new Map(other),
  }
}
