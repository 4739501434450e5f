// One link of a chain as data: its kind, its file and line, its result, and its consequences.
import { type Dict, isDict, isList, str, type Value } from '../../../../data/mod.ts'

export interface LinkFields {
  /** Number of the event or reaction, or job id. */
  number?: Value
  /** File and line of its definition. */
  place?: Value
  time?: Value
  state?: Value
  /** Reason why the chain ends here. */
  error?: Value
  /** Further data. */
  detail?: Value
}

export function link(kind: string, what: string, fields: LinkFields = {}, next: Dict[] = []): Dict {
  const made = new Map<Value, Value>([['link', kind]]).set('what', what)
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null && value !== '') made.set(name, value)
  }
  return next.length > 0 ? made.set('next', next) : made
}

export const dictOf = (value: Value | undefined): Dict => (value !== undefined && isDict(value) ? value : new Map())
export const listOf = (value: Value | undefined): Value[] => (value !== undefined && isList(value) ? value : [])
export const textOr = (value: Value | undefined, fallback = ''): string =>
  value === undefined || value === null ? fallback : str(value)

/** Return the last line that is not empty. */
export const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
