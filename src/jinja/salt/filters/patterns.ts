// Filters that match text against regular expressions and globs.
import {
  assertHashable,
  compileRegex,
  exprMatch,
  isIterable,
  iterate,
  type PyMatch,
  type PyRegex,
  RegexFlag,
  type Replacement,
  str,
  Tuple,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../../data/mod.ts'
import { type NativeFunction, type NativeTable, native } from '../../runtime/native.ts'
import { Undefined } from '../../runtime/undefined.ts'
import { className } from '../python-type.ts'

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** A compiled pattern. Bytes are matched as text of their values, and answers turned back. */
interface Matching {
  regex: PyRegex
  isBytes: boolean
  answer: (part: string) => Value
}

export function compiled(pattern: Value, ignoreCase: Value, multiline: Value): Matching {
  let flags = truthy(ignoreCase) ? RegexFlag.IGNORECASE : 0
  if (truthy(multiline)) flags |= RegexFlag.MULTILINE
  const source = textOf(pattern)
  if (source !== undefined) return { regex: compileRegex(source, flags), isBytes: false, answer: (part) => part }
  if (!(pattern instanceof Uint8Array)) {
    assertHashable(pattern)
    throw typeError('first argument must be string or compiled pattern')
  }
  const regex = compileRegex(latin1(pattern), flags | RegexFlag.ASCII)
  return { regex, isBytes: true, answer: (part) => new Uint8Array(Buffer.from(part, 'latin1')) }
}

/** Return the text to match, if it has the pattern's type. */
export function subjectText(value: Value, { isBytes }: Matching): string {
  const text = textOf(value)
  if (text === undefined && !(value instanceof Uint8Array)) {
    throw typeError(`expected string or bytes-like object, got '${typeName(value)}'`)
  }
  if (isBytes) {
    if (value instanceof Uint8Array) return latin1(value)
    throw typeError('cannot use a bytes pattern on a string-like object')
  }
  if (text === undefined) throw typeError('cannot use a string pattern on a bytes-like object')
  return text
}

/** Return the groups of a match; the whole match if the pattern has none, None without a match. */
function groupsOf(match: PyMatch | null, { answer }: Matching): Value {
  if (match === null) return null
  const groups = match.groups()
  const texts = groups.length > 0 ? groups : [match.group()]
  return Tuple.from(texts.map((text) => (text === null ? null : answer(text))))
}

/** Return the replacement of matches. Like Python, a template is parsed before the text is searched. */
function replacer(replacement: Value, { regex, isBytes }: Matching): Replacement {
  if (replacement instanceof Undefined) return () => replacement.fail()
  const template = replacement instanceof Uint8Array ? latin1(replacement) : textOf(replacement)
  if (template === undefined) {
    assertHashable(replacement)
    throw typeError(`decoding to str: need a bytes-like object, ${typeName(replacement)} found`)
  }
  regex.sub(template, '')
  if (replacement instanceof Uint8Array === isBytes) return template
  const [wanted, found] = isBytes ? ['a bytes-like object', 'str'] : ['str instance', 'bytes']
  return ({ start }) => {
    throw typeError(`sequence item ${start > 0 ? 1 : 0}: expected ${wanted}, ${found} found`)
  }
}

const OPTIONS = ['ignorecase?', 'multiline?'] as const

/** Whether both are texts, and the text as a whole matches the expression. */
function matchesExpression(value: Value, expression: Value): boolean {
  const [text, pattern] = [textOf(value), textOf(expression)]
  return text !== undefined && pattern !== undefined && exprMatch(text, pattern)
}

/** The expressions of a white- or blacklist: one text, or several of anything. */
function expressionsOf(list: Value, kind: string): Value[] {
  if (!truthy(list)) return []
  if (textOf(list) !== undefined) return [list]
  if (!isIterable(list)) throw typeError(`Expecting iterable ${kind}, but got ${className(list)} (${str(list)})`)
  return [...iterate(list)]
}

function isListed(value: Value, whitelist: Value, blacklist: Value): boolean {
  const black = expressionsOf(blacklist, 'blacklist')
  const white = expressionsOf(whitelist, 'whitelist')
  if (black.some((expression) => matchesExpression(value, expression))) return false
  return white.length === 0 || white.some((expression) => matchesExpression(value, expression))
}

export const patternFilters: NativeTable = {
  regex_search: native('regex_search', ['txt', 'rgx', ...OPTIONS], (_rt, value, pattern, i = false, m = false) => {
    const matching = compiled(pattern, i, m)
    return groupsOf(matching.regex.search(subjectText(value, matching)), matching)
  }),
  regex_match: native('regex_match', ['txt', 'rgx', ...OPTIONS], (_rt, value, pattern, i = false, m = false) => {
    const matching = compiled(pattern, i, m)
    return groupsOf(matching.regex.match(subjectText(value, matching)), matching)
  }),
  regex_replace: native(
    'regex_replace',
    ['txt', 'rgx', 'val', ...OPTIONS],
    (_rt, value, pattern, replacement, i = false, m = false) => {
      const matching = compiled(pattern, i, m)
      const replace = replacer(replacement, matching)
      return matching.answer(matching.regex.sub(replace, subjectText(value, matching)))
    },
  ),
  check_whitelist_blacklist: native(
    'check_whitelist_blacklist',
    ['value', 'whitelist?', 'blacklist?'],
    (_rt, value, whitelist = null, blacklist = null) => isListed(value, whitelist, blacklist),
  ),
}

export const matchTest: NativeFunction = native(
  'test_match',
  ['txt', 'rgx', ...OPTIONS],
  (_rt, value, pattern, i = false, m = false) => {
    const matching = compiled(pattern, i, m)
    return matching.regex.match(subjectText(value, matching)) !== null
  },
)
