// The content of an archive: directories, files and links.
import { BrineError, toError } from '../../../../base/mod.ts'
import {
  failure,
  isInt,
  SaltError,
  shlexSplit,
  sorted,
  str,
  textOf,
  truthy,
  urlParts,
  type Value,
} from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, type Result } from '../../../../sdk/mod.ts'
import { outputOf, plainBytes } from './decompress.ts'
import { readTar, TarError, type TarMember } from './tar-reader.ts'
import { isZipDirectory, isZipLink, readZip, ZipError } from './zip-reader.ts'

export interface Contents {
  dirs: string[]
  files: string[]
  links: string[]
}

export interface ListRequest {
  name: string
  archive_format: string | null
  options: string | null
  strip_components: Value
  clean: boolean
  verbose: boolean
  saltenv: string
  source_hash: string | null
  use_etag: boolean
}

const TAR = ['tar', 'tar.gz', 'tgz', 'tar.bz2', 'tbz2', 'tbz', 'tar.xz', 'txz', 'tar.lzma', 'tlz']

function guessFormat(path: string): string | undefined {
  const name = path.toLowerCase()
  if (TAR.some((ending) => name.endsWith(`.${ending}`))) return 'tar'
  return ['zip', 'rar'].find((ending) => name.endsWith(`.${ending}`))
}

export type Source = Pick<ListRequest, 'name' | 'saltenv' | 'source_hash' | 'use_etag'>

/** Return the path of the archive on this machine. */
export async function cachedArchive(
  ctx: FunctionContext,
  { name, saltenv, source_hash, use_etag }: Source,
): Promise<string> {
  if (name.startsWith('/')) return name
  const cached = await ctx.call('cp.cache_file', [name, saltenv], { source_hash, use_etag })
  if (!cached) throw failure(`Failed to cache ${name}`)
  return cached
}

/** Return an error with the path of the archive, as Salt adds it. */
export function located(message: string, path: string): SaltError {
  const end = /[.?!]$/.test(message.trimEnd()) ? '' : '.'
  return failure(`${message}${end} Additional info follows:\n\narchive location:\n    ${path}`)
}

export async function listArchive(ctx: FunctionContext, request: ListRequest): Promise<Result> {
  const cached = await cachedArchive(ctx, request)
  try {
    const strip = stripCount(request.strip_components)
    const contents = await contentsOf(ctx, request, cached)
    if (request.clean) await clean(ctx, cached)
    if (strip > 0) for (const list of Object.values(contents) as string[][]) stripPaths(list, strip)
    return request.verbose ? detailed(contents) : sort([...contents.dirs, ...contents.files, ...contents.links])
  } catch (error) {
    if (error instanceof SaltError) throw located(error.message, cached)
    throw error
  }
}

const sort = (paths: readonly string[]): string[] => sorted([...paths]) as string[]

function stripCount(given: Value): number {
  if (!truthy(given)) return 0
  const count = isInt(given) ? Number(given) : -1
  if (count <= 0) throw failure("'strip_components' must be a positive integer")
  return count
}

function stripPaths(paths: string[], count: number): void {
  const stripped = paths.map((path) => path.split('/').slice(count).join('/')).filter((path) => path !== '')
  paths.splice(0, paths.length, ...sort(stripped))
}

async function contentsOf(ctx: FunctionContext, request: ListRequest, cached: string): Promise<Contents> {
  const { name, options } = request
  const { path, netloc } = urlParts(name)
  const format = truthy(request.archive_format) ? str(request.archive_format) : guessFormat(path || netloc)
  if (format === undefined) {
    throw failure("Unable to guess archive format, please pass an 'archive_format' argument.")
  }
  try {
    if (format === 'tar') return await listTar(ctx, name, cached, textOf(options))
    if (format === 'zip') return await listZip(ctx, cached)
    if (format === 'rar') return await listRar(ctx, name)
  } catch (error) {
    if (error instanceof ZipError) throw failure(`${name} is not a ZIP file`)
    if (error instanceof SaltError) throw error
    if (isHostError(error)) throw failure(`Failed to list contents of ${name}: ${error.message}`)
    if (!(error instanceof BrineError)) throw error
    throw failure(`Uncaught exception '${toError(error).message}' when listing contents of ${name}`)
  }
  throw failure(`Unsupported archive format '${format}'`)
}

const divided = (members: readonly TarMember[]): Contents => ({
  dirs: members.filter(({ type }) => type === 'directory').map(({ name }) => `${name}/`),
  files: members.filter(({ type }) => type === 'file').map(({ name }) => name),
  links: members.filter(({ type }) => type === 'link').map(({ name }) => name),
})

async function listTar(ctx: FunctionContext, name: string, path: string, program?: string): Promise<Contents> {
  try {
    return divided(await readTar(await plainBytes(ctx, path)))
  } catch (error) {
    if (!(error instanceof TarError)) throw error
  }
  if (program !== undefined) {
    try {
      return divided(await readTar(outputOf(ctx, [...shlexSplit(program), path])))
    } catch (error) {
      if (!(error instanceof TarError)) throw error
      throw failure(`Failed to decompress ${name}`)
    }
  }
  throw failure(
    `Unable to list contents of ${name}. If this is an XZ-compressed tar archive, install XZ Utils to enable listing its contents. If it is compressed using something other than XZ, it may be necessary to specify CLI options to decompress the archive. See the documentation for details.`,
  )
}

async function listZip(ctx: FunctionContext, path: string): Promise<Contents> {
  const dirs = new Set<string>()
  const files: string[] = []
  const links: string[] = []
  for (const member of await readZip(ctx, path)) {
    if (isZipLink(member)) links.push(member.name)
    else if (isZipDirectory(member)) dirs.add(member.name)
    else files.push(member.name)
  }
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/') + 1)
    if (folder !== '') dirs.add(folder)
  }
  return { dirs: [...dirs], files: files.filter((file) => !dirs.has(file)), links }
}

async function listRar(ctx: FunctionContext, name: string): Promise<Contents> {
  if ((await ctx.host.which('rar')) === undefined) throw failure('rar command not available, is it installed?')
  const output = await ctx.call('cmd.run', [['rar', 'lt', name]], { python_shell: false })
  const dirs: string[] = []
  const files: string[] = []
  for (const [, path, type] of output.matchAll(/Name:\s*([^\n]+)\s*Type:\s*([^\n]+)/g)) {
    if (type === 'Directory') dirs.push(`${path}/`)
    else files.push(path!)
  }
  if (dirs.length > 0 || files.length > 0) return { dirs, files, links: [] }
  throw failure(
    `Failed to list ${name}, is it a rar file? If so, the installed version of rar may be too old to list data in a parsable format. Installing the rarfile Python module may be an easier workaround if newer rar is not readily available.`,
  )
}

export async function clean(ctx: FunctionContext, path: string): Promise<void> {
  try {
    await ctx.host.remove(path)
  } catch (error) {
    if (!isHostError(error)) throw error
    if (error.code !== 'ENOENT') ctx.log('warning', `Failed to clean cached archive ${path}: ${error.message}`)
  }
}

function detailed({ dirs, files, links }: Contents): Result {
  const [d, f, l] = [sort(dirs), sort(files), sort(links)]
  const depth = (path: string): number => path.split('/').length - 1
  const top = d.filter((path) => depth(path) === 1)
  const common = commonPrefix([...d, ...f, ...l])
  if (common.includes('/')) {
    const folder = `${common.split('/')[0]}/`
    if (!top.includes(folder)) top.push(folder)
  }
  return {
    dirs: d,
    files: f,
    links: l,
    top_level_dirs: top,
    top_level_files: f.filter((path) => depth(path) === 0),
    top_level_links: l.filter((path) => depth(path) === 0),
  }
}

function commonPrefix(paths: readonly string[]): string {
  let prefix = paths[0] ?? ''
  for (const path of paths) while (!path.startsWith(prefix)) prefix = prefix.slice(0, -1)
  return prefix
}
