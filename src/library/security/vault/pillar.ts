// `vault`: secrets as pillar, at paths that may contain the minion id and values of its pillar so far. They are read
// with the rights of the minion.
import { type Dict, isDict, merge, misuse, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineExtPillar, type ExtPillarContext, option } from '../../../sdk/mod.ts'
import { COMPILING } from './connect.ts'
import { expand } from './templates.ts'

/** Return the pattern of paths in `secret/salt`, `path=secret/salt` or a line of such settings. */
function patternOf(path: Value, conf: Value): string {
  const words = str(conf ?? path ?? '')
    .split(/\s+/)
    .filter(Boolean)
  const named = words.find((word) => word.startsWith('path='))
  if (named !== undefined) return named.slice('path='.length)
  if (words.length === 1 && conf === null) return words[0]!
  throw misuse(`"${words.join(' ')}" is not a valid Vault ext_pillar config: it names no path`)
}

async function pathsOf(ctx: ExtPillarContext, pattern: string, pillar: Dict): Promise<string[]> {
  try {
    return (await expand(pattern, { minion: ctx.minionId, pillar })).texts
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    ctx.log('warning', `Could not resolve pillar path pattern ${pattern}: ${error.message}`)
    return []
  }
}

/** Return a secret, or undefined where the minion has none; a server that does not answer is an error. */
async function secretAt(ctx: ExtPillarContext, path: string): Promise<Dict | undefined> {
  const secret = await ctx.call('vault.read_secret', [path], { default: null })
  if (isDict(secret)) return secret
  ctx.log('info', `Vault secret not found for: ${path}`)
  return undefined
}

export default defineExtPillar({
  name: 'vault',
  doc: 'Secrets of Vault.',
  args: {
    path: arg.any('Path of the secret, also as `path=…`; `{minion}` and `{pillar[key]}` stand for values', {
      default: null,
    }),
    nesting_key: arg.any('Key to put the secrets under', { default: null }),
    merge_strategy: arg.any('How secrets of several paths are merged; `pillar_source_merging_strategy` unless given', {
      default: null,
    }),
    merge_lists: arg.any('Whether lists are merged; `pillar_merge_lists` unless given', { default: null }),
    extra_minion_data: arg.any('Not used', { default: null }),
    conf: arg.any('The path as `path=…`', { default: null }),
  },
  run: async (ctx, { path, nesting_key, merge_strategy, merge_lists, conf }, pillar) => {
    // policies in Vault may depend on this pillar
    if (truthy(ctx.opts.get(COMPILING) ?? false)) return new Map()
    const options = {
      strategy: str(merge_strategy ?? option(ctx.opts, 'pillar_source_merging_strategy')),
      mergeLists: truthy(merge_lists ?? option(ctx.opts, 'pillar_merge_lists')),
    }
    let all: Value = new Map()
    for (const one of await pathsOf(ctx, patternOf(path, conf), pillar)) {
      const secret = await secretAt(ctx, one)
      if (secret) all = merge(all, secret, options)
    }
    return truthy(nesting_key) ? new Map<Value, Value>([[nesting_key, all]]) : all
  },
})
