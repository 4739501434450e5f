// The `strftime` filter, also called `date_format`: seconds, a datetime, a date as text, or None for now.
import { castDate, type PyDatetime, PyError, textOf, typeError, typeName, type Value } from '../../data/mod.ts'
import { type NativeFunction, type NativeTable, native } from '../../jinja/mod.ts'
import { readDateText } from './date-text.ts'
import type { FilterHost } from './host.ts'

function dateOf(host: FilterHost, value: Value): PyDatetime {
  try {
    return castDate(value, host.now())
  } catch (error) {
    const text = textOf(value)
    const read = text !== undefined && error instanceof PyError ? readDateText(text, host.now()) : undefined
    if (read === undefined) throw error
    return read
  }
}

function format(date: PyDatetime, pattern: Value): string {
  const text = textOf(pattern)
  if (text === undefined) {
    throw typeError(`strftime() argument 1 must be str, not ${pattern === null ? 'None' : typeName(pattern)}`)
  }
  return date.strftime(text)
}

export function dateFilters(host: FilterHost): NativeTable {
  const filter: NativeFunction = native('strftime', ['date?', 'format?'], (_rt, date = null, pattern = '%Y-%m-%d') =>
    format(dateOf(host, date), pattern),
  )
  return { strftime: filter, date_format: filter }
}
