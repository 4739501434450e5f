// Paths as Python's os.path sees them.
import type { StateContext } from '../../../../sdk/mod.ts'

/** `os.path.expanduser`. */
export async function expandUser({ host }: StateContext, path: string): Promise<string> {
  if (!path.startsWith('~')) return path
  const slash = path.indexOf('/')
  const end = slash < 0 ? path.length : slash
  const name = path.slice(1, end)
  const own = name === '' ? (await host.env()).get('HOME') : undefined
  const home = own ?? (await host.user(name === '' ? (await host.identity()).uid : name))?.home
  if (home === undefined) return path
  return home.replace(/\/+$/, '') + path.slice(end) || '/'
}

/** `os.path.expandvars`. */
export async function expandVariables({ host }: StateContext, path: string): Promise<string> {
  if (!path.includes('$')) return path
  const variables = await host.env()
  return path.replace(/\$(?:(\w+)|\{([^}]*)\})/g, (whole, bare, braced) => variables.get(bare ?? braced) ?? whole)
}

export const isAbsolute = (path: string): boolean => path.startsWith('/')

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export function dirName(path: string): string {
  const head = path.slice(0, path.lastIndexOf('/') + 1)
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, '')
}

export function joinPaths(first: string, ...parts: string[]): string {
  return parts.reduce((path, part) => {
    if (part.startsWith('/')) return part
    return path === '' || path.endsWith('/') ? path + part : `${path}/${part}`
  }, first)
}

export function normalPath(path: string): string {
  if (path === '') return '.'
  const root = /^\/\/(?!\/)/.test(path) ? '//' : path.startsWith('/') ? '/' : ''
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..' || (root === '' && names.length === 0) || names.at(-1) === '..') names.push(name)
    else names.pop()
  }
  return root + names.join('/') || '.'
}

/** `os.path.relpath` of two absolute paths, or of two that are relative to the same place. */
export function relativePath(path: string, start: string): string {
  const to = normalPath(path).split('/').filter(Boolean)
  const from = normalPath(start).split('/').filter(Boolean)
  let same = 0
  while (same < to.length && same < from.length && to[same] === from[same]) same++
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/') || '.'
}

/** All directories above a path, nearest first. */
export function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let at = dirName(path); ; at = dirName(at)) {
    parents.push(at)
    if (at === dirName(at)) return parents
  }
}

/** Links are followed. */
export const exists = async ({ host }: StateContext, path: string): Promise<boolean> =>
  (await host.stat(path)) !== undefined

/** Broken links are something too. */
export const isSomething = async ({ host }: StateContext, path: string): Promise<boolean> =>
  (await host.lstat(path)) !== undefined

export const isFile = async ({ host }: StateContext, path: string): Promise<boolean> =>
  (await host.stat(path))?.type === 'file'

export const isDirectory = async ({ host }: StateContext, path: string): Promise<boolean> =>
  (await host.stat(path))?.type === 'directory'

export const isLink = async ({ host }: StateContext, path: string): Promise<boolean> =>
  (await host.lstat(path))?.type === 'link'

/** Why a file cannot be edited, or undefined. */
export async function unfit(ctx: StateContext, path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return `Specified file ${path} is not an absolute path`
  return (await exists(ctx, path)) ? undefined : `${path}: file not found`
}
