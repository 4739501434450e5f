// Arguments as people type them and as they are published. Text is read as YAML where that gives a scalar, or a
// collection that is plainly written as one; `name=value` is a keyword. On the wire, keywords are a dict marked
// `__kwarg__` among the positional arguments.
import { BrineError } from '../base/mod.ts'
import { type Dict, type PyObject, SaltError, type Signature, str, strip, textOf, type Value } from '../data/mod.ts'
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

/** What one argument means. */
export function readArgument(text: string): Value {
  const bare = strip(text)
  if (bare === '' || bare === '---' || bare === '...') return text
  if (text.includes('_') && /^[0-9_]*$/.test(bare)) return text
  if (/[\t\r\n]/.test(text)) return text
  if (text === 'None') return null
  try {
    return accepted(load(text), text)
  } catch (error) {
    // what is no YAML is text
    if (error instanceof BrineError) return text
    throw error
  }
}

function accepted(value: Value, text: string): Value {
  // a number sign would begin a comment, and cut text short
  if (text.includes('#')) return typeof value === 'string' || value === null ? text : value
  if (value instanceof Map) return text.startsWith('{') ? value : text
  if (Array.isArray(value)) return text.startsWith('[') ? value : text
  if ((value === '' && (text === '|' || text === '!')) || (value === null && text === '!')) return text
  return isScalar(value) ? value : text
}

/** Dates, bytes and sets stay the text they were written as. */
function isScalar(value: Value): boolean {
  return typeof value !== 'object' || value === null || !(value instanceof Uint8Array || isObject(value))
}

const isObject = (value: object): value is PyObject => 'typeName' in value

/** Parts arguments into positional ones and keywords; those that `noParse` names stay text. */
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

/** Only what is marked with True is keywords; the mark itself reaches no function. */
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

/** The arguments for a function out of a published list; keywords that it does not take are refused. */
export function bindPublished(signature: Signature, published: readonly Value[]): CallArguments {
  const bound: CallArguments = { args: [], kwargs: new Map() }
  const invalid: string[] = []
  const add = (name: string, value: Value): void => {
    if (signature.open || signature.positional.includes(name) || signature.keywordOnly.includes(name)) {
      bound.kwargs.set(name, value)
    } else invalid.push(`${name}=${str(value)}`)
  }
  for (const given of published) {
    const text = textOf(given)
    const keyword = text === undefined ? undefined : keywordOf(text)
    if (keyword) add(keyword[0], readArgument(keyword[1]))
    else if (isKeywords(given)) for (const [name, value] of keywordsIn(given)) add(name, value)
    else bound.args.push(withoutMark(given))
  }
  if (invalid.length > 0) {
    const which = `The following keyword arguments are not valid: ${invalid.join(', ')}`
    throw new SaltError('SaltInvocationError', which)
  }
  return bound
}
