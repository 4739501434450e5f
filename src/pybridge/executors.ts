// Users' own executors: files with a function `execute(opts, data, func, args, kwargs)`, which may call the function itself.
import type { Dict, Value } from '../data/mod.ts'
import { callPython, mayHaveModules } from '../python/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'
import { functionScope } from './function-modules.ts'
import { userPlugins } from './plugins.ts'

export interface ExecutedCall {
  fun: string
  args: readonly Value[]
  kwargs: ReadonlyMap<string, Value>
  /** The publication. */
  data: Dict
}

/** Return the executor with this name, whose null result passes the call on; undefined if it does not exist. */
export async function ownExecutor(
  ctx: FunctionContext,
  name: string,
): Promise<((call: ExecutedCall) => Promise<Value>) | undefined> {
  if (!mayHaveModules(ctx.opts, 'executors')) return undefined
  const scope = functionScope(ctx)
  const source = (await userPlugins(scope, 'executors', [name], [])).get(name)?.source?.('execute')
  if (!source) return undefined
  return ({ fun, args, kwargs, data }) => {
    const params = [source.path, source.attr, data, fun, [...args], new Map<Value, Value>(kwargs)]
    return callPython(scope, { method: 'execute', params, what: `the executor ${name}` })
  }
}
