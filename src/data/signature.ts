// How Python matches the arguments of a call with a function's parameters, and what it says when they do not fit.
import { type PyError, typeError } from './errors.ts'
import type { Value } from './value.ts'

export interface Signature {
  /** The name that error texts show. */
  name: string
  positional: readonly string[]
  /** How many of the positional parameters have no default; they come first. */
  required: number
  keywordOnly: readonly string[]
  requiredKeywords: readonly string[]
  /** `*args`, `**kwargs`. */
  rest: boolean
  open: boolean
}

export interface BoundArguments {
  /** By parameter name; a parameter that was left out is absent. */
  named: Map<string, Value>
  rest: Value[]
  further: Map<string, Value>
}

/** Checks in CPython's order: keywords first, then too many, then too few. */
export function bindArguments(
  signature: Signature,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): BoundArguments {
  const { name, positional, required, keywordOnly, requiredKeywords } = signature
  const bound: BoundArguments = { named: new Map(), rest: args.slice(positional.length), further: new Map() }
  const given = Math.min(args.length, positional.length)
  for (let i = 0; i < given; i++) bound.named.set(positional[i]!, args[i]!)
  let keywordsOnly = 0
  for (const [key, value] of kwargs) {
    if (keywordOnly.includes(key)) keywordsOnly++
    else if (!positional.includes(key)) {
      if (!signature.open) throw typeError(`${name}() got an unexpected keyword argument '${key}'`)
      bound.further.set(key, value)
      continue
    } else if (bound.named.has(key)) throw typeError(`${name}() got multiple values for argument '${key}'`)
    bound.named.set(key, value)
  }
  if (bound.rest.length > 0 && !signature.rest) throw tooMany(signature, args.length, keywordsOnly)
  const absent = (parameter: string): boolean => !bound.named.has(parameter)
  const missing = positional.slice(0, required).filter(absent)
  if (missing.length > 0) throw missingArguments(name, 'positional', missing)
  const missingKeywords = requiredKeywords.filter(absent)
  if (missingKeywords.length > 0) throw missingArguments(name, 'keyword-only', missingKeywords)
  return bound
}

const plural = (count: number): string => (count === 1 ? '' : 's')

function tooMany({ name, positional, required }: Signature, given: number, keywordsOnly: number): PyError {
  const most = positional.length
  const range = required === most ? `${most}` : `from ${required} to ${most}`
  const noun = `positional argument${required === most ? plural(most) : 's'}`
  const also = keywordsOnly
    ? ` positional argument${plural(given)} (and ${keywordsOnly} keyword-only argument${plural(keywordsOnly)})`
    : ''
  const verb = given === 1 && !keywordsOnly ? 'was' : 'were'
  return typeError(`${name}() takes ${range} ${noun} but ${given}${also} ${verb} given`)
}

function missingArguments(name: string, kind: 'positional' | 'keyword-only', names: readonly string[]): PyError {
  const quoted = names.map((parameter) => `'${parameter}'`)
  const last = quoted.pop()!
  const before = quoted.length > 1 ? `${quoted.join(', ')}, and ` : quoted.length === 1 ? `${quoted[0]} and ` : ''
  return typeError(
    `${name}() missing ${names.length} required ${kind} argument${plural(names.length)}: ${before}${last}`,
  )
}
