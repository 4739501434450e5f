// The zip file with the code of a function of Lambda.
import { misuse, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'

/** AWS takes no more in a request. */
const MOST_BYTES = 50 * 1024 * 1024

/** Return the bytes of a zip file, which is a path of this machine or an address. */
export async function zipBytes(ctx: Pick<FunctionContext, 'host' | 'call'>, source: string): Promise<Uint8Array> {
  const cached: Value = source.includes('://') ? await ctx.call('cp.cache_file', [source]) : source
  if (typeof cached !== 'string' || cached === '') throw misuse(`Failed to cache ZipFile \`${source}\`.`)
  const found = await ctx.host.stat(cached)
  if (found?.type !== 'file') throw misuse(`The ZipFile '${source}' is no file`)
  if (found.size > MOST_BYTES) throw misuse(`The ZipFile '${source}' has more than 50 MB: put it into a bucket of S3`)
  return ctx.host.read(cached)
}
