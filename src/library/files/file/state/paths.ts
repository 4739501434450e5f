// Queries of states about paths, beyond those of the sdk.
import { dirName, exists, isAbsolute, normalPath, type StateContext } from '../../../../sdk/mod.ts'

/** `os.path.relpath` of two absolute paths, or of two that are relative to the same place. */
export function relativePath(path: string, start: string): string {
  const to = normalPath(path).split('/').filter(Boolean)
  const from = normalPath(start).split('/').filter(Boolean)
  let same = 0
  while (same < to.length && same < from.length && to[same] === from[same]) same++
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/') || '.'
}

/** Return all directories above a path, nearest first. */
export function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let at = dirName(path); ; at = dirName(at)) {
    parents.push(at)
    if (at === dirName(at)) return parents
  }
}

/** Return whether a path exists; a broken link does. */
export const isSomething = async ({ host }: StateContext, path: string): Promise<boolean> =>
  (await host.lstat(path)) !== undefined

/** Return the reason why a file cannot be edited, or undefined. */
export async function unfit(ctx: StateContext, path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return `Specified file ${path} is not an absolute path`
  return (await exists(ctx, path)) ? undefined : `${path}: file not found`
}
