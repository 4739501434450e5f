// Facts about a file, and the names and ids of its owners.
import { type Dict, failure, float, isInt, PyError, str, textOf, type Value } from '../../../../data/mod.ts'
import {
  exists,
  expandUser,
  type FileStat,
  type FileType,
  type FunctionContext,
  isAbsolute,
  joinPaths,
  normalPath,
  realPath,
} from '../../../../sdk/mod.ts'
import { hashFile } from './hashing.ts'

export async function uidToUser(ctx: FunctionContext, uid: Value): Promise<Value> {
  const account = isInt(uid) || typeof uid === 'boolean' ? await ctx.host.user(Number(uid)) : undefined
  return account?.name ?? uid
}

/** Return the uid of a user; a number stays as it is, and an unknown name gives an empty text. */
export async function userToUid(ctx: FunctionContext, user: Value): Promise<Value> {
  if (user === null) return (await ctx.host.identity()).uid
  if (isInt(user) || typeof user === 'boolean') return user
  return (await ctx.host.user(str(user)))?.uid ?? ''
}

export async function groupToGid(ctx: FunctionContext, group: Value): Promise<Value> {
  if (group === null) return ''
  if (isInt(group) || typeof group === 'boolean') return group
  return (await ctx.host.group(str(group)))?.gid ?? ''
}

export async function gidToGroup(ctx: FunctionContext, gid: Value): Promise<Value> {
  const text = textOf(gid)
  const isNumber = text === undefined || /^\s*[+-]?\d+\s*$/.test(text)
  const number = text !== undefined && isNumber ? Number(text) : isNumber ? gid : await groupToGid(ctx, gid)
  if (number === '') return ''
  return (await ctx.host.group(Number(number)))?.name ?? number
}

export const modeText = (mode: number): string => mode.toString(8).padStart(4, '0')

const TYPES: Readonly<Record<FileType, string>> = {
  file: 'file',
  directory: 'dir',
  char: 'char',
  block: 'block',
  link: 'link',
  fifo: 'pipe',
  socket: 'socket',
}

/** The owner and the mode of a path. */
export interface Ownership {
  uid: number
  gid: number
  user: Value
  group: Value
  mode: string
}

export interface Stats extends Ownership {
  sum: string | undefined
  dict: Dict
}

/** Look at a path; at the link itself for a broken link. */
async function statOf(ctx: FunctionContext, path: string, follow: boolean): Promise<FileStat> {
  const found = (follow ? await ctx.host.stat(path) : undefined) ?? (await ctx.host.lstat(path))
  if (found === undefined) throw failure(`Path not found: ${path}`)
  return found
}

async function ownershipIn(ctx: FunctionContext, { uid, gid, mode }: FileStat): Promise<Ownership> {
  const group = await gidToGroup(ctx, gid)
  const user = await uidToUser(ctx, uid)
  return { uid, gid, user, group, mode: modeText(mode) }
}

/** Return the owner and the mode of a path; those of the link itself for a broken link. */
export async function ownership(ctx: FunctionContext, name: string, follow: boolean): Promise<Ownership> {
  return ownershipIn(ctx, await statOf(ctx, await expandUser(ctx, name), follow))
}

/** Return the facts about a path; those of the link itself for a broken link. */
export async function stats(
  ctx: FunctionContext,
  name: string,
  { hashType = null, follow = true }: { hashType?: string | null; follow?: boolean } = {},
): Promise<Stats> {
  const path = await expandUser(ctx, name)
  const found = await statOf(ctx, path, follow)
  const owned = await ownershipIn(ctx, found)
  const { uid, gid, user, group, mode } = owned
  const dict = facts(found, owned)
  const sum = hashType ? await hashFile(ctx, path, hashType) : undefined
  if (sum !== undefined) dict.set('sum', sum)
  dict.set('type', TYPES[found.type])
  const whole = isAbsolute(path) ? path : joinPaths(await ctx.host.realPath('.'), path)
  dict.set('target', follow ? await realPath(ctx, path) : normalPath(whole))
  return { uid, gid, user, group, mode, sum, dict }
}

function facts(found: FileStat, { user, group, mode }: Ownership): Dict {
  return new Map<Value, Value>([
    ['inode', found.inode],
    ['uid', found.uid],
    ['gid', found.gid],
    ['group', group],
    ['user', user],
    ['atime', float(found.atime)],
    ['mtime', float(found.mtime)],
    ['ctime', float(found.ctime)],
    ['size', found.size],
    ['mode', mode],
  ])
}

/** Set the mode of a path; return the new mode, or a text for an invalid mode. */
export async function setMode(ctx: FunctionContext, name: string, mode: Value): Promise<string> {
  const path = await expandUser(ctx, name)
  const digits = str(mode).replace(/^[0Oo]+/, '') || '0'
  if (!(await exists(ctx, path))) throw failure(`${path}: File not found`)
  if (!/^[0-7]+$/.test(digits)) return `Invalid Mode ${digits}`
  await ctx.host.chmod(path, Number.parseInt(digits, 8))
  return (await ownership(ctx, path, true)).mode
}

/** Return the ids for a change of owner, -1 for no change, and the error about unknown names. */
async function ownerIds(
  ctx: FunctionContext,
  user: Value,
  group: Value,
): Promise<{ uid: Value; gid: Value; error: string }> {
  let [uid, gid] = [await userToUid(ctx, user), await groupToGid(ctx, group)]
  let error = ''
  if (uid === '') {
    if (user === '') uid = -1
    else error += 'User does not exist\n'
  }
  if (gid === '') {
    if (group === '' || group === null) gid = -1
    else error += 'Group does not exist\n'
  }
  return { uid, gid, error }
}

const wrongId = (uid: Value): PyError =>
  new PyError('TypeError', `${uid === '' ? 'uid' : 'gid'} should be integer, not str`)

export async function lchown(ctx: FunctionContext, name: string, user: Value, group: Value): Promise<null> {
  const path = await expandUser(ctx, name)
  const { uid, gid, error } = await ownerIds(ctx, user, group)
  if (error !== '') throw wrongId(uid)
  await ctx.host.lchown(path, Number(uid), Number(gid))
  return null
}

/** Set the owner and group of a path; return None, or the error as text. */
export async function chown(ctx: FunctionContext, name: string, user: Value, group: Value): Promise<string | null> {
  const path = await expandUser(ctx, name)
  const { uid, gid, error } = await ownerIds(ctx, user, group)
  if (!(await exists(ctx, path))) {
    if (error !== '') throw wrongId(uid)
    if (!(await ctx.host.lstat(path))) return 'File not found'
    await ctx.host.lchown(path, Number(uid), Number(gid))
    return null
  }
  if (error !== '') return error
  await ctx.host.chown(path, Number(uid), Number(gid))
  return null
}
