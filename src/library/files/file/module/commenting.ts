// Comments: add a mark to the lines that match a pattern, or remove it.
import { compileRegex, decodeBytes, misuse } from '../../../../data/mod.ts'
import { expandUser, type FunctionContext, isFile, realPath } from '../../../../sdk/mod.ts'
import { isText } from '../is-text.ts'
import { copyWithFacts } from './rewriting.ts'
import { binaryLines, lineDiff } from './text.ts'

export interface CommentRequest {
  path: string
  regex: string
  char: string
  comment: boolean
  backup: string
}

function patternOf({ regex, char, comment }: CommentRequest): string {
  const inner = regex.replace(/^\^+/, '').replace(/\$+$/, '')
  const end = regex.endsWith('$') ? '$' : ''
  return comment ? `${regex.startsWith('^') ? '^' : ''}(${inner})${end}` : `^${char}\\s*(${inner})${end}`
}

function withoutMark(line: string, char: string): string {
  let at = 0
  while (at < line.length && char.includes(line[at]!)) at++
  return line.slice(at)
}

/** Comment or uncomment lines; return the difference, or False if no line matched. */
export async function changeComments(ctx: FunctionContext, request: CommentRequest): Promise<string | false> {
  const pattern = compileRegex(patternOf(request))
  const path = await realPath(ctx, await expandUser(ctx, request.path))
  if (!(await isFile(ctx, path))) throw misuse(`File not found: ${path}`)
  const bytes = await ctx.host.read(path)
  if (!isText(bytes)) throw misuse(`Cannot perform string replacements on a binary file: ${path}`)
  const lines = binaryLines(decodeBytes(bytes))
  const { char } = request
  const change = (line: string): string => (request.comment ? char + line : withoutMark(line, char))
  const old = lines.filter((line) => pattern.match(line) !== null)
  if (old.length === 0) return false
  const text = lines.map((line) => (pattern.match(line) === null ? line : change(line))).join('')
  if (request.backup) await copyWithFacts(ctx, path, `${path}${request.backup}`, true)
  await ctx.host.write(path, text)
  return lineDiff(old, old.map(change))
}
