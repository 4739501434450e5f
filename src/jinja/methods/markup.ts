// The methods of Markup: those that make text of text escape their arguments and give Markup, the others are str's.
import { format, iterate, type Tuple, textOf, tuple, unescapeHtml, type Value, valueError } from '../../data/mod.ts'
import { escapeText, escapeValue, Markup } from '../runtime/markup.ts'
import { type Kwargs, type NativeFunction, type NativeTable, native } from '../runtime/native.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { stripTags } from '../runtime/strip-tags.ts'
import { STR_METHODS } from './str.ts'
import { formatCall, formatMap } from './str-format.ts'

const escaped = (value: Value): Value => (textOf(value) === undefined ? value : escapeValue(value))
const marked = (value: Value): Value => new Markup(textOf(value)!)

/** A method of str on the text, its arguments and its answer each changed. */
function onText(name: string, argument: (value: Value) => Value, answer: (value: Value) => Value): NativeFunction {
  const plain = STR_METHODS[name]!
  return native(name, ['self', '*args', '**kwargs'], (rt: Runtime, self: Markup, args: Value[], kwargs: Kwargs) => {
    const named: Kwargs = new Map([...kwargs].map(([key, value]) => [key, argument(value)]))
    return answer(plain.invoke(rt, [self.value, ...args.map(argument)], named) as Value)
  })
}

const same = (value: Value): Value => value

const ESCAPING = [
  ...['capitalize', 'title', 'lower', 'upper', 'replace', 'ljust', 'rjust', 'lstrip', 'rstrip', 'center', 'strip'],
  ...['translate', 'expandtabs', 'swapcase', 'zfill'],
]

function formatField(value: Value, spec: string): string {
  if (!(value instanceof Markup)) return escapeText(format(value, spec))
  if (spec !== '') throw valueError('Unsupported format specification for Markup.')
  return value.value
}

function joinMarkup(rt: Runtime, self: Markup, items: Value): Value {
  const parts = Array.from(iterate(items), (item) => escapeValue(item))
  return marked(STR_METHODS['join']!.invoke(rt, [self.value, parts]) as Value)
}

const lists = (value: Value): Value => (value as Value[]).map(marked)
const triples = (value: Value): Value => tuple((value as Tuple).map(marked))

function table(): NativeTable {
  const methods: Record<string, NativeFunction> = Object.create(null)
  for (const name of Object.keys(STR_METHODS)) methods[name] = onText(name, same, same)
  for (const name of ESCAPING) methods[name] = onText(name, escaped, marked)
  for (const name of ['split', 'rsplit', 'splitlines']) methods[name] = onText(name, same, lists)
  for (const name of ['partition', 'rpartition']) methods[name] = onText(name, escapeValue, triples)
  methods['join'] = native('Markup.join', ['self', 'seq'], joinMarkup)
  methods['format'] = native('format', ['self', '*args', '**kwargs'], (rt, self, args, kwargs) =>
    marked(formatCall(rt, self.value, args, kwargs, formatField)),
  )
  methods['format_map'] = native('format_map', ['self', '*args', '**kwargs'], (rt, self, args, kwargs) =>
    marked(formatMap(rt, self.value, args, kwargs, formatField)),
  )
  methods['escape'] = native('Markup.escape', ['self', 's'], (_rt, _self, value: Value) => escapeValue(value))
  methods['striptags'] = native('Markup.striptags', ['self'], (_rt, self: Markup) => stripTags(self.value))
  methods['unescape'] = native('Markup.unescape', ['self'], (_rt, self: Markup) => unescapeHtml(self.value))
  return Object.freeze(methods)
}

export const MARKUP_METHODS = table()
