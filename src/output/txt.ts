// Each line of each minion's answer behind the minion's name, as commands show themselves.
import { isDict, pformat, repr, splitLines, str, textOf, type Value } from '../data/mod.ts'
import type { Outputter } from './outputter.ts'

export const txt: Outputter = (data) => {
  if (!isDict(data)) return `${textOf(data) ?? pformat(data)}\n`
  let out = ''
  for (const [key, value] of data) {
    for (const line of linesOf(value)) out += `${str(key)}: ${line}\n`
  }
  return out
}

function linesOf(value: Value): string[] {
  const text = textOf(value)
  if (text !== undefined) return splitLines(text)
  return value instanceof Uint8Array ? bytesLines(value) : [str(value)]
}

/** `bytes.splitlines`: only carriage returns and line feeds end a line. */
function bytesLines(bytes: Uint8Array): string[] {
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/\r\n|\r|\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => repr(new Uint8Array(Buffer.from(line, 'latin1'))))
}
