// The content that `clean` leaves in a directory: files of required states, and their parent directories.
import { isDict, isFailure, str, truthy, type Value } from '../../../../data/mod.ts'
import { exists, isDirectory, isHostError, joinPaths, normalPath, type StateContext } from '../../../../sdk/mod.ts'
import { isIncluded } from './include-exclude.ts'
import { parentsOf, relativePath } from './paths.ts'
import { filterSources, gather } from './recurse-sources.ts'
import { walk } from './walk.ts'

async function allBelow(ctx: StateContext, top: string): Promise<string[]> {
  const steps = await walk(ctx, top)
  const below = steps.flatMap(({ root, dirs, files }) => [...files, ...dirs].map((name) => joinPaths(root, name)))
  return steps.length > 0 ? [top, ...below] : []
}

async function keptByRecurse(ctx: StateContext, low: ReadonlyMap<Value, Value>): Promise<string[]> {
  const option = (name: string): Value => low.get(name) ?? null
  try {
    const sources = await filterSources(ctx, option('source') ?? [])
    const { keep } = await gather(ctx, {
      name: str(option('name')),
      sources,
      keepSymlinks: truthy(option('keep_symlinks')),
      includePat: option('include_pat'),
      excludePat: option('exclude_pat'),
      maxdepth: option('maxdepth'),
      includeEmpty: truthy(option('include_empty')),
      merge: truthy(option('merge')),
    })
    return [...keep]
  } catch (error) {
    if (isFailure(error)) return []
    throw error
  }
}

/** Return the paths below `top` that required states manage. */
export async function keepFiles(ctx: StateContext, top: string, require: Value): Promise<Set<string>> {
  const keep = new Set<string>()
  for (const requisite of Array.isArray(require) ? require : []) {
    const wanted = isDict(requisite) ? requisite.get('file') : undefined
    if (wanted === undefined) continue
    for (const low of ctx.lowstate) {
      if (low.get('name') !== wanted && low.get('__id__') !== wanted) continue
      const path = str(low.get('name') ?? '')
      if (!(await isDirectory(ctx, path))) keep.add(path)
      else if (!relativePath(path, top).startsWith('..')) {
        const kept = low.get('fun') === 'recurse' ? await keptByRecurse(ctx, low) : await allBelow(ctx, path)
        for (const each of kept) keep.add(each)
      }
    }
  }
  return keep
}

/** Remove everything that is not kept, and return the removed paths; a dry run removes nothing. */
export async function cleanDirectory(
  ctx: StateContext,
  root: string,
  keep: Iterable<string>,
  exclude: Value,
): Promise<string[]> {
  const kept = new Set([root])
  for (const path of keep) {
    if (!path.startsWith('/')) continue
    kept.add(normalPath(path))
    for (const parent of parentsOf(normalPath(path))) kept.add(parent)
  }
  const removed: string[] = []
  for (const step of await walk(ctx, root)) {
    // paths below a removed directory are not reported
    if (!(await exists(ctx, step.root))) continue
    for (const name of [...step.dirs, ...step.files]) {
      const path = joinPaths(step.root, name)
      if (kept.has(path) || !isIncluded(relativePath(path, root), null, exclude)) continue
      removed.push(path)
      if (!ctx.test) await remove(ctx, path)
    }
  }
  return removed
}

async function remove(ctx: StateContext, path: string): Promise<void> {
  try {
    await ctx.host.remove(path)
  } catch (error) {
    if (!isHostError(error)) throw error
    await ctx.call('file.remove', [path])
  }
}
