// Paths as in Python's os.path.
import { shownText } from '../base/mod.ts'
import { misuse, PyError, str, textOf, typeError, typeName, type Value } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'

/** The text of a path; anything else is refused with Python's words. */
export function plainPath(path: Value): string {
  const text = textOf(path)
  if (text === undefined) throw typeError(`expected str, bytes or os.PathLike object, not ${typeName(path)}`)
  return text
}

/** One of several paths to join; Python has other words for all but the first. */
export function joinable(part: Value, index: number): string {
  const text = index === 0 ? plainPath(part) : textOf(part)
  if (text !== undefined) return text
  throw typeError(`join() argument must be str, bytes, or os.PathLike object, not '${typeName(part)}'`)
}

/** Text that names a file. */
function pathText(path: Value): string {
  const text = plainPath(path)
  if (text.includes('\0')) throw new PyError('ValueError', 'embedded null byte')
  return text
}

/** `os.path.expanduser`. */
export async function expandUser(ctx: FunctionContext, path: Value): Promise<string> {
  const text = pathText(path)
  if (!text.startsWith('~')) return text
  const end = text.indexOf('/') < 0 ? text.length : text.indexOf('/')
  const name = text.slice(1, end)
  const own = name === '' ? (await ctx.host.env()).get('HOME') : undefined
  const account = name === '' ? (await ctx.host.identity()).uid : name
  const home = own ?? (await ctx.host.user(account))?.home
  if (home === undefined) return text
  return home.replace(/\/+$/, '') + text.slice(end) || '/'
}

/** `os.path.expandvars`. */
export async function expandVariables(ctx: FunctionContext, path: string): Promise<string> {
  if (!path.includes('$')) return path
  const variables = await ctx.host.env()
  return path.replace(/\$(?:(\w+)|\{([^}]*)\})/g, (whole, bare, braced) => variables.get(bare ?? braced) ?? whole)
}

export const isAbsolute = (path: string): boolean => path.startsWith('/')

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export function dirName(path: string): string {
  const head = path.slice(0, path.lastIndexOf('/') + 1)
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, '')
}

export function joinPaths(...parts: string[]): string {
  let path = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    if (part.startsWith('/')) path = part
    else path += path === '' || path.endsWith('/') ? part : `/${part}`
  }
  return path
}

export function normalPath(path: string): string {
  if (path === '') return '.'
  const root = path.startsWith('//') && !path.startsWith('///') ? '//' : path.startsWith('/') ? '/' : ''
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..' || (root === '' && names.length === 0) || names.at(-1) === '..') names.push(name)
    else names.pop()
  }
  return root + names.join('/') || '.'
}

/** `os.path.realpath`: resolve links as far as the path exists. */
export async function realPath(ctx: FunctionContext, path: string): Promise<string> {
  const whole = normalPath(isAbsolute(path) ? path : joinPaths(await ctx.host.realPath('.'), path))
  let at = whole
  const missing: string[] = []
  while (!(await ctx.host.stat(at))) {
    if ((await ctx.host.lstat(at))?.type === 'link') {
      const target = await ctx.host.readLink(at)
      const next = normalPath(joinPaths(dirName(at), target))
      if (next === at) return whole
      return realPath(ctx, joinPaths(next, ...missing))
    }
    if (at === '/') return whole
    missing.unshift(baseName(at))
    at = dirName(at)
  }
  return joinPaths(await ctx.host.realPath(at), ...missing)
}

/** Whether a path exists, following links. */
export const exists = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path)) !== undefined

export const isFile = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path))?.type === 'file'

export const isDirectory = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path))?.type === 'directory'

export const isLink = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.lstat(path))?.type === 'link'

/** A text, or any other value as text. */
export const textFrom = (value: Value): string => textOf(value) ?? str(value)

/** Return the path of a file in a directory by its name. Throw an error for a name that is empty or leads to another directory. */
export function fileIn(directory: string, name: string): string {
  if (name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)) return `${directory}/${name}`
  throw misuse(`'${shownText(name)}' is not the name of a file`)
}
