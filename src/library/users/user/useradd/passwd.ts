// Users in the form of user.info: a line of passwd, its comment field in parts, and the groups.
import { contains, type Dict, decodeBytes, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, groupIdsOf, parsePasswd, type User } from '../../../../sdk/mod.ts'

export const GECOS = ['fullname', 'roomnumber', 'workphone', 'homephone', 'other'] as const
export type GecosField = (typeof GECOS)[number]

export const kernelIs = (ctx: FunctionContext, ...kernels: string[]): boolean =>
  contains(kernels, ctx.grains.get('kernel') ?? '')

/** Return the directory of another root file system, which AIX does not support. */
const otherRoot = (ctx: FunctionContext, root: string | null): string | undefined =>
  root === null || kernelIs(ctx, 'AIX') ? undefined : root

/** Return the options that make a command work in another root file system. */
export function rootOption(ctx: FunctionContext, root: string | null): string[] {
  const path = otherRoot(ctx, root)
  return path === undefined ? [] : ['-R', path]
}

export async function usersOf(ctx: FunctionContext, root: string | null): Promise<User[]> {
  const path = otherRoot(ctx, root)
  if (path === undefined) return ctx.host.users()
  return parsePasswd(decodeBytes(await ctx.host.read(`${path === '' ? '' : path.replace(/\/$/, '')}/etc/passwd`)))
}

export async function userOf(ctx: FunctionContext, name: string, root: string | null): Promise<User | undefined> {
  if (otherRoot(ctx, root) === undefined) return ctx.host.user(name)
  return (await usersOf(ctx, root)).find((user) => user.name === name)
}

/** Return the names of all groups of a user, with the primary one; groups that share an ID all count. */
export async function groupsOf(ctx: FunctionContext, name: string): Promise<string[]> {
  const user = await ctx.host.user(name)
  const all = await ctx.host.groups()
  const ids = user === undefined ? [] : groupIdsOf(user, all)
  const names = all.filter(({ gid, members }) => ids.includes(gid) || members.includes(name))
  const primary = user && !all.some(({ gid }) => gid === user.gid) ? await ctx.host.group(user.gid) : undefined
  return [...new Set([...names, ...(primary ? [primary] : [])].map(({ name }) => name))].sort()
}

/** Return the parts of the comment field; the last one takes further commas. */
export function gecosOf({ gecos }: User): Record<GecosField, string> {
  const parts = gecos.split(',')
  const [fullname = '', roomnumber = '', workphone = '', homephone = ''] = parts
  return { fullname, roomnumber, workphone, homephone, other: parts.slice(4).join(',') }
}

export async function infoOf(ctx: FunctionContext, user: User): Promise<Dict> {
  return new Map<Value, Value>([
    ['gid', user.gid],
    ['groups', await groupsOf(ctx, user.name)],
    ['home', user.home],
    ['name', user.name],
    ['passwd', user.passwd ?? 'x'],
    ['shell', user.shell],
    ['uid', user.uid],
    ...Object.entries(gecosOf(user)),
  ])
}

/** Return the facts about a user; an empty dict without such a user. */
export async function info(ctx: FunctionContext, name: string, root: string | null = null): Promise<Dict> {
  const user = await userOf(ctx, name, root)
  return user === undefined ? new Map() : infoOf(ctx, user)
}
