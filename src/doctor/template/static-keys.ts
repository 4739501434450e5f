// Keys of a YAML file that may be a template, found without rendering, because its data is unknown.
import { isA, recover } from '../../base/mod.ts'
import { JinjaError } from '../../jinja/mod.ts'
import { plainLines } from './plain-text.ts'

export interface StaticKey {
  key: string
  line: number
  indent: number
  /** The next key or item further left, above it. */
  parent: string | undefined
}

const KEY = /^( *)(?:- )?(?:'([^']*)'|"([^"]*)"|([^\s#'"[\]{},:&*!|>%@`-][^#:]*?))\s*:(?:\s|$)/

/** Return all keys at the beginning of lines, each with its parent key. */
export function keysIn(source: string): StaticKey[] {
  const keys: StaticKey[] = []
  const open: StaticKey[] = []
  for (const [index, line] of linesOf(source).entries()) {
    const found = KEY.exec(line)
    if (!found) continue
    const indent = found[1]!.length
    while (open.length > 0 && open.at(-1)!.indent >= indent) open.pop()
    const key = { key: (found[2] ?? found[3] ?? found[4])!, line: index + 1, indent, parent: open.at(-1)?.key }
    keys.push(key)
    open.push(key)
  }
  return keys
}

/** The keys of a depth, counted from 1. */
export function staticKeys(source: string, depth: number): string[] {
  const keys = keysIn(source)
  const indents = [...new Set(keys.map(({ indent }) => indent))].sort((a, b) => a - b)
  return keys.filter(({ indent }) => indent === indents[depth - 1]).map(({ key }) => key)
}

function linesOf(source: string): string[] {
  return recover(isA(JinjaError), [], () => plainLines(source))
}
