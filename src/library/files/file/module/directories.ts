// Directories: created with their parents, owners and modes; removed; measured.
import { dictFrom, failure, misuse, PyError, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  dirName,
  exists,
  expandUser,
  type FunctionContext,
  isDirectory,
  isHostError,
  joinPaths,
  normalPath,
  unlessRefused,
} from '../../../../sdk/mod.ts'
import { normalizeMode } from '../modes.ts'
import { checkPermissions } from './permissions.ts'

export interface Ownership {
  user: Value
  group: Value
  mode: Value
}

export async function makeDirectory(ctx: FunctionContext, path: string, ownership: Ownership): Promise<true> {
  const directory = normalPath(await expandUser(ctx, path))
  if (!(await isDirectory(ctx, directory))) await makeWithPermissions(ctx, directory, ownership)
  return true
}

/** Return a mode as Salt passes it on: its digits as a decimal number. */
function digits(mode: Value): Value {
  if (!truthy(mode)) return null
  const text = str(mode)
  if (!/^\s*[+-]?[\d_]+\s*$/.test(text)) {
    throw new PyError('ValueError', `invalid literal for int() with base 10: '${text}'`)
  }
  return Number(text)
}

export async function makeWithPermissions(ctx: FunctionContext, path: string, ownership: Ownership): Promise<null> {
  const name = await expandUser(ctx, path)
  const bare = name.endsWith('/') ? name.replace(/\/+$/, '') : name
  const head = dirName(bare)
  if (head !== '' && bare !== '' && !(await exists(ctx, head))) {
    try {
      await makeWithPermissions(ctx, head, ownership)
    } catch (error) {
      // another process was faster
      if (!isHostError(error, 'EEXIST')) throw error
    }
  }
  await ctx.host.makeDirectory(name)
  await checkPermissions(ctx, name, null, { ...ownership, mode: digits(ownership.mode) })
  return null
}

/** Create the parent directories of a path with an owner and mode; return a message when there is nothing to create. */
export async function makeParents(ctx: FunctionContext, path: string, ownership: Ownership): Promise<string | null> {
  const name = await expandUser(ctx, path)
  const mode = truthy(ownership.mode) ? normalizeMode(ownership.mode) : ownership.mode
  let directory = normalPath(dirName(name))
  if (await isDirectory(ctx, directory)) return `Directory '${directory}' already exists`
  if (await exists(ctx, directory)) return `The path '${directory}' already exists and is not a directory`
  const missing: string[] = []
  while (!(await isDirectory(ctx, directory))) {
    missing.unshift(directory)
    const above = dirName(directory)
    if (above === directory) {
      throw misuse(
        `Recursive creation for path '${above}' would result in an infinite loop. Please use an absolute path.`,
      )
    }
    directory = above
  }
  for (const each of missing) await makeDirectory(ctx, each, { ...ownership, mode })
  return null
}

/** Return every directory below a path, deepest first; links to directories are not entered. */
async function below(ctx: FunctionContext, path: string): Promise<string[]> {
  const here: string[] = []
  const deeper: string[] = []
  for (const name of await namesIn(ctx, path)) {
    const inner = joinPaths(path, name)
    if (!(await isDirectory(ctx, inner))) continue
    here.push(inner)
    if ((await ctx.host.lstat(inner))?.type === 'directory') deeper.push(...(await below(ctx, inner)))
  }
  return [...deeper, ...here]
}

export interface Removal {
  recurse: boolean
  verbose: boolean
  /** Age in days. */
  older_than: string | null
}

/** Remove a directory if it is empty, and with `recurse` those below it. */
export async function removeEmpty(ctx: FunctionContext, given: string, removal: Removal): Promise<Value> {
  const path = await expandUser(ctx, given)
  if (!path.startsWith('/')) throw misuse('File path must be absolute.')
  if (!(await isDirectory(ctx, path))) throw misuse('A valid directory was not specified.')
  const days = removal.older_than ? Number(removal.older_than) : Number.NaN
  const before = Number.isInteger(days) ? ctx.host.now() - days * 86400 : undefined
  const deleted: Value[] = []
  const errors: Value[] = []
  const attempt = async (directory: string): Promise<boolean> => {
    if (before !== undefined && ((await ctx.host.stat(directory))?.mtime ?? 0) >= before) return true
    try {
      await ctx.host.removeDirectory(directory)
      deleted.push(directory)
      return true
    } catch (error) {
      if (!isHostError(error)) throw error
      errors.push([directory, error.message])
      return false
    }
  }
  const inner = removal.recurse ? await below(ctx, path) : []
  for (const directory of inner) await attempt(directory)
  const isOld = before === undefined || ((await ctx.host.stat(path))?.mtime ?? 0) < before
  let result = removal.recurse ? errors.length === 0 : false
  if (isOld) {
    const clean = errors.length === 0
    result = (await attempt(path)) && clean
  }
  if (!removal.verbose) return result
  return dictFrom({ deleted, errors, result })
}

/** Remove a file, a link, or a directory with its content; return False when the path does not exist. */
export async function removePath(ctx: FunctionContext, given: string): Promise<boolean> {
  const path = await expandUser(ctx, given)
  if (!path.startsWith('/')) throw misuse(`File path must be absolute: ${path}`)
  const stat = await ctx.host.lstat(path)
  if (stat === undefined) return false
  try {
    if (stat.type === 'directory') await ctx.host.removeDirectory(path, { recursive: true })
    else await ctx.host.remove(path)
    return true
  } catch (error) {
    if (!isHostError(error) || error.errno === 0) throw error
    throw failure(`Could not remove '${path}': ${error.message}`)
  }
}

/** Return the size of all files below a path; a file with several hard links counts once. */
export async function diskUsage(ctx: FunctionContext, path: string): Promise<number> {
  const seen = new Set<number>()
  const measure = async (directory: string): Promise<number> => {
    let total = 0
    for (const name of await namesIn(ctx, directory)) {
      const inner = joinPaths(directory, name)
      if ((await ctx.host.lstat(inner))?.type === 'directory') {
        total += await measure(inner)
        continue
      }
      const stat = await ctx.host.stat(inner)
      if (stat === undefined || stat.type === 'directory' || seen.has(stat.inode)) continue
      seen.add(stat.inode)
      total += stat.size
    }
    return total
  }
  const top = await ctx.host.stat(path)
  return top?.type === 'file' ? top.size : measure(path)
}

const namesIn = (ctx: FunctionContext, path: string): Promise<string[]> => unlessRefused(ctx.host.list(path), [])
