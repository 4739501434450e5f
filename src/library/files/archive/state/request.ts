// The arguments of archive.extracted, and what can be wrong with them.
import { isAbsolute, relative } from 'node:path/posix'
import { type Dict, isInt, str, truthy, type Value } from '../../../../data/mod.ts'
import { isHostError, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'

export interface Wish {
  name: string
  source: Value
  source_hash: Value
  source_hash_name: Value
  source_hash_update: boolean
  skip_files_list_verify: boolean
  skip_verify: boolean
  password: Value
  options: Value
  list_options: Value
  force: boolean
  overwrite: boolean
  clean: boolean
  clean_parent: boolean
  user: Value
  group: Value
  if_missing: Value
  trim_output: Value
  use_cmd_unzip: Value
  extract_perms: boolean
  enforce_toplevel: boolean
  enforce_ownership_on: Value
  archive_format: Value
  use_etag: Value
  signature: Value
  source_hash_sig: Value
  signed_by_any: Value
  signed_by_all: Value
  keyring: Value
  gnupghome: Value
  sig_backend: string
  kwargs: Map<string, Value>
}

/** What the steps share. */
export interface Work {
  ctx: StateContext
  wish: Wish
  changes: Dict
  warnings: string[]
  /** The target, ending in a slash. */
  target: string
  uid: number
  gid: number
}

export function ending(work: Pick<Work, 'wish' | 'changes' | 'warnings'>) {
  const { wish, changes, warnings } = work
  return (result: boolean | null, comment: string): StateReturn => ({
    name: wish.name,
    result,
    changes,
    comment,
    ...(warnings.length > 0 && { warnings }),
  })
}

const isAbsoluteOrNone = (path: Value): boolean => path === null || (typeof path === 'string' && isAbsolute(path))

/** Faults of the paths, before anything is looked up. */
export async function pathFault(ctx: StateContext, wish: Wish): Promise<string | undefined> {
  const { name, if_missing, enforce_ownership_on } = wish
  if (wish.skip_files_list_verify && wish.skip_verify) {
    return 'Only one of "skip_files_list_verify" and "skip_verify" can be set to True'
  }
  if (!isAbsolute(name)) return `${name} is not an absolute path`
  if ((await ctx.host.stat(name.replace(/\/+$/, '')))?.type === 'file') return `${name} exists and is not a directory`
  if (!isAbsoluteOrNone(if_missing)) return "Value for 'if_missing' is not an absolute path"
  if (!isAbsoluteOrNone(enforce_ownership_on)) return "Value for 'enforce_ownership_on' is not an absolute path"
  if (enforce_ownership_on !== null && relative(name, str(enforce_ownership_on)).startsWith('../')) {
    return `Value for 'enforce_ownership_on' must be within ${name.replace(/\/+$/, '')}/`
  }
  return undefined
}

/** The numbers of user and group, -1 for none; a text says who does not exist. */
export async function ownersOf(
  ctx: StateContext,
  { user, group }: Wish,
): Promise<{ uid: number; gid: number } | string> {
  const uid = truthy(user) ? await ctx.call('file.user_to_uid', [user]) : -1
  if (uid === '') return `User ${str(user)} does not exist`
  const gid = truthy(group) ? await ctx.call('file.group_to_gid', [group]) : -1
  if (gid === '') return `Group ${str(group)} does not exist`
  return { uid: Number(str(uid)), gid: Number(str(gid)) }
}

const FORMATS = ['tar', 'rar', 'zip']
const TAR = ['tar', 'tar.gz', 'tgz', 'tar.bz2', 'tbz2', 'tbz', 'tar.xz', 'txz', 'tar.lzma', 'tlz']

function guess(path: string): string | undefined {
  const name = path.toLowerCase()
  if (TAR.some((suffix) => name.endsWith(`.${suffix}`))) return 'tar'
  return ['zip', 'rar'].find((suffix) => name.endsWith(`.${suffix}`))
}

/** The format, or what is wrong about it. */
export function formatOf({ archive_format }: Wish, path: string): { format: string } | string {
  if (!truthy(archive_format)) {
    const guessed = guess(path)
    if (guessed !== undefined) return { format: guessed }
    return `Could not guess archive_format from the value of the 'source' argument. Please set this archive_format to one of the following: ${FORMATS.join(', ')}`
  }
  const format = str(archive_format).toLowerCase()
  if (FORMATS.includes(format)) return { format }
  return `Invalid archive_format '${format}'. Either set it to a supported value (${FORMATS.join(', ')}) or remove this argument and the archive format will be guessed based on file extension.`
}

export interface Options {
  format: string
  options: string | null
  strip: number | null
  byProgram: boolean
  /** As given, or how many lines. */
  trim: Value
}

/** The options in order, or what is wrong about them. */
export function optionsOf(wish: Wish, format: string, warnings: string[]): Options | string {
  const options = wish.options === null ? null : str(wish.options)
  let byProgram = wish.use_cmd_unzip
  if (format === 'zip') {
    if (options && byProgram !== null && !truthy(byProgram)) {
      return "'use_cmd_unzip' cannot be set to False if CLI options are being specified (via the 'options' argument). Either remove 'use_cmd_unzip', or set it to True."
    }
    byProgram ??= options ? true : null
    if (truthy(wish.password) && truthy(byProgram)) {
      warnings.push(
        "Using a password in combination with setting 'use_cmd_unzip' to True is considered insecure. It is recommended to remove the 'use_cmd_unzip' argument (or set it to False) and allow Salt to extract the archive using Python's built-in ZIP file support.",
      )
    }
  } else if (truthy(wish.password)) return "The 'password' argument is only supported for zip archives"
  if (options && format === 'rar') {
    return "The 'options' argument is only compatible with the following archive formats: tar, zip"
  }
  const match = format === 'tar' ? /--strip(?:-components)?(?:\s+|=)["']?(\d+)["']?/.exec(options ?? '') : null
  const trim = wish.trim_output === true ? 100 : wish.trim_output
  const count = truthy(trim) && !isInt(trim) ? Number(str(trim)) : trim
  return { format, options, strip: match ? Number(match[1]) : null, byProgram: truthy(byProgram), trim: count }
}

export async function pathExists(ctx: StateContext, path: Value): Promise<boolean> {
  try {
    return typeof path === 'string' && (await ctx.host.stat(path)) !== undefined
  } catch (error) {
    if (isHostError(error)) return false
    throw error
  }
}
