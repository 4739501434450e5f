// Users as user.info tells them: a line of passwd, its comment field by parts, and the groups.
import { contains, type Dict, decodeBytes, SaltError, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, groupIdsOf, parsePasswd, type User } from '../../../../sdk/mod.ts'

export const GECOS = ['fullname', 'roomnumber', 'workphone', 'homephone', 'other'] as const
export type GecosField = (typeof GECOS)[number]

export const kernelIs = (ctx: FunctionContext, ...kernels: string[]): boolean =>
  contains(kernels, ctx.grains.get('kernel') ?? '')

/** Where the accounts of another root are read and changed; AIX knows no such thing. */
const otherRoot = (ctx: FunctionContext, root: Value): string | undefined =>
  root === null || kernelIs(ctx, 'AIX') ? undefined : str(root)

/** Options that make a command work below another root. */
export function rootOption(ctx: FunctionContext, root: Value): string[] {
  const path = otherRoot(ctx, root)
  return path === undefined ? [] : ['-R', path]
}

export async function program(ctx: FunctionContext, name: string): Promise<string> {
  const path = await ctx.host.which(name)
  if (path === undefined) throw new SaltError('CommandExecutionError', `Command '${name}' cannot be found`)
  return path
}

export async function usersOf(ctx: FunctionContext, root: Value): Promise<User[]> {
  const path = otherRoot(ctx, root)
  if (path === undefined) return ctx.host.users()
  return parsePasswd(decodeBytes(await ctx.host.read(`${path === '' ? '' : path.replace(/\/$/, '')}/etc/passwd`)))
}

export async function userOf(ctx: FunctionContext, name: Value, root: Value): Promise<User | undefined> {
  if (otherRoot(ctx, root) === undefined) return ctx.host.user(str(name))
  return (await usersOf(ctx, root)).find((user) => user.name === str(name))
}

/** Names of all groups a user is in, the primary one included; groups that share a number all count. */
export async function groupsOf(ctx: FunctionContext, name: Value): Promise<string[]> {
  const user = await ctx.host.user(str(name))
  const all = await ctx.host.groups()
  const ids = user === undefined ? [] : groupIdsOf(user, all)
  const names = all.filter(({ gid, members }) => ids.includes(gid) || members.includes(str(name)))
  const primary = user && !all.some(({ gid }) => gid === user.gid) ? await ctx.host.group(user.gid) : undefined
  return [...new Set([...names, ...(primary ? [primary] : [])].map(({ name }) => name))].sort()
}

/** The comment field by its parts; the last one takes further commas. */
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

/** An empty dict when there is no such user. */
export async function info(ctx: FunctionContext, name: Value, root: Value = null): Promise<Dict> {
  const user = await userOf(ctx, name, root)
  return user === undefined ? new Map() : infoOf(ctx, user)
}
