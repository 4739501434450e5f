// `jmespath.search(expression, data)`; compiled expressions are kept, because templates ask the same in loops.
import { assertHashable } from '../dict.ts'
import { typeError, valueError } from '../errors.ts'
import { truthy } from '../protocol.ts'
import { textOf, typeName, type Value } from '../value.ts'
import type { Evaluate } from './evaluate.ts'
import { compile } from './parser.ts'

const MOST_CACHED = 128
const cache = new Map<string, Evaluate>()

function compiled(expression: string): Evaluate {
  const known = cache.get(expression)
  if (known !== undefined) return known
  const run = compile(expression)
  if (cache.size >= MOST_CACHED) cache.clear()
  cache.set(expression, run)
  return run
}

export function jmespathSearch(expression: Value, data: Value): Value {
  assertHashable(expression)
  if (!truthy(expression)) throw valueError('Invalid JMESPath expression: cannot be empty.')
  const text = textOf(expression)
  if (text === undefined) throw typeError(`'${typeName(expression)}' object is not iterable`)
  return compiled(text)(data)
}
