// Cache of the mounts that states made and their options: a YAML file in the cache directory, in Salt's format.
import { type Dict, isDict, SaltError, type Value } from '../../../../data/mod.ts'
import { deserialize, type FunctionContext, isHostError, option, serialize, textAt } from '../../../../sdk/mod.ts'

const pathOf = (ctx: FunctionContext): string => `${option(ctx.opts, 'cachedir')}/mounts`

async function readCache(ctx: FunctionContext): Promise<Dict> {
  const text = await textAt(ctx.host, pathOf(ctx))
  const cache = text === undefined ? null : await deserialize('yaml', text)
  return isDict(cache) ? cache : new Map()
}

const mountsIn = (cache: Dict): Dict => {
  const mounts = cache.get('mounts') ?? null
  return isDict(mounts) ? mounts : new Map()
}

export async function cachedMount(ctx: FunctionContext, name: string): Promise<Value> {
  return mountsIn(await readCache(ctx)).get(name) ?? new Map()
}

async function writeCache(ctx: FunctionContext, cache: Dict): Promise<boolean> {
  try {
    await ctx.host.write(pathOf(ctx), await serialize('yaml', cache, new Map([['default_flow_style', false]])))
    return true
  } catch (error) {
    if (!isHostError(error) || error.code === 'ReadOnlyHost') throw error
    throw new SaltError('CommandExecutionError', 'Unable to write mount cache.', { cause: error })
  }
}

export async function cacheMount(ctx: FunctionContext, name: string, facts: Dict): Promise<boolean> {
  const cache = await readCache(ctx)
  return writeCache(ctx, cache.set('mounts', new Map(mountsIn(cache)).set(name, facts)))
}

export async function forgetMount(ctx: FunctionContext, name: string): Promise<boolean> {
  const cache = await readCache(ctx)
  const mounts = new Map(mountsIn(cache))
  return mounts.delete(name) ? writeCache(ctx, cache.set('mounts', mounts)) : true
}
