// Runs that someone asked for and the local admin starts: kept in a file with what a dry run of them gave.
import { type Dict, PyError, quote, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { cacheDirectory, readPacked, writePacked } from './cache.ts'
import type { Further } from './options.ts'

const requestFile = (ctx: FunctionContext): string => `${cacheDirectory(ctx)}/req_state.p`

/** All requests by name. */
export async function readRequests(ctx: FunctionContext): Promise<Dict> {
  const requests = await readPacked(ctx, requestFile(ctx))
  return requests instanceof Map ? requests : new Map()
}

export async function readRequest(ctx: FunctionContext, name: Value): Promise<Dict> {
  const requests = await readRequests(ctx)
  if (name === null) return requests
  const request = requests.get(name)
  if (request === undefined && requests.size > 0) throw new PyError('KeyError', quote(str(name)))
  return (request ?? new Map()) as Dict
}

export async function addRequest(ctx: FunctionContext, mods: Value, kwargs: Further, testRun: Value): Promise<void> {
  const requests = await readRequests(ctx)
  const request = new Map<Value, Value>([
    ['test_run', testRun],
    ['mods', mods],
    ['kwargs', new Map<Value, Value>(kwargs)],
  ])
  requests.set(kwargs.get('name') ?? 'default', request)
  await writePacked(ctx, requestFile(ctx), requests)
}

/** False when there is no request of that name. */
export async function clearRequest(ctx: FunctionContext, name: Value): Promise<boolean> {
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
