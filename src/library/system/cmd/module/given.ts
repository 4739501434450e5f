// Arguments of a call of a `cmd` function.
import type { Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

/** Values by parameter; `options` has the undeclared keywords. */
export type Given = Readonly<Record<string, Value | Map<string, Value>>>

export const optionsOf = (args: Given): ReadonlyMap<string, Value> =>
  (args['options'] as Map<string, Value> | undefined) ?? new Map()

/** Return a value; null if it is not given. */
export function given(args: Given, name: string): Value {
  return (args[name] as Value | undefined) ?? optionsOf(args).get(name) ?? null
}

/** Expand `~user` as Python does: without a user the environment decides. */
export async function homeOf(ctx: FunctionContext, user?: string): Promise<string> {
  if (user !== undefined) return (await ctx.host.user(user))?.home ?? `~${user}`
  const home = (await ctx.host.env()).get('HOME')
  return home ?? (await ctx.host.user((await ctx.host.identity()).uid))?.home ?? '~'
}
