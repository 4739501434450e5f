// Requirements files. Those of the file server are fetched; for another user they are copied, with all included files,
// to a place that the user can read.
import { PyError, parseSaltUrl, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export interface RequirementFiles {
  words: string[]
  /** A directory to remove afterwards. */
  temporary: string | undefined
  /** Why there is nothing to install. */
  missing?: string
}

export async function requirementWords(
  ctx: FunctionContext,
  given: Value,
  { cwd, saltenv, user }: { cwd: Value; saltenv: Value; user: Value },
): Promise<RequirementFiles> {
  const files: RequirementFiles = { words: [], temporary: undefined }
  for (const requirement of listed(given)) {
    const path = requirement.startsWith('salt://') ? await fetched(ctx, requirement, str(saltenv)) : requirement
    if (path === undefined) return { ...files, missing: `pip requirements file '${requirement}' not found` }
    if (!truthy(user)) {
      files.words.push('--requirement', path)
      continue
    }
    files.temporary ??= await ctx.host.tempDirectory()
    await chown(ctx, files.temporary, user)
    const folder = cwd === null ? folderOf(path) : str(cwd)
    for (const file of await chain(ctx, path.startsWith('/') ? path : `${folder}/${path}`)) {
      await copyFor(ctx, file, `${files.temporary}/${baseOf(file)}`, user)
    }
    files.words.push('--requirement', `${files.temporary}/${baseOf(path)}`)
  }
  return files
}

function listed(given: Value): string[] {
  if (given === null) return []
  if (typeof given === 'string') return given.split(',').map((part) => part.trim())
  if (Array.isArray(given)) return (given as Value[]).map((part) => str(part))
  throw new PyError('TypeError', 'requirements must be a string or list')
}

const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/'
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

async function fetched(ctx: FunctionContext, url: string, saltenv: string): Promise<string | undefined> {
  const { path, saltenv: named } = parseSaltUrl(url)
  const env = named ?? saltenv
  const known = await ctx.call('cp.list_master', [env])
  if (!known.includes(path)) return undefined
  const cached = await ctx.call('cp.cache_file', [url, env])
  return truthy(cached) ? str(cached) : undefined
}

/** Return a file and its includes, outermost first. */
async function chain(ctx: FunctionContext, path: string): Promise<string[]> {
  const text = Buffer.from(await ctx.host.read(path)).toString()
  const lines = text.replace(/(?:^|\s+)#.*$/gm, '')
  const found = [path]
  for (const [, child] of lines.matchAll(/(?:-r\s|--requirement[=\s])(.*)\n?/gm)) {
    found.push(...(await chain(ctx, child!.startsWith('/') ? child! : `${folderOf(path)}/${child}`)))
  }
  return found
}

async function copyFor(ctx: FunctionContext, source: string, target: string, user: Value): Promise<void> {
  if ((await ctx.host.stat(target)) === undefined) await ctx.host.copy(source, target)
  await chown(ctx, target, user)
}

async function chown(ctx: FunctionContext, path: string, user: Value): Promise<void> {
  const account = await ctx.host.user(str(user))
  if (account) await ctx.host.chown(path, account.uid, -1)
}
