// The arguments of `archive.extracted`, and their possible errors.
import { isAbsolute, relative } from 'node:path/posix'
import { recover } from '../../../../base/mod.ts'
import { type Dict, isInt, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, isHostError, optionalText, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'

const flag = (doc: string, otherwise = false) => arg.boolean(doc, { default: otherwise })
const any = (doc: string) => arg.any(doc, { optional: true })

export const extractedArgs = {
  name: arg.string('Path of the directory'),
  source: arg.textOrList('Path or URL of the archive, or a list of them; the first one found is used'),
  source_hash: optionalText('Hash of the archive: the hash, `type=hash`, or the path or URL of a file of hashes'),
  source_hash_name: optionalText('Name of the archive in the file of hashes'),
  source_hash_update: flag('Unpack again when the hash has changed'),
  skip_files_list_verify: flag('Compare only the hash, not the list of files'),
  skip_verify: flag('Skip the hash check'),
  password: arg.text('Password of a zip archive', { optional: true, secret: true }),
  options: optionalText('Options of tar or unzip'),
  list_options: optionalText('Command that decompresses the archive for listing'),
  force: flag('Remove files in the way of directories, and directories in the way of files'),
  overwrite: flag('Unpack even if all files exist'),
  clean: flag('Remove the top-level paths of the archive before it is unpacked'),
  clean_parent: flag('Remove the directory before the archive is unpacked'),
  user: any('Owner: a name or a uid'),
  group: any('Group: a name or a gid'),
  if_missing: optionalText('Path; the archive is unpacked only if it does not exist'),
  trim_output: arg.any('Maximum number of files to report; True means 100, False all', { default: false }),
  use_cmd_unzip: arg.flag('Use the unzip program', { optional: true }),
  extract_perms: flag('Keep the permissions of zip archives', true),
  enforce_toplevel: flag('Refuse an archive without a single top-level directory', true),
  enforce_ownership_on: optionalText('Path whose owner is set instead of that of the whole content'),
  archive_format: optionalText('Format: `tar`, `zip` or `rar`; by default from the name'),
  use_etag: arg.flag('Use the ETag of an HTTP server to detect changes', { default: false }),
  signature: any('URL of the detached signature of the archive, a list of URLs, or True for an inline one'),
  source_hash_sig: any('URL of the signature of the file of hashes, a list, or True for an inline one'),
  signed_by_any: any('Signing keys of which one must have signed: text or a list'),
  signed_by_all: any('Signing keys that must all have signed: text or a list'),
  keyring: optionalText('Keyring of the signing keys'),
  gnupghome: optionalText('GnuPG home directory'),
  sig_backend: arg.string('Module that verifies signatures', { default: 'gpg' }),
  kwargs: arg.open('Passed to the functions that unpack; `keep_source` keeps the cached archive'),
}

export type Extraction = Bound<typeof extractedArgs>

/** Data that the steps share. */
export interface Work {
  ctx: StateContext
  request: Extraction
  changes: Dict
  warnings: string[]
  /** The target, ending in a slash. */
  target: string
  uid: number
  gid: number
}

export function ending(work: Pick<Work, 'request' | 'changes' | 'warnings'>) {
  const { request, changes, warnings } = work
  return (result: boolean | null, comment: string): StateReturn => ({
    name: request.name,
    result,
    changes,
    comment,
    ...(warnings.length > 0 && { warnings }),
  })
}

const isAbsoluteOrNone = (path: string | null): boolean => path === null || isAbsolute(path)

/** Return the fault of the paths. */
export async function pathFault(ctx: StateContext, request: Extraction): Promise<string | undefined> {
  const { name, if_missing, enforce_ownership_on } = request
  if (request.skip_files_list_verify && request.skip_verify) {
    return 'Only one of "skip_files_list_verify" and "skip_verify" can be set to True'
  }
  if (!isAbsolute(name)) return `${name} is not an absolute path`
  if ((await ctx.host.stat(name.replace(/\/+$/, '')))?.type === 'file') return `${name} exists and is not a directory`
  if (!isAbsoluteOrNone(if_missing)) return "Value for 'if_missing' is not an absolute path"
  if (!isAbsoluteOrNone(enforce_ownership_on)) return "Value for 'enforce_ownership_on' is not an absolute path"
  if (enforce_ownership_on !== null && relative(name, enforce_ownership_on).startsWith('../')) {
    return `Value for 'enforce_ownership_on' must be within ${name.replace(/\/+$/, '')}/`
  }
  return undefined
}

/** Return the ids of user and group, -1 for none, or the fault of an unknown one. */
export async function ownersOf(
  ctx: StateContext,
  { user, group }: Extraction,
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

/** Return the format, or its fault. */
export function formatOf({ archive_format }: Extraction, path: string): { format: string } | string {
  if (!archive_format) {
    const guessed = guess(path)
    if (guessed !== undefined) return { format: guessed }
    return `Could not guess archive_format from the value of the 'source' argument. Please set this archive_format to one of the following: ${FORMATS.join(', ')}`
  }
  const format = archive_format.toLowerCase()
  if (FORMATS.includes(format)) return { format }
  return `Invalid archive_format '${format}'. Either set it to a supported value (${FORMATS.join(', ')}) or remove this argument and the archive format will be guessed based on file extension.`
}

export interface Options {
  format: string
  options: string | null
  strip: number | null
  byProgram: boolean
  /** Maximum number of files to report; False for all. */
  trim: Value
}

/** Return the options for unpacking, or their fault. */
export function optionsOf(request: Extraction, format: string, warnings: string[]): Options | string {
  const { options } = request
  let byProgram = request.use_cmd_unzip
  if (format === 'zip') {
    if (options && byProgram === false) {
      return "'use_cmd_unzip' cannot be set to False if CLI options are being specified (via the 'options' argument). Either remove 'use_cmd_unzip', or set it to True."
    }
    byProgram ??= options ? true : null
    if (request.password && byProgram) {
      warnings.push(
        "Using a password in combination with setting 'use_cmd_unzip' to True is considered insecure. It is recommended to remove the 'use_cmd_unzip' argument (or set it to False) and allow Salt to extract the archive using Python's built-in ZIP file support.",
      )
    }
  } else if (request.password) return "The 'password' argument is only supported for zip archives"
  if (options && format === 'rar') {
    return "The 'options' argument is only compatible with the following archive formats: tar, zip"
  }
  const match = format === 'tar' ? /--strip(?:-components)?(?:\s+|=)["']?(\d+)["']?/.exec(options ?? '') : null
  const trim = request.trim_output === true ? 100 : request.trim_output
  const count = truthy(trim) && !isInt(trim) ? Number(str(trim)) : trim
  return { format, options, strip: match ? Number(match[1]) : null, byProgram: byProgram ?? false, trim: count }
}

export async function pathExists(ctx: StateContext, path: string | null): Promise<boolean> {
  return recover(isHostError, false, async () => path !== null && (await ctx.host.stat(path)) !== undefined)
}
