// Binds the arguments of a call to parameters like Python, with Python's errors.
import { type PyError, typeError } from './errors.ts'
import type { Value } from './value.ts'

export interface Signature {
  /** The name that error texts show. */
  name: string
  /** The implicit first parameter, such as `self`: Python counts it in messages, callers never pass it. */
  implicit?: string | undefined
  positional: readonly string[]
  /** How many positional parameters have no default; these come first. */
  required: number
  keywordOnly: readonly string[]
  requiredKeywords: readonly string[]
  /** `*args`, `**kwargs`. */
  rest: boolean
  open: boolean
}

/** The values of the parameters in declaration order; undefined for omitted ones. */
export interface MatchedArguments {
  positional: Array<Value | undefined>
  keywordOnly: Array<Value | undefined>
  rest: readonly Value[]
  further: Map<string, Value>
}

export interface BoundArguments {
  /** By parameter name; omitted parameters are absent. */
  named: Map<string, Value>
  rest: readonly Value[]
  further: Map<string, Value>
}

const NONE: readonly Value[] = []

/** Checks in CPython's order: keywords first, then too many, then too few. */
export function matchArguments(
  signature: Signature,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): MatchedArguments {
  const { name, keywordOnly, required, requiredKeywords } = signature
  const most = signature.positional.length
  const matched: MatchedArguments = {
    positional: firstOf(args, most),
    keywordOnly: firstOf(NONE, keywordOnly.length),
    rest: args.length > most ? args.slice(most) : NONE,
    further: new Map(),
  }
  let keywordsOnly = 0
  for (const [key, value] of kwargs) {
    const at = signature.positional.indexOf(key)
    const only = at < 0 ? keywordOnly.indexOf(key) : -1
    if (key === signature.implicit || (at >= 0 && at < args.length)) {
      throw typeError(`${name}() got multiple values for argument '${key}'`)
    }
    if (at >= 0) matched.positional[at] = value
    else if (only >= 0) {
      matched.keywordOnly[only] = value
      keywordsOnly++
    } else if (signature.open) matched.further.set(key, value)
    else throw typeError(`${name}() got an unexpected keyword argument '${key}'`)
  }
  if (args.length > most && !signature.rest) throw tooMany(signature, args.length, keywordsOnly)
  const missing = absent(signature.positional, matched.positional, required)
  if (missing.length > 0) throw missingArguments(name, 'positional', missing)
  if (requiredKeywords.length === 0) return matched
  const missingKeywords = absent(keywordOnly, matched.keywordOnly, keywordOnly.length)
  const needed = missingKeywords.filter((keyword) => requiredKeywords.includes(keyword))
  if (needed.length > 0) throw missingArguments(name, 'keyword-only', needed)
  return matched
}

/** Return this many values, with undefined for missing ones. */
function firstOf(args: readonly Value[], count: number): Array<Value | undefined> {
  const values = new Array<Value | undefined>(count)
  for (let i = 0; i < count; i++) values[i] = args[i]
  return values
}

/** The same by name. */
export function bindArguments(
  signature: Signature,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): BoundArguments {
  const { positional, keywordOnly, rest, further } = matchArguments(signature, args, kwargs)
  const named = new Map<string, Value>()
  addGiven(named, signature.positional, positional)
  addGiven(named, signature.keywordOnly, keywordOnly)
  return { named, rest, further }
}

function addGiven(
  named: Map<string, Value>,
  parameters: readonly string[],
  values: ReadonlyArray<Value | undefined>,
): void {
  for (let i = 0; i < parameters.length; i++) {
    const value = values[i]
    if (value !== undefined) named.set(parameters[i]!, value)
  }
}

/** Return the names of the first `count` parameters without a value. */
function absent(parameters: readonly string[], values: ReadonlyArray<Value | undefined>, count: number): string[] {
  const names: string[] = []
  for (let i = 0; i < count; i++) if (values[i] === undefined) names.push(parameters[i]!)
  return names
}

const plural = (count: number): string => (count === 1 ? '' : 's')

function tooMany(signature: Signature, positionalGiven: number, keywordsOnly: number): PyError {
  const implicit = signature.implicit === undefined ? 0 : 1
  const given = positionalGiven + implicit
  const least = signature.required + implicit
  const most = signature.positional.length + implicit
  const range = least === most ? `${most}` : `from ${least} to ${most}`
  const noun = `positional argument${least === most ? plural(most) : 's'}`
  const also = keywordsOnly
    ? ` positional argument${plural(given)} (and ${keywordsOnly} keyword-only argument${plural(keywordsOnly)})`
    : ''
  const verb = given === 1 && !keywordsOnly ? 'was' : 'were'
  return typeError(`${signature.name}() takes ${range} ${noun} but ${given}${also} ${verb} given`)
}

function missingArguments(name: string, kind: 'positional' | 'keyword-only', names: readonly string[]): PyError {
  const quoted = names.map((parameter) => `'${parameter}'`)
  const last = quoted.pop()!
  const before = quoted.length > 1 ? `${quoted.join(', ')}, and ` : quoted.length === 1 ? `${quoted[0]} and ` : ''
  return typeError(
    `${name}() missing ${names.length} required ${kind} argument${plural(names.length)}: ${before}${last}`,
  )
}
