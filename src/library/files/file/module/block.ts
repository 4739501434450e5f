// `file.blockreplace`: the text between two marker lines.
import { dirname } from 'node:path/posix'
import { isA, recover } from '../../../../base/mod.ts'
import {
  compileRegex,
  decodeBytes,
  encodeText,
  failure,
  misuse,
  PyError,
  qualifiedTypeName,
  textOf,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { exists, expandUser, type FunctionContext, isHostError, textFrom } from '../../../../sdk/mod.ts'
import { isText } from '../is-text.ts'
import { copyWithFacts } from './rewriting.ts'
import { lineDiff, linesOf } from './text.ts'

interface BlockRequest {
  path: string
  marker_start: string
  marker_end: string
  content: Value
  append_if_not_found: boolean
  prepend_if_not_found: boolean
  backup: Value
  dry_run: boolean
  show_changes: boolean
  append_newline: Value
  insert_before_match: Value
  insert_after_match: Value
}

const MARKS: ReadonlyArray<readonly [encoding: string, ...bytes: number[]]> = [
  ['UTF-32-BE', 0, 0, 0xfe, 0xff],
  ['UTF-32-LE', 0xff, 0xfe, 0, 0],
  ['UTF-16-BE', 0xfe, 0xff],
  ['UTF-16-LE', 0xff, 0xfe],
]

/** Return the encoding of a byte order mark, else UTF-8; undefined for bytes that are neither. */
function encodingOf(bytes: Uint8Array): string | undefined {
  const marked = MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte))
  if (marked) return marked[0]
  return recover(isA(PyError), undefined, () => {
    decodeBytes(bytes)
    return 'utf-8'
  })
}

function refuseTwoPlaces(request: BlockRequest): void {
  const { append_if_not_found, prepend_if_not_found, insert_before_match, insert_after_match } = request
  if ([append_if_not_found, prepend_if_not_found, insert_before_match, insert_after_match].filter(truthy).length > 1) {
    throw misuse(
      'Only one of append_if_not_found, prepend_if_not_found, insert_before_match, and insert_after_match is permitted',
    )
  }
}

function refuseOddPatterns(request: BlockRequest): void {
  for (const name of ['insert_before_match', 'insert_after_match'] as const) {
    if (truthy(request[name]) && textOf(request[name]) === undefined) {
      throw failure(`RegEx expected in ${name} parameter.`)
    }
  }
}

export async function replaceBlock(ctx: FunctionContext, request: BlockRequest): Promise<Value> {
  refuseTwoPlaces(request)
  const path = await expandUser(ctx, request.path)
  if (!(await exists(ctx, path))) throw misuse(`File not found: ${path}`)
  const bytes = await readBytes(ctx, path)
  const encoding = encodingOf(bytes)
  if (!isText(bytes) && encoding === undefined) {
    throw misuse(`Cannot perform string replacements on a binary file: ${path}`)
  }
  refuseOddPatterns(request)
  const old = linesOf(decodeBytes(bytes, encoding ?? 'utf-8'))
  const fresh = withBlock(old, request)
  const diff = lineDiff(old, fresh)
  if (diff !== '' && !request.dry_run) {
    if (request.backup !== false) await copyWithFacts(ctx, path, `${path}${textFrom(request.backup)}`, true)
    await overwrite(ctx, path, encodeText(fresh.join(''), encoding ?? 'utf-8'))
  }
  return request.show_changes ? diff : diff !== ''
}

/** Write a file. As in Salt, a link becomes a separate file, and its target stays unchanged. */
async function overwrite(ctx: FunctionContext, path: string, bytes: Uint8Array): Promise<void> {
  const { host } = ctx
  const stat = (await host.lstat(path))?.type === 'link' ? await host.stat(path) : undefined
  if (stat === undefined) return host.write(path, bytes)
  const neighbour = await host.tempFile({ directory: dirname(path), content: bytes })
  await host.chown(neighbour, stat.uid, stat.gid)
  await host.chmod(neighbour, stat.mode)
  await host.rename(neighbour, path)
}

async function readBytes(ctx: FunctionContext, path: string): Promise<Uint8Array> {
  try {
    return await ctx.host.read(path)
  } catch (error) {
    if (isHostError(error)) throw failure(`Failed to read from ${path}: ${error.message}`)
    throw error
  }
}

/** Return the lines of the block after the start marker; content without a final newline runs into the end marker. */
function blockLines(request: BlockRequest, lineEnd: string, endLine: string): string[] {
  if (textOf(request.content) === undefined && !(request.content instanceof Uint8Array)) {
    throw new PyError('AttributeError', `'${qualifiedTypeName(request.content)}' object has no attribute 'endswith'`)
  }
  const content = textFrom(request.content)
  const appendNewline = request.append_newline === null ? !content.endsWith('\n') : truthy(request.append_newline)
  const lines = content.split(/\r\n|\n/)
  const last = lines.pop()!
  const end = endLine.replace(/[\r\n]+$/, '') + lineEnd
  const body = lines.map((line) => line + lineEnd)
  return appendNewline ? [...body, last + lineEnd, end] : [...body, last + end]
}

function withBlock(old: readonly string[], request: BlockRequest): string[] {
  const { marker_start, marker_end } = request
  const first = old[0] ?? ''
  const lineEnd = first.endsWith('\r\n') ? '\r\n' : '\n'
  const fresh: string[] = []
  let inBlock = false
  let found = false
  for (const line of old) {
    if (line.includes(marker_start)) {
      inBlock = true
    } else if (inBlock) {
      const at = line.indexOf(marker_end)
      if (at >= 0) {
        inBlock = false
        found = true
        fresh.push(...blockLines(request, lineEnd, line.slice(at)))
      }
      continue
    }
    fresh.push(line)
  }
  if (inBlock) throw failure('Unterminated marked block. End of file reached before marker_end.')
  return found ? fresh : inserted(fresh, request, lineEnd)
}

/** Return the lines with a new block at the place that the request names. */
function inserted(lines: string[], request: BlockRequest, lineEnd: string): string[] {
  const block = [request.marker_start + lineEnd, ...blockLines(request, lineEnd, request.marker_end)]
  if (request.prepend_if_not_found) return [...block, ...lines]
  if (request.append_if_not_found) {
    if (lines.length > 0 && !lines.at(-1)!.endsWith(lineEnd)) lines[lines.length - 1] += lineEnd
    return [...lines, ...block]
  }
  const isBefore = truthy(request.insert_before_match)
  const pattern = textOf(isBefore ? request.insert_before_match : request.insert_after_match)
  const at = pattern ? lines.findIndex((line) => compileRegex(pattern).search(line) !== null) : -1
  if (at < 0) throw failure('Cannot edit marked block. Markers were not found in file.')
  return lines.toSpliced(isBefore ? at : at + 1, 0, ...block)
}
