// Salt's reading of switches that may come as text: numbers above zero and "true" in any case are true.
import { numberOf, textOf, truthy, type Value } from '../data/mod.ts'

export function isTrue(value: Value): boolean {
  const text = textOf(value)
  if (text === undefined) {
    const number = numberOf(value)
    return number === undefined ? truthy(value) : number > 0
  }
  const number = text.trim() === '' ? Number.NaN : Number(text.replaceAll('_', ''))
  return Number.isNaN(number) ? text.toLowerCase() === 'true' : number > 0
}
