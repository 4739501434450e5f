// Filters that match text against regular expressions and globs.
import {
  assertHashable,
  compileRegex,
  fnmatch,
  isIterable,
  iterate,
  PyError,
  type PyMatch,
  type PyRegex,
  RegexFlag,
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

/** A pattern and the text it is for. Bytes are matched as text of their values, and answers turned back. */
interface Subject {
  regex: PyRegex
  text: string
  answer: (part: string) => Value
}

function subjectOf(value: Value, pattern: Value, ignoreCase: Value, multiline: Value): Subject {
  let flags = truthy(ignoreCase) ? RegexFlag.IGNORECASE : 0
  if (truthy(multiline)) flags |= RegexFlag.MULTILINE
  const source = textOf(pattern)
  const text = textOf(value)
  if (source !== undefined && text !== undefined) {
    return { regex: compileRegex(source, flags), text, answer: (part) => part }
  }
  if (source === undefined && !(pattern instanceof Uint8Array)) {
    assertHashable(pattern)
    throw typeError('first argument must be string or compiled pattern')
  }
  if (source !== undefined) compileRegex(source, flags)
  if (text === undefined && !(value instanceof Uint8Array)) {
    throw typeError(`expected string or bytes-like object, got '${typeName(value)}'`)
  }
  if (!(pattern instanceof Uint8Array)) throw typeError('cannot use a string pattern on a bytes-like object')
  if (!(value instanceof Uint8Array)) throw typeError('cannot use a bytes pattern on a string-like object')
  const regex = compileRegex(latin1(pattern), flags | RegexFlag.ASCII)
  return { regex, text: latin1(value), answer: (part) => new Uint8Array(Buffer.from(part, 'latin1')) }
}

/** The groups of a match; the whole where the pattern has none, None where there is no match. */
function groupsOf(match: PyMatch | null, { answer }: Subject): Value {
  if (match === null) return null
  const groups = match.groups()
  const texts = groups.length > 0 ? groups : [match.group()]
  return Tuple.from(texts.map((text) => (text === null ? null : answer(text))))
}

function replace(subject: Subject, replacement: Value): Value {
  const { regex, text, answer } = subject
  if (replacement instanceof Undefined) return answer(regex.sub(() => replacement.fail(), text))
  const isBytes = replacement instanceof Uint8Array
  const template = isBytes ? latin1(replacement) : textOf(replacement)
  if (template === undefined) {
    assertHashable(replacement)
    throw typeError(`decoding to str: need a bytes-like object, ${typeName(replacement)} found`)
  }
  const [wanted, found] = answer('') instanceof Uint8Array ? ['a bytes-like object', 'str'] : ['str instance', 'bytes']
  if (isBytes === (found === 'str')) return answer(regex.sub(template, text))
  const mixed = (match: PyMatch): never => {
    throw typeError(`sequence item ${match.start > 0 ? 1 : 0}: expected ${wanted}, ${found} found`)
  }
  return answer(regex.sub(mixed, text))
}

const OPTIONS = ['ignorecase?', 'multiline?'] as const

/** Whether the text as a whole matches the expression, read as a glob or else as a regular expression. */
export function matchesExpression(value: Value, expression: Value): boolean {
  const text = textOf(value)
  const pattern = textOf(expression)
  if (text === undefined || pattern === undefined) return false
  if (fnmatch(text, pattern)) return true
  try {
    return compileRegex(`\\A${pattern}\\Z`).match(text) !== null
  } catch (error) {
    if (error instanceof PyError && error.code === 're.error') return false
    throw error
  }
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
    const subject = subjectOf(value, pattern, i, m)
    return groupsOf(subject.regex.search(subject.text), subject)
  }),
  regex_match: native('regex_match', ['txt', 'rgx', ...OPTIONS], (_rt, value, pattern, i = false, m = false) => {
    const subject = subjectOf(value, pattern, i, m)
    return groupsOf(subject.regex.match(subject.text), subject)
  }),
  regex_replace: native(
    'regex_replace',
    ['txt', 'rgx', 'val', ...OPTIONS],
    (_rt, value, pattern, replacement, i = false, m = false) => replace(subjectOf(value, pattern, i, m), replacement),
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
    const { regex, text } = subjectOf(value, pattern, i, m)
    return regex.match(text) !== null
  },
)
