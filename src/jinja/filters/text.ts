// Filters on the characters of a text. Other values are printed first; Markup stays Markup, and inserted text is
// escaped.
import {
  capitalize,
  center,
  mod,
  PyError,
  replaceText,
  SPACE,
  str,
  strip,
  textOf,
  tuple,
  typeError,
  type Value,
  WORD,
} from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'
import { builtin } from '../runtime/builtin.ts'
import { escapeValue, Markup, softStr } from '../runtime/markup.ts'
import { type NativeTable, native } from '../runtime/native.ts'
import type { Kwargs, Runtime } from '../runtime/runtime.ts'
import { integerArgument } from './argument.ts'

/** Applies a change of text to the value's text. */
function changed(value: Value, change: (text: string) => string): Value {
  const text = softStr(value)
  return typeof text === 'string' ? change(text) : new Markup(change(text.value))
}

const caseFilter = (name: string, change: (text: string) => string) =>
  native(name, ['s'], (_rt, value: Value) => changed(value, change))

const WORD_STARTS = new RegExp(`([-${SPACE}({\\[<]+)`)

function titleCase(text: string): string {
  const parts = text.split(WORD_STARTS).map((part) => {
    const first = part === '' ? '' : String.fromCodePoint(part.codePointAt(0)!)
    return first.toUpperCase() + part.slice(first.length).toLowerCase()
  })
  return parts.join('')
}

function trim(value: Value, chars: Value): Value {
  const text = softStr(value)
  if (chars === null) return changed(text, (plain) => strip(plain))
  const unwanted = textOf(chars)
  if (unwanted === undefined) throw typeError('strip arg must be None or str')
  return changed(text, (plain) => strip(plain, text instanceof Markup ? escapeValue(chars).value : unwanted))
}

/** Beyond this Python would run out of memory too, only later. */
const WIDEST = 1 << 28

function centered(value: Value, width: Value): Value {
  const text = softStr(value)
  const columns = integerArgument(width)
  if (columns > WIDEST) throw new PyError('MemoryError', '')
  return changed(text, (plain) => center(plain, columns))
}

function replace(rt: Runtime, value: Value, old: Value, replacement: Value, count: Value): Value {
  if (!rt.autoescape) {
    const [text, from, to] = [str(value), str(old), str(replacement)]
    return replaceText(text, from, to, count === null ? -1 : integerArgument(count))
  }
  const escapes = old instanceof Markup || (replacement instanceof Markup && !(value instanceof Markup))
  const text = escapes ? escapeValue(value) : softStr(value)
  const most = count === null ? -1 : integerArgument(count)
  if (typeof text === 'string') return replaceText(text, str(old), str(replacement), most)
  return new Markup(replaceText(text.value, escapeValue(old).value, escapeValue(replacement).value, most))
}

function format(value: Value, args: Value[], kwargs: Kwargs): Value {
  if (args.length > 0 && kwargs.size > 0) {
    throw new JinjaError('FilterArgumentError', "can't handle positional and keyword arguments at the same time")
  }
  return mod(softStr(value), kwargs.size > 0 ? new Map<Value, Value>(kwargs) : tuple(args))
}

const WORDS = new RegExp(`[${WORD}]+`, 'gu')

export const textFilters: NativeTable = {
  upper: caseFilter('do_upper', (text) => text.toUpperCase()),
  lower: caseFilter('do_lower', (text) => text.toLowerCase()),
  capitalize: caseFilter('do_capitalize', capitalize),
  title: native('do_title', ['s'], (_rt, value: Value) => titleCase(str(value))),
  trim: native('do_trim', ['value', 'chars?'], (_rt, value, chars = null) => trim(value, chars)),
  center: native('do_center', ['value', 'width?'], (_rt, value, width = 80) => centered(value, width)),
  string: builtin('markupsafe._speedups.soft_str', 1, (_rt, value: Value) => softStr(value)),
  replace: native(
    'do_replace',
    ['@eval_ctx', 's', 'old', 'new', 'count?'],
    (rt, value, old, replacement, count = null) => replace(rt, value, old, replacement, count),
  ),
  format: native('do_format', ['value', '*args', '**kwargs'], (_rt, value: Value, args: Value[], kwargs: Kwargs) =>
    format(value, args, kwargs),
  ),
  wordcount: native('do_wordcount', ['s'], (_rt, value: Value) => str(value).match(WORDS)?.length ?? 0),
}
