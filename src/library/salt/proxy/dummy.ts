// Access of execution modules to the proxy module `dummy`.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'

export function onDummy({ opts }: Pick<FunctionContext, 'opts'>): true | string {
  const settings = opts.has('proxyid') ? (opts.get('proxy') ?? null) : null
  const isDummy = isDict(settings) && settings.get('proxytype') === 'dummy'
  return isDummy || 'this minion is no proxy minion of the type dummy'
}

export async function ofDummy(
  { proxy }: FunctionContext,
  fun: string,
  args: readonly Value[] = [],
  kwargs?: Dict,
): Promise<Value> {
  return (await proxy?.call(fun, args, kwargs)) ?? null
}
