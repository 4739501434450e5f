// Salt's filters on text: shell and regex quoting, names in another case, paths.
import {
  capitalize,
  getItem,
  isLower,
  isUpper,
  iterate,
  SaltError,
  SPACE,
  str,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../../data/mod.ts'
import { noAttribute } from '../../filters/argument.ts'
import { escapeText, Markup } from '../../runtime/markup.ts'
import { type NativeTable, native } from '../../runtime/native.ts'
import type { Kwargs } from '../../runtime/runtime.ts'
import { toBytes, toText } from '../text-bytes.ts'

const ALL_SPACE = new RegExp(`^[${SPACE}]+$`)

function containsWhitespace(value: Value): boolean {
  for (const part of iterate(value)) {
    if (ALL_SPACE.test(textOf(part) ?? noAttribute(part, 'isspace'))) return true
  }
  return false
}

/** The characters of text, or the texts of a list, which Python indexes alike. */
function charsOf(value: Value): string[] {
  const first = getItem(value, 0)
  const text = textOf(value)
  if (text !== undefined) return Array.from(text)
  if (!Array.isArray(value)) return noAttribute(first, 'lower')
  return value.map((part, i) => textOf(part) ?? noAttribute(part, i === 0 ? 'lower' : 'isupper'))
}

function snakeCase(value: Value): Value {
  const chars = charsOf(value)
  const parts = chars.map((char, i) => {
    const next = chars[i + 1]
    const beginsWord = i > 0 && isUpper(char) && (isLower(chars[i - 1]!) || (next !== undefined && isLower(next)))
    return (beginsWord ? '_' : '') + char.toLowerCase()
  })
  if (!(value instanceof Markup)) return parts.join('')
  return new Markup(parts[0] + escapeText(parts.slice(1).join('')))
}

/** Return the text of a value that is split at another text. */
export function splittable(value: Value): string {
  if (value instanceof Uint8Array) throw typeError("a bytes-like object is required, not 'str'")
  return textOf(value) ?? noAttribute(value, 'split')
}

function camelCase(value: Value, upper: Value): Value {
  const [first, ...rest] = splittable(value).split('_') as [string, ...string[]]
  const start = truthy(upper) ? capitalize(first) : first
  const end = rest.map(capitalize).join('')
  return value instanceof Markup ? new Markup(start + escapeText(end)) : start + end
}

/** `shlex.quote`. Markup escapes the marks put around it, as it escapes all plain text it is joined with. */
function shellQuote(value: Value): Value {
  if (!truthy(value)) return "''"
  const text = textOf(value)
  if (text === undefined) {
    if (value instanceof Uint8Array) throw typeError('cannot use a string pattern on a bytes-like object')
    throw typeError(`expected string or bytes-like object, got '${typeName(value)}'`)
  }
  if (/^[\w@%+=:,./-]*$/.test(text)) return value
  const inMarkup = value instanceof Markup
  const mark = inMarkup ? escapeText("'") : "'"
  const within = inMarkup ? escapeText(`'"'"'`) : `'"'"'`
  const quoted = mark + text.replaceAll(mark, within) + mark
  return inMarkup ? new Markup(quoted) : quoted
}

/** `re.escape`. */
function regexEscape(value: Value): Value {
  const escaped = (text: string): string => text.replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, '\\$&')
  const text = textOf(value)
  if (text !== undefined) return value instanceof Markup ? new Markup(escaped(text)) : escaped(text)
  if (value instanceof Uint8Array) {
    return new Uint8Array(Buffer.from(escaped(Buffer.from(value).toString('latin1')), 'latin1'))
  }
  throw typeError(`decoding to str: need a bytes-like object, ${typeName(value)} found`)
}

/** `posixpath.normpath`: exactly two leading slashes stay two. */
function normalizePath(path: string): string {
  const root = /^\/\/(?!\/)/.test(path) ? '//' : path.startsWith('/') ? '/' : ''
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '..' || root === '') parts.push(part)
  }
  return root + parts.join('/') || '.'
}

/** Join paths, of which any may be absolute: only the first keeps its root. */
export function joinPath(parts: readonly Value[], kwargs: Kwargs): string {
  const [root, ...rest] = parts.map((part) => normalizePath(toText(part)))
  const unknown = [...kwargs].filter(([name]) => name !== 'use_posixpath' && !name.startsWith('__'))
  if (unknown.length > 0) {
    const shown = unknown.map(([name, value]) => `${name}=${str(value)}`).join(', ')
    throw new SaltError('SaltInvocationError', `The following keyword arguments are not valid: ${shown}`)
  }
  if (root === undefined) return ''
  return normalizePath(
    rest.reduce((path, part) => {
      const relative = part.replace(/^\/+/, '')
      return path.endsWith('/') ? path + relative : `${path}/${relative}`
    }, root),
  )
}

export const saltTextFilters: NativeTable = {
  to_bytes: native('to_bytes', ['s', 'encoding?', 'errors?'], (_rt, value, encoding = null, errors = 'strict') =>
    toBytes(value, encoding, errors),
  ),
  contains_whitespace: native('contains_whitespace', ['text'], (_rt, value) => containsWhitespace(value)),
  to_snake_case: native('camel_to_snake_case', ['camel_input'], (_rt, value) => snakeCase(value)),
  to_camelcase: native('snake_to_camel_case', ['snake_input', 'uppercamel?'], (_rt, value, upper = false) =>
    camelCase(value, upper),
  ),
  quote: native('quote', ['txt'], (_rt, value) => shellQuote(value)),
  regex_escape: native('regex_escape', ['value'], (_rt, value) => regexEscape(value)),
  path_join: native('join', ['*parts', '**kwargs'], (_rt, parts, kwargs) => joinPath(parts, kwargs)),
}
