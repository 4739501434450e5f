// The cached high data of the last run, for `cache=True`.
import { toError } from '../../../../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'

/** Return the cache directory of the minion. */
export const cacheDirectory = (ctx: FunctionContext): string => option(ctx.opts, 'cachedir')

export async function readPacked(ctx: FunctionContext, path: string): Promise<Value | undefined> {
  if ((await ctx.host.stat(path))?.type !== 'file') return undefined
  return decodeMsgpack(await ctx.host.read(path), { dialect: 'bus' })
}

export async function writePacked(ctx: FunctionContext, path: string, value: Value): Promise<void> {
  await ctx.host.makeDirectory(path.slice(0, path.lastIndexOf('/')), { parents: true })
  await ctx.host.write(path, encodeMsgpack(value, 'bus'), { mode: 0o600 })
}

export async function readCache(ctx: FunctionContext, name: string): Promise<Dict | undefined> {
  const high = await readPacked(ctx, `${cacheDirectory(ctx)}/${name}.cache.p`)
  return high instanceof Map ? high : undefined
}

/** Write the cache, and log an error if that fails. */
export async function writeCache(ctx: FunctionContext, name: string, high: Dict): Promise<void> {
  if (cacheDirectory(ctx) === '') return
  const path = `${cacheDirectory(ctx)}/${name}.cache.p`
  try {
    await writePacked(ctx, path, high)
  } catch (thrown) {
    ctx.log('error', `Unable to write to highstate cache file ${path}: ${toError(thrown).message}`)
  }
}

/** Remove the caches and return their names. */
export async function clearCache(ctx: FunctionContext): Promise<string[]> {
  const directory = cacheDirectory(ctx)
  const removed: string[] = []
  if (!(await ctx.host.stat(directory))) return removed
  for (const name of await ctx.host.list(directory)) {
    if (!name.endsWith('.cache.p') || (await ctx.host.stat(`${directory}/${name}`))?.type !== 'file') continue
    await ctx.host.remove(`${directory}/${name}`)
    removed.push(name)
  }
  return removed
}
