// One link of a chain, as data: what it is, where it is written, how it went, and what came of it.
import { type Dict, isDict, isList, str, type Value } from '../../../../data/mod.ts'

export interface LinkFields {
  /** Its number: of an event, a reaction, a job. */
  number?: Value
  /** The file and line it is written in. */
  place?: Value
  time?: Value
  state?: Value
  /** Why it ended here. */
  error?: Value
  /** Data that belongs to it. */
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

/** The last line that says something. */
export const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
