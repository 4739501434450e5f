// Requested state runs, which a local administrator starts: saved in a file with the results of a dry run.
import { type Dict, dictFrom, PyError, quote, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { cacheDirectory, readPacked, writePacked } from './cache.ts'
import type { Further } from './options.ts'

const requestFile = (ctx: FunctionContext): string => `${cacheDirectory(ctx)}/req_state.p`

/** Return all requests by name. */
export async function readRequests(ctx: FunctionContext): Promise<Dict> {
  const requests = await readPacked(ctx, requestFile(ctx))
  return requests instanceof Map ? requests : new Map()
}

export async function readRequest(ctx: FunctionContext, name: string | null): Promise<Dict> {
  const requests = await readRequests(ctx)
  if (name === null) return requests
  const request = requests.get(name)
  if (request === undefined && requests.size > 0) throw new PyError('KeyError', quote(name))
  return request instanceof Map ? request : new Map()
}

export async function addRequest(ctx: FunctionContext, mods: Value, kwargs: Further, testRun: Value): Promise<void> {
  const requests = await readRequests(ctx)
  const request = dictFrom({ test_run: testRun, mods, kwargs: new Map<Value, Value>(kwargs) })
  requests.set(kwargs.get('name') ?? 'default', request)
  await writePacked(ctx, requestFile(ctx), requests)
}

/** Remove one request or all, and return false if no request has the name. */
export async function clearRequest(ctx: FunctionContext, name: string | null): Promise<boolean> {
  const path = requestFile(ctx)
  if ((await ctx.host.stat(path))?.type !== 'file') return true
  if (name === null) {
    await ctx.host.remove(path)
    return true
  }
  const requests = await readRequests(ctx)
  if (!requests.delete(name)) return false
  await writePacked(ctx, path, requests)
  return true
}
