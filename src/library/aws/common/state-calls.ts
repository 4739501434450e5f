// Calls of a module by its states: answers are dicts, which have `error` where AWS refuses.
import { type Dict, isDict, str, type Value } from '../../../data/mod.ts'
import type { StateContext } from '../../../sdk/mod.ts'
import { type AwsLogin, loginOf } from './login.ts'

/** Return a function that calls a module by name. An answer that is no dict counts as an empty one. */
export const asking =
  (module: string) =>
  async (ctx: StateContext, fun: string, login: AwsLogin, given: Record<string, Value>): Promise<Dict> => {
    const answer: Value = (await ctx.call(`${module}.${fun}`, [], { ...given, ...loginOf(login) })) as Value
    return isDict(answer) ? answer : new Map()
  }

/** Return the message of an error in an answer. */
export function errorOf(answer: Dict): string {
  const error = answer.get('error') ?? null
  return isDict(error) ? str(error.get('message') ?? '') : str(error)
}

/** Return whether the error in an answer is one of AWS with that code. The newer library of Amazon has codes in messages only. */
export const hasCode = (answer: Dict, code: string): boolean => errorOf(answer).includes(`(${code})`)
