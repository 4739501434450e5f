// Arguments in the form of the command line and of publications. Text is parsed as YAML if the result is a scalar, or a
// collection in clear collection syntax; `name=value` is a keyword. On the wire, keywords are a dict marked `__kwarg__`
// among the positional arguments.
import { BrineError, isA, recover } from '../base/mod.ts'
import {
  type Dict,
  isList,
  misuse,
  type PyObject,
  type Signature,
  str,
  strip,
  textOf,
  type Value,
} from '../data/mod.ts'
import { load } from '../yaml/mod.ts'

export interface CallArguments {
  args: Value[]
  kwargs: Map<string, Value>
}

const KEYWORD = /^([\p{L}_][\p{L}\p{N}_.-]*)=(?!=)([^\n]*)\n?$/u

function keywordOf(text: string): [name: string, value: string] | undefined {
  const match = text.includes('=') ? KEYWORD.exec(text) : null
  return match ? [match[1]!, match[2]!] : undefined
}

/** Parse one argument. */
export function readArgument(text: string): Value {
  const bare = strip(text)
  if (bare === '' || bare === '---' || bare === '...') return text
  if (text.includes('_') && /^[0-9_]*$/.test(bare)) return text
  if (/[\t\r\n]/.test(text)) return text
  if (text === 'None') return null
  // invalid YAML is text
  return recover(isA(BrineError), text, () => accepted(load(text), text))
}

function accepted(value: Value, text: string): Value {
  // a number sign would begin a comment, and cut text short
  if (text.includes('#')) return typeof value === 'string' || value === null ? text : value
  if (value instanceof Map) return text.startsWith('{') ? value : text
  if (Array.isArray(value)) return text.startsWith('[') ? value : text
  if ((value === '' && (text === '|' || text === '!')) || (value === null && text === '!')) return text
  return isScalar(value) ? value : text
}

/** Whether a value is a scalar; dates, bytes and sets stay text. */
function isScalar(value: Value): boolean {
  return typeof value !== 'object' || value === null || !(value instanceof Uint8Array || isObject(value))
}

const isObject = (value: object): value is PyObject => 'typeName' in value

/** Split arguments into positional ones and keywords; keywords in `noParse` stay text. */
export function parseInput(argv: readonly Value[], noParse: ReadonlySet<string> = new Set()): CallArguments {
  const parsed: CallArguments = { args: [], kwargs: new Map() }
  for (const given of argv) {
    const text = textOf(given)
    if (text !== undefined) {
      const keyword = keywordOf(text)
      if (!keyword) parsed.args.push(readArgument(text))
      else parsed.kwargs.set(keyword[0], noParse.has(keyword[0]) ? keyword[1] : readArgument(keyword[1]))
    } else if (isKeywords(given)) for (const [name, value] of keywordsIn(given)) parsed.kwargs.set(name, value)
    else parsed.args.push(withoutMark(given))
  }
  return parsed
}

const isKeywords = (value: Value): value is Dict => value instanceof Map && value.get('__kwarg__') === true

function* keywordsIn(dict: Dict): Generator<[string, Value]> {
  for (const [key, value] of dict) if (key !== '__kwarg__') yield [str(key), value]
}

/** Remove the mark of a keyword dict. Only dicts marked with True are keywords. */
function withoutMark(value: Value): Value {
  return value instanceof Map && value.has('__kwarg__') ? new Map(keywordsIn(value)) : value
}

/** The single list that is published. Whole numbers that look like a job id travel as text. */
export function publishedArguments({ args, kwargs }: CallArguments): Value[] {
  const published = args.map((value) =>
    typeof value === 'bigint' && String(value).length === 20 ? String(value) : value,
  )
  if (kwargs.size > 0) published.push(new Map<Value, Value>([['__kwarg__', true], ...kwargs]))
  return published
}

/**
 * One call of a publication. Keywords are in the order in which the minion applies them, so the last of a name counts.
 */
export interface PublishedCall {
  fun: string
  args: Value[]
  keywords: Array<[name: string, value: Value]>
}

/** Split a published list into arguments and keywords. Minions call functions by this, and masters judge rights by it. */
function splitPublished(published: readonly Value[]): Pick<PublishedCall, 'args' | 'keywords'> {
  const split: Pick<PublishedCall, 'args' | 'keywords'> = { args: [], keywords: [] }
  for (const given of published) {
    const text = textOf(given)
    const keyword = text === undefined ? undefined : keywordOf(text)
    if (keyword) split.keywords.push([keyword[0], readArgument(keyword[1])])
    else if (isKeywords(given)) split.keywords.push(...keywordsIn(given))
    else split.args.push(withoutMark(given))
  }
  return split
}

/** Return the published lists of arguments by function. A job of several functions has one list for each. */
export function publishedLists(fun: Value, arg: Value): Array<[fun: string, published: readonly Value[]]> {
  const listOf = (value: Value | undefined): readonly Value[] => (value !== undefined && isList(value) ? value : [])
  if (!isList(fun)) return [[str(fun), listOf(arg)]]
  const lists = listOf(arg)
  return [...fun].map((name, index) => [str(name), listOf(lists[index])])
}

/** Return every call of a publication as a minion reads it. */
export function publishedCalls(fun: Value, arg: Value): PublishedCall[] {
  return publishedLists(fun, arg).map(([name, published]) => ({ fun: name, ...splitPublished(published) }))
}

/** The arguments for a function out of a published list; keywords that it does not take are refused. */
export function bindPublished(signature: Signature, published: readonly Value[]): CallArguments {
  const { args, keywords } = splitPublished(published)
  const isTaken = (name: string): boolean =>
    signature.open || signature.positional.includes(name) || signature.keywordOnly.includes(name)
  const invalid = keywords.filter(([name]) => !isTaken(name)).map(([name, value]) => `${name}=${str(value)}`)
  if (invalid.length > 0) {
    const which = `The following keyword arguments are not valid: ${invalid.join(', ')}`
    throw misuse(which)
  }
  return { args, kwargs: new Map(keywords) }
}
