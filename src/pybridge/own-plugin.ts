// One plugin of users' own for the function that hosts its family.
import type { FunctionContext, OwnPlugin } from '../sdk/mod.ts'
import { functionScope } from './function-modules.ts'
import { userPlugins } from './plugins.ts'

export async function ownPlugin(
  ctx: FunctionContext,
  family: 'sdb' | 'queues' | 'returners',
  name: string,
): Promise<OwnPlugin | undefined> {
  const scope = functionScope(ctx)
  const plugin = (await userPlugins(scope, family)).get(name)
  return plugin && { has: plugin.has, call: (fun, args, kwargs) => plugin.call(scope, fun, args, kwargs) }
}
