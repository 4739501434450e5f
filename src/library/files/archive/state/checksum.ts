// Hashes of unpacked archives, kept beside the cache, to detect a new archive.
import { dirname, join, relative } from 'node:path/posix'
import { recover } from '../../../../base/mod.ts'
import { type Dict, decodeBytes, str, truthy, type Value } from '../../../../data/mod.ts'
import { isHostError, option, type StateContext } from '../../../../sdk/mod.ts'

const hashType = (ctx: StateContext): string => option(ctx.opts, 'hash_type')

function checksumFile(ctx: StateContext, path: string): string {
  const cache = option(ctx.opts, 'cachedir')
  const below = `${relative(cache, path)}.hash`
  const place = below.startsWith('../') ? join('local', path.replace(/^\/+/, '')) : below
  return join(cache, 'archive_hash', place)
}

async function storedSums(ctx: StateContext, path: string): Promise<Map<string, string>> {
  return recover(isHostError, new Map(), async () => {
    const text = decodeBytes(await ctx.host.read(checksumFile(ctx, path)))
    const lines = text.split('\n').filter((line) => line.includes(':'))
    return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
  })
}

export async function storedSum(ctx: StateContext, path: string): Promise<string | undefined> {
  return (await storedSums(ctx, path)).get(hashType(ctx))
}

export async function storeSum(ctx: StateContext, path: string): Promise<void> {
  const sums = await storedSums(ctx, path)
  sums.set(hashType(ctx), await ctx.host.hash(path, hashType(ctx)))
  const file = checksumFile(ctx, path)
  try {
    await ctx.host.makeDirectory(dirname(file), { parents: true })
    await ctx.host.write(file, Array.from(sums, ([type, sum]) => `${type}:${sum}\n`).join(''))
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('warning', `Failed to update checksum for ${path}: ${error.message}`)
  }
}

export const sumOf = (given: Value): string | undefined =>
  given instanceof Map && truthy((given as Dict).get('hsum') ?? null) ? str((given as Dict).get('hsum')!) : undefined
