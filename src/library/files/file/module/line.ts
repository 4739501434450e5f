// `file.line`: one line of a file, put in, replaced, deleted or made sure of.
import { decodeBytes, localDatetime, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { expandUser, type FunctionContext, isFile, realPath } from '../../../../sdk/mod.ts'
import { editLines, endedLike, lineEnd } from './line-editing.ts'
import { inTestMode } from './permissions.ts'
import { copyWithFacts, failed } from './rewriting.ts'
import { lineDiff, linesOf } from './text.ts'

export interface LineRequest {
  path: Value
  content: Value
  match: Value
  mode: Value
  location: Value
  before: Value
  after: Value
  showChanges: Value
  backup: Value
  quiet: Value
  indent: Value
}

const MODES = ['insert', 'ensure', 'delete', 'replace']

export async function changeLine(ctx: FunctionContext, request: LineRequest): Promise<Value> {
  const path = await realPath(ctx, await expandUser(ctx, request.path))
  if (!(await isFile(ctx, path))) {
    if (!truthy(request.quiet)) throw failed(`File "${path}" does not exists or is not a file.`)
    return false
  }
  const given = textOf(request.mode)
  if (given === undefined) throw failed('Mode was not defined. How to process the file?')
  const mode = given.toLowerCase()
  if (!MODES.includes(mode)) throw failed(`Unknown mode: "${mode}"`)
  if (mode !== 'delete' && request.content === null) throw failed('Content can only be empty if mode is "delete"')
  const old = linesOf(decodeBytes(await ctx.host.read(path)))
  const lines = old.length > 0 && lineEnd(old.at(-1)!) !== '' ? [...old, ''] : old
  const edited = editLines(lines, {
    content: request.content,
    match: request.match,
    mode,
    location: textOf(request.location) ?? null,
    before: request.before,
    after: request.after,
    indent: truthy(request.indent),
  })
  const fresh = ended(edited)
  if (old.join('') === fresh.join('')) return false
  if (!inTestMode(ctx)) {
    if (truthy(request.backup)) await copyWithFacts(ctx, path, `${path}.${stamp(ctx)}`)
    await ctx.host.write(path, fresh.join(''))
  }
  if (!truthy(request.showChanges)) return true
  return lineDiff(old, fresh) || true
}

/** Every line but the last gets an ending, that of its neighbour; the empty line that marked the end goes. */
function ended(lines: readonly string[]): string[] {
  const fresh = [...lines]
  for (const [at, line] of fresh.entries()) {
    if (lineEnd(line) === '' && at + 1 < fresh.length) fresh[at] = endedLike(fresh[at > 1 ? at - 1 : 1]!, line)
  }
  if (fresh.at(-1) === '') fresh.pop()
  return fresh
}

function stamp(ctx: FunctionContext): string {
  return localDatetime(new Date(ctx.host.now() * 1000), 0).strftime('%Y-%m-%d-%H-%M-%S')
}
