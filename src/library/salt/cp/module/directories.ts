// Fetches, caches and lists whole directories.
import {
  compileRegex,
  fnmatch,
  isList,
  makeSaltUrl,
  parseSaltUrl,
  SaltError,
  str,
  strip,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, option, whileExpecting } from '../../../../sdk/mod.ts'

function pathOf(url: string): string {
  if (!url.startsWith('salt://')) throw new SaltError('MinionError', `Unsupported path: ${url}`)
  return parseSaltUrl(url).path
}

/** Fetch a directory; its name becomes part of the destination. */
export async function fetchDirectory(
  ctx: FunctionContext,
  url: string,
  dest: string,
  saltenv: string,
): Promise<Value[]> {
  const path = pathOf(url).replace(/\/+$/, '')
  const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  const target = (file: string): string => `${dest}/${file.slice(above.length).replace(/^\/+/, '')}`
  const isBelow = (file: string): boolean => file[path.length] === '/'
  const found: Value[] = []
  const files = (await ctx.files.files(saltenv, path)).filter(isBelow)
  const expected = files.map((file) => ({ path: file, saltenv, dest: target(file) }))
  await whileExpecting(ctx.files, expected, async () => {
    for (const file of files)
      found.push(await ctx.files.fetch(makeSaltUrl(file), { saltenv, dest: target(file), makedirs: true }))
  })
  for (const directory of (await ctx.files.emptyDirectories(saltenv, path)).filter(isBelow)) {
    await ctx.host.makeDirectory(target(directory), { parents: true })
    found.push(target(directory))
  }
  return found.sort()
}

interface Selection {
  empty: boolean
  include: Value
  exclude: Value
}

/** Return whether a path matches a glob, `E@` and a regular expression, or one of a list of these. */
function matches(path: string, pattern: Value): boolean {
  if (isList(pattern)) return pattern.some((each) => matches(path, each))
  const text = str(pattern)
  return text.startsWith('E@') ? compileRegex(text.slice(2)).search(path) !== null : fnmatch(path, text)
}

function isSelected(path: string, { include, exclude }: Selection): boolean {
  if (truthy(include) && !matches(path, include)) return false
  return !(truthy(exclude) && matches(path, exclude))
}

const cachedir = (ctx: FunctionContext): string => option(ctx.opts, 'cachedir')

/** Copy files into the cache; return the paths of those that the file server has. */
async function cacheAll(ctx: FunctionContext, files: readonly string[], saltenv: string): Promise<Value[]> {
  const found: Value[] = []
  const expected = files.map((path) => ({ path, saltenv }))
  await whileExpecting(ctx.files, expected, async () => {
    for (const file of files) {
      const cached = await ctx.files.fetch(makeSaltUrl(file), { saltenv })
      if (cached !== false) found.push(cached)
    }
  })
  return found
}

export async function cacheDirectory(
  ctx: FunctionContext,
  url: string,
  saltenv: string,
  selection: Selection,
): Promise<Value[]> {
  const path = pathOf(url)
  const prefix = path.endsWith('/') ? path : `${path}/`
  const isMeant = (file: string): boolean =>
    strip(file) !== '' && file.startsWith(prefix) && isSelected(file, selection)
  const files = (await ctx.files.files(saltenv)).filter(isMeant)
  const found = await cacheAll(ctx, files, saltenv)
  if (!selection.empty) return found
  for (const directory of await ctx.files.emptyDirectories(saltenv)) {
    if (!directory.startsWith(prefix)) continue
    const target = `${cachedir(ctx)}/files/${saltenv}/${directory}`
    await ctx.host.makeDirectory(target, { parents: true })
    found.push(target)
  }
  return found
}

export async function cacheLocalFile(ctx: FunctionContext, path: string, saltenv: string): Promise<string> {
  if (!(await ctx.host.stat(path))) return ''
  const cached = await ctx.files.cached(path, saltenv)
  if (cached !== '' && (await ctx.host.hash(path, 'sha256')) === (await ctx.host.hash(cached, 'sha256'))) return cached
  const target = `${cachedir(ctx)}/localfiles/${path.replace(/^\/+/, '')}`
  await ctx.host.makeDirectory(target.slice(0, target.lastIndexOf('/')), { parents: true })
  await ctx.host.writeStream(target, ctx.host.stream(path))
  return target
}

/** Return all files in the cache of an environment, and the cached local files. */
export async function localFiles(ctx: FunctionContext, saltenv: string): Promise<Value[]> {
  const found = new Set<string>()
  const walk = async (directory: string): Promise<void> => {
    let names: string[]
    try {
      names = await ctx.host.list(directory)
    } catch (error) {
      if (isHostError(error)) return
      throw error
    }
    for (const name of names) {
      const path = `${directory}/${name}`
      if ((await ctx.host.stat(path))?.type === 'directory') await walk(path)
      else found.add(path)
    }
  }
  await walk(`${cachedir(ctx)}/files/${saltenv}`)
  await walk(`${cachedir(ctx)}/localfiles`)
  return [...found].sort()
}

export function stateNames(files: readonly string[]): Value[] {
  const names = files
    .filter((path) => path.endsWith('.sls'))
    .map((path) => path.replaceAll('/', '.').slice(0, path.endsWith('/init.sls') ? -9 : -4))
  return [...new Set(names)].sort()
}
