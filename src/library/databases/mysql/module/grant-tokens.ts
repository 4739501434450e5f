// Parses a GRANT statement: privileges, level, user and host. Words are split like in Python's shlex with `'` and
// back-quote as quotes, because the parts are compared as in Salt.
import { valueError } from '../../../../data/mod.ts'

export interface GrantTokens {
  user: string
  host: string
  grant: string[]
  database: string
}

const WORD = /[A-Za-z0-9_"]/
const QUOTES = "'`"

/** The end of the word or quoted piece that begins at a position. */
function endOf(text: string, start: number): number {
  const first = text[start]!
  if (QUOTES.includes(first)) {
    const close = text.indexOf(first, start + 1)
    if (close < 0) throw valueError('No closing quotation')
    return close + 1
  }
  let end = start + 1
  if (WORD.test(first)) while (end < text.length && (WORD.test(text[end]!) || QUOTES.includes(text[end]!))) end += 1
  return end
}

function words(text: string): string[] {
  const found: string[] = []
  let position = 0
  while (position < text.length) {
    if (/\s/.test(text[position]!)) {
      position += 1
      continue
    }
    const end = endOf(text, position)
    found.push(text.slice(position, end))
    position = end
  }
  return found
}

/** Return the privileges before `ON`; a privilege on columns is followed by `UPDATE.column` for each column. */
function privileges(tokens: readonly string[]): string[] {
  const found: string[] = []
  let current = ''
  let phrase: string[] = []
  let inColumns = false
  for (const [i, token] of tokens.entries()) {
    if (token === ',') continue
    if (token === '(' || token === ')') {
      inColumns = token === '('
      continue
    }
    const next = tokens[i + 1]
    if (next !== undefined && ![',', '(', ')'].includes(next)) {
      phrase.push(token)
      continue
    }
    if (phrase.length > 0) found.push([...phrase, token].join(' '))
    else if (inColumns) found.push(`${current}.${token}`)
    else {
      current = token
      found.push(token)
    }
    phrase = []
  }
  return found
}

const bare = (text: string): string => text.replace(/^'+|'+$/g, '')

/** Parse a statement; `known` is the user and host if the statement lacks them. */
export function grantTokens(statement: string, known?: { user: string; host: string }): GrantTokens {
  const tokens = words(statement)
  const on = tokens.indexOf('ON')
  const grant = privileges(tokens.slice(1, on))
  const target = tokens.slice(on + 1)
  // without a dot there is no level, and the rest counts as one name
  const dot = target.indexOf('.')
  const to = dot < 0 ? -1 : target.indexOf('TO', dot)
  const database = target.slice(0, to < 0 ? undefined : to).join('')
  if (known) return { ...known, grant, database }
  if (to < 0) return { user: '', host: '', grant, database }
  const rest = target.slice(to + 1)
  const at = rest.indexOf('@')
  if (at < 0) return { user: bare(rest.join('')), host: '', grant, database }
  return { user: bare(rest.slice(0, at).join('')), host: bare(rest[at + 1] ?? ''), grant, database }
}
