// `file.line`: insert, ensure, replace or delete one line of a file.
import { decodeBytes, failure, localDatetime, textOf, type Value } from '../../../../data/mod.ts'
import { expandUser, type FunctionContext, isFile, realPath } from '../../../../sdk/mod.ts'
import { editLines, endedLike, type LineEdit, lineEnd } from './line-editing.ts'
import { inTestMode } from './permissions.ts'
import { copyWithFacts } from './rewriting.ts'
import { lineDiff, linesOf } from './text.ts'

interface LineRequest extends Omit<LineEdit, 'mode'> {
  path: string
  mode: Value
  show_changes: boolean
  backup: boolean
  quiet: boolean
}

const MODES = ['insert', 'ensure', 'delete', 'replace']

export async function changeLine(ctx: FunctionContext, request: LineRequest): Promise<Value> {
  const path = await realPath(ctx, await expandUser(ctx, request.path))
  if (!(await isFile(ctx, path))) {
    if (!request.quiet) throw failure(`File "${path}" does not exists or is not a file.`)
    return false
  }
  const given = textOf(request.mode)
  if (given === undefined) throw failure('Mode was not defined. How to process the file?')
  const mode = given.toLowerCase()
  if (!MODES.includes(mode)) throw failure(`Unknown mode: "${mode}"`)
  if (mode !== 'delete' && request.content === null) throw failure('Content can only be empty if mode is "delete"')
  const old = linesOf(decodeBytes(await ctx.host.read(path)))
  const lines = old.length > 0 && lineEnd(old.at(-1)!) !== '' ? [...old, ''] : old
  const fresh = ended(editLines(lines, { ...request, mode }))
  if (old.join('') === fresh.join('')) return false
  if (!inTestMode(ctx)) {
    if (request.backup) await copyWithFacts(ctx, path, `${path}.${stamp(ctx)}`)
    await ctx.host.write(path, fresh.join(''))
  }
  if (!request.show_changes) return true
  return lineDiff(old, fresh) || true
}

/** Return lines with endings like their neighbours, without the empty line that marks the end. */
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
