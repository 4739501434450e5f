// Calls of the module boto_vpc by its states.
import { type Dict, isDict, str, type Value } from '../../../data/mod.ts'
import type { StateContext } from '../../../sdk/mod.ts'
import { type AwsLogin, loginOf } from '../common/login.ts'

export interface Named extends AwsLogin {
  name: string
}

export async function ask(
  ctx: StateContext,
  fun: string,
  login: AwsLogin,
  given: Record<string, Value>,
): Promise<Dict> {
  const answer: Value = (await ctx.call(`boto_vpc.${fun}`, [], { ...given, ...loginOf(login) })) as Value
  return isDict(answer) ? answer : new Map()
}

/** Return the message of an error in an answer. */
export function errorOf(answer: Dict): string {
  const error = answer.get('error') ?? null
  return isDict(error) ? str(error.get('message') ?? '') : str(error)
}
