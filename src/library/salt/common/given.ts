// What operators give by hand, or what is wrong with it: said at once, and not when it would matter.
import { type Dict, isDict, isNumeric, numberOf, SaltError, str, type Value } from '../../../data/mod.ts'

const refusal = (text: string): SaltError => new SaltError('CommandExecutionError', text)

export function givenNumber(name: string, value: Value): number {
  const text = str(value).trim()
  const number = isNumeric(value) && typeof value !== 'boolean' ? numberOf(value) : undefined
  if (number !== undefined) return number
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  throw refusal(`${name}='${text}' is no number`)
}

/** What an event says; nothing unless given. */
export function givenData(value: Value): Dict {
  if (value === null || value === '') return new Map()
  if (isDict(value)) return value
  throw refusal(`data='${str(value)}' is no mapping such as '{"id": "web1"}'`)
}

/** Numbers of events count up, so that one beyond the last is a slip. */
export function assertCame(name: string, number: number, last: number): void {
  if (number <= last + 1) return
  throw refusal(`${name}='${number}': there is no such event yet, the last one is ${last} (salt-run event.journal)`)
}
