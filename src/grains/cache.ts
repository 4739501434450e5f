// `grains_cache`: grains of an earlier collection, kept for `grains_cache_expiration` seconds in Salt's format.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isList, MsgpackError, truthy, tuple } from '../data/mod.ts'
import { type Host, isHostError } from '../host/mod.ts'

const fileOf = (opts: Dict): string => `${option(opts, 'cachedir')}/grains.cache.p`

export async function cachedGrains(host: Host, opts: Dict): Promise<Dict | undefined> {
  if (!truthy(option(opts, 'grains_cache')) || truthy(opts.get('refresh_grains_cache') ?? false)) return undefined
  try {
    const path = fileOf(opts)
    const found = await host.stat(path)
    const limit = option(opts, 'grains_cache_expiration')
    if (found === undefined || Math.trunc(host.now() - found.mtime) > limit) return undefined
    const grains = decodeMsgpack(await host.read(path), { dialect: 'bus' })
    if (!(grains instanceof Map) || grains.size === 0) return undefined
    const info = grains.get('osrelease_info')
    if (info !== undefined && isList(info)) grains.set('osrelease_info', tuple(info))
    return grains
  } catch (error) {
    if (isHostError(error) || error instanceof MsgpackError) return undefined
    throw error
  }
}

export async function storeGrains(host: Host, opts: Dict, grains: Dict, log: Log): Promise<void> {
  if (!truthy(option(opts, 'grains_cache'))) return
  try {
    await host.write(fileOf(opts), encodeMsgpack(grains, 'bus'), { mode: 0o600 })
  } catch (error) {
    if (!(isHostError(error) || error instanceof MsgpackError)) throw error
    log('error', `Unable to write to grains cache file ${fileOf(opts)}: ${error.message}`)
  }
}
