// The comment block of `slsutil.banner`.
import { center, failure, strip, textLength, wrapText } from '../../../data/mod.ts'

export interface BannerOptions {
  width: number | bigint
  commentchar: string
  borderchar: string
  blockstart: string | null
  blockend: string | null
  title: string | null
  text: string | null
  newline: boolean
}

const TITLE = 'THIS FILE IS MANAGED BY SALT - DO NOT EDIT'
const TEXT =
  'The contents of this file are managed by Salt. ' +
  'Any changes to this file may be overwritten automatically and without warning.'

export function banner(options: BannerOptions): string {
  const { commentchar, blockstart, blockend } = options
  const width = Number(options.width)
  const left = commentchar.trimEnd()
  const right = strip(commentchar)
  const room = width - left.length - right.length - 2
  if (room <= 0) throw failure('Width is too small to render banner')
  const row = (text: string): string => `${left} ${text}${' '.repeat(room - textLength(text))} ${right}`
  const border = commentchar + borderLine(options.borderchar, width - left.length - right.length) + right
  const spacer = commentchar + ' '.repeat(Math.max(0, width - commentchar.length * 2)) + commentchar
  const lines = [
    border,
    spacer,
    ...wrapped(options.title ?? TITLE, room).map((line) => row(center(line, room))),
    spacer,
    ...wrapped(options.text ?? TEXT, room).map(row),
    border,
  ]
  if (blockstart !== null) lines.unshift(blockstart)
  if (blockend !== null) lines.push(blockend)
  return lines.join('\n') + (options.newline ? '\n' : '')
}

const borderLine = (char: string, count: number): string => (char === '' ? '' : [...char][0]!.repeat(count))

function wrapped(text: string, width: number): string[] {
  const blanks = expandTabs(text).replace(/[\n\v\f\r]/g, ' ')
  return wrapText(blanks, { width, breakLongWords: true, breakOnHyphens: true })
}

/** Expand tabs to stops at every eighth column of a line. */
function expandTabs(text: string): string {
  return text.replace(/[^\n\r]+/g, (line) => {
    let out = ''
    for (const char of line) out += char === '\t' ? ' '.repeat(8 - (out.length % 8)) : char
    return out
  })
}
