// Differences between a JSON answer and the recorded one, path by path, for debugging.
import { matchesJson } from './compare.ts'
import type { Placeholders } from './placeholders.ts'
import type { Json } from './scenario.ts'

export function* jsonDifferences(
  expected: Json,
  actual: Json | undefined,
  known: Placeholders,
  path = '',
): Generator<string> {
  if (known.attempt(() => matchesJson(expected, actual, known))) return
  const [wanted, given] = [fieldsOf(expected), fieldsOf(actual)]
  if (!wanted || !given) {
    yield `${path}: ${JSON.stringify(actual) ?? 'nothing'}, not ${JSON.stringify(expected)}`
    return
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (name in given) yield* jsonDifferences(value, given[name], known, `${path}/${name}`)
    else yield `${path}/${name}: missing, ${JSON.stringify(value)}`
  }
  for (const name of Object.keys(given)) {
    if (!(name in wanted)) yield `${path}/${name}: too much, ${JSON.stringify(given[name])}`
  }
}

function fieldsOf(value: Json | undefined): Record<string, Json> | undefined {
  if (value === null || typeof value !== 'object') return undefined
  return Array.isArray(value) ? Object.fromEntries(value.entries()) : value
}
