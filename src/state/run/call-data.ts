// Selects the arguments of a state function from its low chunk: the declared ones, and for a function with further
// keywords all others except the engine's own. Other arguments are an error before anything is done.
import { didYouMean, slipOf } from '../../base/mod.ts'
import { SaltError, str, typeError, type Value } from '../../data/mod.ts'
import { filledArguments, frameOf, type StateFunction } from '../../sdk/mod.ts'
import { INTERNAL_KEYWORDS } from '../compile/keywords.ts'
import type { LowChunk } from '../compile/types.ts'

export interface CallData {
  full: string
  declaration: StateFunction
  /** By parameter, in the original form. */
  given: Map<string, Value>
  /** Further keywords. */
  further: Map<string, Value>
  /** Whether a further keyword was no text, which Python refuses when it calls. */
  hasOddKeyword: boolean
}

export function callData(full: string, declaration: StateFunction, low: LowChunk): CallData {
  const data: CallData = { full, declaration, given: new Map(), further: new Map(), hasOddKeyword: false }
  const { defaults, rest, open } = frameOf(declaration)
  low.forEach((value, key) => {
    const name = typeof key === 'string' ? key : str(key)
    if (name === key && Object.hasOwn(defaults, name) && name !== rest && name !== open) data.given.set(name, value)
    else if (!INTERNAL_KEYWORDS.has(name)) data.further.set(name, value)
    if (name !== key) data.hasOddKeyword = true
  })
  if (open === undefined && data.further.size > 0)
    throw unexpected([...data.further.keys()], full, Object.keys(declaration.args))
  return data
}

function unexpected(names: string[], full: string, known: string[]): UnknownKeyword {
  const quoted = names.map((name) => `'${name}'`)
  const last = quoted.pop()!
  const text =
    quoted.length === 0
      ? `${last} is an invalid keyword argument for '${full}'`
      : `${quoted.join(', ')} and ${last} are invalid keyword arguments for '${full}'`
  return new UnknownKeyword(text, names[0]!, didYouMean(names[0]!, known))
}

/** An argument that the function does not take. */
export class UnknownKeyword extends SaltError {
  readonly keyword: string

  constructor(message: string, keyword: string, hint: string | undefined) {
    super('SaltInvocationError', message, { hint })
    this.keyword = keyword
  }
}

/** Return keywords that the function ignores, each with a similar parameter. */
export function slips({ declaration, given, further }: CallData): Array<[written: string, meant: string]> {
  if (further.size === 0 || !Object.values(declaration.args).some(({ ignored }) => ignored)) return []
  const others = Object.keys(declaration.args).filter((name) => !given.has(name))
  return [...further.keys()].flatMap((name) => {
    const meant = slipOf(name, others)
    return meant === undefined ? [] : [[name, meant] as [string, string]]
  })
}

/** Return the arguments in the declared types. */
export function boundArguments({
  declaration,
  given,
  further,
  full,
  hasOddKeyword,
}: CallData): Record<string, unknown> {
  if (hasOddKeyword) throw typeError('keywords must be strings')
  const name = declaration.calledAs ?? full.slice(full.indexOf('.') + 1)
  return filledArguments(declaration, { named: given, rest: [], further }, name)
}
