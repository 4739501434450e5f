// Checks arguments of users, and refuses invalid ones before any work begins.
import { type Dict, failure, isDict, isNumeric, numberOf, str, type Value } from '../../../data/mod.ts'

export function givenNumber(name: string, value: Value): number {
  const text = str(value).trim()
  const number = isNumeric(value) && typeof value !== 'boolean' ? numberOf(value) : undefined
  if (number !== undefined) return number
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  throw failure(`${name}='${text}' is no number`)
}

/** Return the data of an event; empty by default. */
export function givenData(value: Value): Dict {
  if (value === null || value === '') return new Map()
  if (isDict(value)) return value
  throw failure(`data='${str(value)}' is no mapping such as '{"id": "web1"}'`)
}

/** Refuse an event number beyond the last event. */
export function assertCame(name: string, number: number, last: number): void {
  if (number <= last + 1) return
  throw failure(`${name}='${number}': there is no such event yet, the last one is ${last} (salt-run event.journal)`)
}
