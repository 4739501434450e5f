// Filters that lay text out: indenting its lines, cutting it off, wrapping it to a width.
import {
  add,
  compare,
  getSlice,
  len,
  mul,
  numberOf,
  PyError,
  PyStr,
  splitLines,
  str,
  sub,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
  wrapText,
} from '../../data/mod.ts'
import { escapeValue, Markup } from '../runtime/markup.ts'
import { type NativeTable, native } from '../runtime/native.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { Undefined } from '../runtime/undefined.ts'
import { noAttribute } from './argument.ts'

/** Return `a + b` of texts; Markup escapes the other one. */
function concat(a: Value, b: Value): Value {
  if (!(a instanceof Markup) && !(b instanceof Markup)) return add(a, b)
  return new Markup(escapeValue(a).value + escapeValue(b).value)
}

/** Adding a line end is how `indent` begins, so anything but text fails as `+=` does. */
function notText(value: Value): never {
  if (value instanceof Undefined) value.fail()
  if (Array.isArray(value) && typeName(value) === 'list') noAttribute(value, 'splitlines')
  if (Array.isArray(value) || value instanceof Uint8Array) add(value, '\n')
  throw typeError(`unsupported operand type(s) for +=: '${typeName(value)}' and 'str'`)
}

function indent(value: Value, width: Value, first: Value, blank: Value): Value {
  const by = textOf(width) === undefined ? mul(' ', width) : width
  const text = textOf(value)
  if (text === undefined) return notText(value)
  const markup = value instanceof Markup
  // Markup takes the indent as it is; plain text that meets a Markup indent is escaped
  const indentLine = (line: string): string => (markup ? str(by) + line : str(concat(by, line)))
  const [head, ...others] = splitLines(`${text}\n`)
  const indented = others.map((line) => (line === '' && !truthy(blank) ? line : indentLine(line)))
  const body = [head, ...indented].join('\n')
  if (markup) return new Markup(truthy(first) ? str(by) + body : body)
  return truthy(first) ? concat(by, body) : body
}

interface TruncateOptions {
  length: Value
  killwords: Value
  end: Value
  leeway: Value
}

function truncate(rt: Runtime, value: Value, options: TruncateOptions): Value {
  const { length, killwords, end } = options
  const leeway = options.leeway ?? rt.policies.get('truncate.leeway') ?? 5
  const endLength = len(end)
  assert(compare('>=', length, endLength), `expected length >= ${endLength}, got ${str(length)}`)
  assert(compare('>=', leeway, 0), `expected leeway >= 0, got ${str(leeway)}`)
  if (compare('<=', len(value), add(length, leeway))) return value
  const kept = getSlice(value, null, sub(length, endLength), null)
  const text = textOf(kept)
  if (truthy(killwords)) return concat(text !== undefined && value instanceof Markup ? new Markup(text) : kept, end)
  if (text === undefined) return noAttribute(kept, 'rsplit')
  const space = text.lastIndexOf(' ')
  const words = space < 0 ? text : text.slice(0, space)
  return concat(value instanceof Markup ? new Markup(words) : words, end)
}

function assert(holds: boolean, message: string): void {
  if (!holds) throw new PyError('AssertionError', message)
}

interface WordwrapOptions {
  width: Value
  breakLongWords: Value
  wrapstring: Value
  breakOnHyphens: Value
}

function wordwrap(value: Value, { width, breakLongWords, wrapstring, breakOnHyphens }: WordwrapOptions): Value {
  const between = wrapstring ?? '\n'
  if (textOf(between) === undefined) return noAttribute(between, 'join')
  const text = textOf(value)
  if (text === undefined) return noAttribute(value, 'splitlines')
  const paragraphs = splitLines(text).map((line) => {
    // a width that is no number fails here as it does in Python
    compare('<=', width, 0)
    return wrapText(line, {
      width: numberOf(width)!,
      breakLongWords: truthy(breakLongWords),
      breakOnHyphens: truthy(breakOnHyphens),
    })
  })
  if (!(between instanceof PyStr)) return paragraphs.map((lines) => lines.join(str(between))).join(str(between))
  const joined = paragraphs.map((lines) => lines.map((line) => escapeValue(line).value).join(between.value))
  return new Markup(joined.join(between.value))
}

export const layoutFilters: NativeTable = {
  indent: native(
    'do_indent',
    ['s', 'width?', 'first?', 'blank?'],
    (_rt, value, width = 4, first = false, blank = false) => indent(value, width, first, blank),
  ),
  truncate: native(
    'do_truncate',
    ['@env', 's', 'length?', 'killwords?', 'end?', 'leeway?'],
    (rt, value, length = 255, killwords = false, end = '...', leeway = null) =>
      truncate(rt, value, { length, killwords, end, leeway }),
  ),
  wordwrap: native(
    'do_wordwrap',
    ['@environment', 's', 'width?', 'break_long_words?', 'wrapstring?', 'break_on_hyphens?'],
    (_rt, value, width = 79, breakLongWords = true, wrapstring = null, breakOnHyphens = true) =>
      wordwrap(value, { width, breakLongWords, wrapstring, breakOnHyphens }),
  ),
}
