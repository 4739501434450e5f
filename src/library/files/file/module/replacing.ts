// `file.replace` and `file.search`: regular expressions over a whole file. As in Salt, they match bytes, unless an
// encoding is given.
import {
  compileRegex,
  decodeBytes,
  encodeText,
  failure,
  misuse,
  PyError,
  RegexFlag,
  reEscape,
  splitLines,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { exists, expandUser, type FunctionContext, isFile, isHostError, realPath } from '../../../../sdk/mod.ts'
import { isText } from '../is-text.ts'
import { backUp } from './rewriting.ts'
import { asLatin, byteDiff, fromLatin, lineDiff, linesOf, regexFlags } from './text.ts'

interface Replacement {
  path: string
  pattern: string
  repl: string
  count?: number
  flags: Value
  append?: boolean
  prepend?: boolean
  not_found_content?: string | null
  backup?: string
  dry_run: boolean
  search_only: boolean
  show_changes?: boolean
  ignore_if_missing: boolean
  backslash_literal?: boolean
  encoding?: string | null
}

/** A view of the content of a file: as characters, or byte by byte. */
interface View {
  decode(bytes: Uint8Array): string
  encode(text: string): Uint8Array
  /** Return given text in this view. */
  written(text: string): string
  lines(text: string): string[]
  diff(old: string[], fresh: string[]): string
  flags: number
}

const BYTES: View = {
  decode: asLatin,
  encode: fromLatin,
  written: (text) => asLatin(encodeText(text)),
  lines: linesOf,
  diff: byteDiff,
  flags: RegexFlag.ASCII,
}

const encodedView = (encoding: string): View => ({
  decode: (bytes) => decodeBytes(bytes, encoding),
  encode: (text) => encodeText(text, encoding),
  written: (text) => text,
  lines: (text) => splitLines(text, true),
  diff: lineDiff,
  flags: 0,
})

async function openedPath(ctx: FunctionContext, request: Replacement): Promise<string | undefined> {
  const path = await realPath(ctx, await expandUser(ctx, request.path))
  if (!(await exists(ctx, path))) {
    if (request.ignore_if_missing) return undefined
    throw misuse(`File not found: ${path}`)
  }
  return path
}

function refuseContradictions({ search_only, append, prepend }: Replacement): void {
  if (search_only && (append || prepend)) throw misuse('search_only cannot be used with append/prepend_if_not_found')
  if (append && prepend) throw misuse('Only one of append and prepend_if_not_found is permitted')
}

/** Replace matches; return the difference, whether there is one, or for a search whether the pattern matches. */
export async function replaceInFile(ctx: FunctionContext, request: Replacement): Promise<Value> {
  const path = await openedPath(ctx, request)
  if (path === undefined) return false
  const encoding = request.encoding ?? null
  // a directory is not text either
  const bytes = encoding === null && !(await isFile(ctx, path)) ? undefined : await readBytes(ctx, path)
  if (bytes === undefined || (encoding === null && !isText(bytes))) {
    throw misuse(`Cannot perform string replacements on a binary file: ${path}`)
  }
  refuseContradictions(request)
  const view = encoding === null ? BYTES : encodedView(encoding)
  const flags = regexFlags(request.flags)
  if (encoding === null && flags & RegexFlag.UNICODE) {
    throw new PyError('ValueError', 'cannot use UNICODE flag with a bytes pattern')
  }
  const pattern = compileRegex(view.written(request.pattern), flags | view.flags)
  const text = view.decode(bytes)
  if (request.search_only) return pattern.search(text) !== null
  const old = view.lines(text)
  const fresh = revised(request, { view, flags, text, pattern })
  const changed = old.length !== fresh.length || old.some((line, at) => line !== fresh[at])
  if (changed && !request.dry_run) {
    if (request.backup) await backUp(ctx, await expandUser(ctx, request.path), path, request.backup)
    await ctx.host.write(path, view.encode(fresh.join('')))
  }
  const diff = view.diff(old, fresh)
  return (request.show_changes ?? true) ? diff : diff !== ''
}

interface Look {
  view: View
  flags: number
  text: string
  pattern: ReturnType<typeof compileRegex>
}

function revised(request: Replacement, { view, flags, text, pattern }: Look): string[] {
  const { count = 0, append = false, prepend = false, backslash_literal = false } = request
  const repl = view.written(request.repl)
  const template = backslash_literal ? repl.replaceAll('\\', '\\\\') : repl
  const found = pattern.search(text) !== null
  const fresh = view.lines(pattern.sub(template, text, count))
  if (found || !(append || prepend)) return fresh
  const wanted = request.not_found_content ?? null
  const content = wanted ? view.written(wanted) : repl
  // an earlier run may have added the content
  const isThere = compileRegex(`^${reEscape(content)}($|(?=\\r\\n))`, flags | view.flags).search(text) !== null
  if (isThere) return fresh
  const line = `${wanted === null ? repl : view.written(wanted)}\n`
  if (prepend) return [line, ...fresh]
  if (fresh.length > 0 && !fresh.at(-1)!.endsWith('\n')) fresh[fresh.length - 1] += '\n'
  return [...fresh, line]
}

async function readBytes(ctx: FunctionContext, path: string): Promise<Uint8Array> {
  try {
    return await ctx.host.read(path)
  } catch (error) {
    if (isHostError(error)) throw failure(`Unable to open file '${path}'. Exception: ${error.message}`)
    throw error
  }
}

interface Search extends Pick<Replacement, 'path' | 'pattern' | 'flags' | 'ignore_if_missing'> {
  multiline: boolean
}

export async function searchFile(ctx: FunctionContext, search: Search): Promise<boolean> {
  const flags = regexFlags(search.flags) | (search.multiline ? RegexFlag.MULTILINE : 0)
  return truthy(await replaceInFile(ctx, { ...search, repl: '', flags, search_only: true, dry_run: true }))
}
