// `glob.glob`: the paths that match a pattern; names that begin with a dot only when the pattern says so.
import { recover } from '../base/mod.ts'
import { compileGlob } from '../data/mod.ts'
import { isHostError } from '../host/mod.ts'
import type { FunctionContext } from './context.ts'
import { baseName, dirName, joinPaths } from './paths.ts'

const MAGIC = /[*?[]/

export async function globPaths(ctx: FunctionContext, pattern: string): Promise<string[]> {
  if (!MAGIC.test(pattern)) return (await ctx.host.lstat(pattern)) ? [pattern] : []
  const head = dirName(pattern)
  const tail = baseName(pattern)
  const directories = head !== '' && head !== pattern && MAGIC.test(head) ? await globPaths(ctx, head) : [head]
  const found: string[] = []
  for (const directory of directories) {
    if (MAGIC.test(tail)) {
      for (const name of await matching(ctx, directory, tail)) found.push(joinPaths(directory, name))
    } else {
      const path = joinPaths(directory, tail)
      const isThere = tail === '' ? (await ctx.host.stat(directory))?.type === 'directory' : await ctx.host.lstat(path)
      if (isThere) found.push(path)
    }
  }
  return found
}

async function matching(ctx: FunctionContext, directory: string, pattern: string): Promise<string[]> {
  const glob = compileGlob(pattern)
  return recover(isHostError, [], async () => {
    const names = await ctx.host.list(directory === '' ? '.' : directory)
    return names.filter((name) => glob(name) && (pattern.startsWith('.') || !name.startsWith('.')))
  })
}
