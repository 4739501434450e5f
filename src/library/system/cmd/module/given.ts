// What a caller gave to a function of `cmd`.
import type { Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

/** By parameter; `options` are the keywords nobody declared. */
export type Given = Readonly<Record<string, Value | Map<string, Value>>>

export const optionsOf = (args: Given): ReadonlyMap<string, Value> =>
  (args['options'] as Map<string, Value> | undefined) ?? new Map()

/** A value that may have been left out. */
export function given(args: Given, name: string): Value {
  return (args[name] as Value | undefined) ?? optionsOf(args).get(name) ?? null
}

/** `~user` as Python expands it: without a user the environment decides. */
export async function homeOf(ctx: FunctionContext, user?: string): Promise<string> {
  if (user !== undefined) return (await ctx.host.user(user))?.home ?? `~${user}`
  const home = (await ctx.host.env()).get('HOME')
  return home ?? (await ctx.host.user((await ctx.host.identity()).uid))?.home ?? '~'
}
