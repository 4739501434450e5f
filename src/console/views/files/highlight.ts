// Colours for text of SLS files, templates and scripts, line by line: comments, keys, strings and Jinja. Enough to read by; no parser.

export type Kind = 'comment' | 'key' | 'string' | 'jinja' | 'plain'

/** Longer lines are left plain. */
const LONGEST = 2000

/** The key of a mapping at the beginning of a line, behind the dashes of lists. */
const KEY = /^(\s*(?:- +)*)([^\s:#'"{}-][^:#'"{}]*:)(?=\s|$)/

const PARTS =
  /(?<jinja>\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})|(?<comment>(?:^|(?<=\s))#.*$)|(?<string>"(?:[^"\\]|\\.)*"|'[^']*')/g

const KINDS = ['jinja', 'comment', 'string'] as const

/** Cut a line into parts of one kind each. */
export function highlight(line: string): Array<readonly [Kind, string]> {
  if (line.length > LONGEST) return [['plain', line]]
  const parts: Array<readonly [Kind, string]> = []
  const add = (kind: Kind, text: string): void => {
    if (text !== '') parts.push([kind, text])
  }
  const [whole = '', indent = '', key = ''] = KEY.exec(line) ?? []
  add('plain', indent)
  add('key', key)
  const rest = line.slice(whole.length)
  let at = 0
  for (const match of rest.matchAll(PARTS)) {
    add('plain', rest.slice(at, match.index))
    add(KINDS.find((name) => match.groups?.[name] !== undefined) ?? 'plain', match[0])
    at = match.index + match[0].length
  }
  add('plain', rest.slice(at))
  return parts
}
