// `sed` and `patch` as programs, and Salt's own imitation of sed.
import {
  compileRegex,
  type Dict,
  decodeBytes,
  failure,
  PyError,
  RegexFlag,
  shlexSplit,
  str,
  type Value,
} from '../../../../data/mod.ts'
import { exists, expandUser, type FunctionContext, isDirectory } from '../../../../sdk/mod.ts'
import { copyWithFacts } from './rewriting.ts'

const SPECIAL = '^.[$()|*+?{'

function escaped(text: string, all: boolean): string {
  const plain = text.replaceAll("'", `'"'"'`).replaceAll('/', '\\/')
  return all ? [...SPECIAL].reduce((result, char) => result.replaceAll(char, `\\${char}`), plain) : plain
}

export interface SedRequest {
  path: string
  before: string
  after: string
  limit: string
  backup: string
  options: string
  flags: string
  escape_all: boolean
  negate_match: boolean
}

export async function sed(ctx: FunctionContext, request: SedRequest): Promise<Dict | false> {
  const path = await expandUser(ctx, request.path)
  if (!(await exists(ctx, path))) return false
  const { escape_all: all, flags } = request
  const limit = escaped(request.limit, all)
  const address = `${limit === '' ? '' : `/${limit}/ `}${request.negate_match ? '!' : ''}`
  const script = `${address}s/${escaped(request.before, all)}/${escaped(request.after, all)}/${flags}`
  const cmd = ['sed', `-i${request.backup}`, ...shlexSplit(request.options), script, path]
  return ctx.call('cmd.run_all', [cmd], { python_shell: false })
}

export async function sedContains(
  ctx: FunctionContext,
  { path: given, text, limit, flags }: { path: string; text: string; limit: string; flags: string },
): Promise<boolean> {
  const path = await expandUser(ctx, given)
  if (!(await exists(ctx, path))) return false
  const address = escaped(limit, false) === '' ? '' : `/${escaped(limit, false)}/ `
  const cmd = ['sed', '-n', '-r', '-e', `${address}s/${escaped(text, false)}/$/p${flags}`, path]
  return (await ctx.call('cmd.run', [cmd], { python_shell: false })) !== ''
}

const FLAGS: ReadonlyMap<string, number> = new Map<string, number>([
  ['I', RegexFlag.IGNORECASE],
  ['L', RegexFlag.LOCALE],
  ['M', RegexFlag.MULTILINE],
  ['S', RegexFlag.DOTALL],
  ['U', RegexFlag.UNICODE],
  ['X', RegexFlag.VERBOSE],
])

export interface PsedRequest {
  path: string
  before: string
  after: string
  limit: string
  backup: Value
  flags: string
  escape_all: boolean
}

/** Replace a pattern in the whole text of a file. */
export async function psed(ctx: FunctionContext, request: PsedRequest): Promise<null> {
  const path = await expandUser(ctx, request.path)
  await copyWithFacts(ctx, path, `${path}${str(request.backup)}`)
  if (request.limit !== '') throw new PyError('TypeError', 'must be str or None, not re.Pattern')
  const isGlobal = request.flags.includes('g')
  const flags = [...request.flags.replaceAll('g', '')].reduce((all, letter) => {
    const flag = FLAGS.get(letter)
    if (flag === undefined) throw new PyError('KeyError', `'${letter}'`)
    return all | flag
  }, 0)
  const pattern = compileRegex(escaped(request.before, request.escape_all), flags)
  const text = decodeBytes(await ctx.host.read(path))
  await ctx.host.write(path, pattern.sub(request.after, text, isGlobal ? 0 : 1))
  return null
}

export interface PatchRequest {
  originalfile: string
  patchfile: string
  options: Value
  dry_run: boolean
}

export async function applyPatch(ctx: FunctionContext, request: PatchRequest): Promise<Dict> {
  const program = await ctx.host.which('patch')
  if (program === undefined) {
    throw failure("patch executable not found. Is the distribution's patch package installed?")
  }
  const { options } = request
  const words = Array.isArray(options) ? options.map(str) : shlexSplit(str(options))
  const cmd = [program, ...words]
  const isBsd = ['FreeBSD', 'OpenBSD'].includes(str(ctx.grains.get('kernel') ?? ''))
  if (request.dry_run) cmd.push(isBsd ? '-C' : '--dry-run')
  if (!cmd.includes('-N') && !cmd.includes('--forward')) cmd.push('--forward')
  // rejected hunks are reported instead of left beside the file
  if (!cmd.some((word) => word === '-r' || word.startsWith('-r ') || word.startsWith('--reject-file'))) {
    cmd.push('--reject-file=-')
  }
  cmd.push('-i', request.patchfile)
  if (!(await isDirectory(ctx, request.originalfile)))
    return ctx.call('cmd.run_all', [[...cmd, request.originalfile]], { python_shell: false })
  cmd.push('-d', request.originalfile)
  if (!cmd.some((word) => word.startsWith('-p') || word.startsWith('--strip='))) cmd.push('--strip=0')
  return ctx.call('cmd.run_all', [cmd], { python_shell: false })
}
