// Plugins of users' own for the functions that host their families.
import { returnerTable, sdbTable } from '../loader/mod.ts'
import { type FunctionContext, type OwnPlugin, SERIALIZER_NAMES } from '../sdk/mod.ts'
import { functionScope } from './function-modules.ts'
import { userPlugins } from './plugins.ts'

/** The names that need no real Salt. */
const BUILT_IN = {
  sdb: Object.keys(sdbTable),
  queues: ['sqlite'],
  returners: Object.keys(returnerTable),
  serializers: SERIALIZER_NAMES,
}

export async function ownPlugin(
  ctx: FunctionContext,
  family: keyof typeof BUILT_IN,
  name: string,
): Promise<OwnPlugin | undefined> {
  const scope = functionScope(ctx)
  const plugin = (await userPlugins(scope, family, [name], BUILT_IN[family])).get(name)
  return plugin && { has: plugin.has, call: (fun, args, kwargs) => plugin.call(scope, fun, args, kwargs) }
}

/** The functions of returners of users' own, `module.function`. */
export async function ownReturners(ctx: FunctionContext): Promise<string[]> {
  const plugins = await userPlugins(functionScope(ctx), 'returners')
  return [...plugins].flatMap(([name, plugin]) => plugin.functions.map((fun) => `${name}.${fun}`))
}
