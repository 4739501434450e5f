// The directory that a repository is cloned to, and the keys for its remote.
import { isAbsolute } from 'node:path/posix'
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { isHostError, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import type { Report } from './report.ts'

/** Return private keys as a list of absolute paths, or the failure as text. */
export async function identityList(ctx: StateContext, identity: Value, word: string): Promise<Value[] | null | string> {
  if (identity === null) return null
  const list = typeof identity === 'string' ? [identity] : identity
  if (!Array.isArray(list)) return `${word} must be either a list or a string`
  const home = (await ctx.host.env()).get('HOME') ?? '~'
  const paths = list.map((item) => str(item).replace(/^~(?=\/|$)/, home))
  for (const path of paths) {
    const file = path.includes('salt://') ? await ctx.call('cp.cache_file', [path, ctx.env]) : path
    if (!truthy(file)) return `${word} '${path}' does not exist.`
    if (!isAbsolute(str(file))) return `${word} '${str(file)}' is not an absolute path`
  }
  return paths
}

interface Room {
  report: Report
  target: string
  force: boolean
  foreseen(): StateReturn
}

/** Empty a directory in the way if `force` is set; return a report when the state ends here. */
export async function makeRoom(
  ctx: StateContext,
  { report, target, force, foreseen }: Room,
): Promise<StateReturn | null> {
  if ((await ctx.host.stat(target))?.type !== 'directory') return null
  const contents = await ctx.host.list(target)
  if (!force) {
    if (contents.length === 0) return null
    return report.failed(
      `Target '${target}' exists, is non-empty and is not a git repository. Set the 'force_clone' option to True to remove this directory's contents and proceed with cloning the remote repository`,
    )
  }
  if (ctx.test) return foreseen()
  const errors: string[] = []
  for (const name of contents) {
    const path = `${target}/${name}`
    try {
      await remove(ctx, path)
    } catch (error) {
      if (!isHostError(error)) throw error
      if (error.code !== 'ENOENT') errors.push(`  ${path}\n    ${error.message}`)
    }
  }
  if (errors.length > 0) return report.failed(`Unable to remove\n${errors.join('\n')}`)
  report.changes.set('forced clone', true)
  return null
}

export async function remove(ctx: StateContext, path: string): Promise<void> {
  const isDirectory = (await ctx.host.lstat(path))?.type === 'directory'
  await (isDirectory ? ctx.host.removeDirectory(path, { recursive: true }) : ctx.host.remove(path))
}
