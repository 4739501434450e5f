// The methods of Markup: those that return text escape their arguments and return Markup, the others are str's.
import { format, iterate, type Tuple, textOf, tuple, unescapeHtml, type Value, valueError } from '../../data/mod.ts'
import { escapeText, escapeValue, Markup } from '../runtime/markup.ts'
import { type NativeBody, type NativeFunction, type NativeTable, native } from '../runtime/native.ts'
import type { Kwargs, Runtime } from '../runtime/runtime.ts'
import { stripTags } from '../runtime/strip-tags.ts'
import { BuiltinMethod } from './builtin.ts'
import { STR_METHODS, STR_SPECS } from './str.ts'
import { formatCall, formatMap } from './str-format.ts'

const escaped = (value: Value): Value => (textOf(value) === undefined ? value : escapeValue(value))
const marked = (value: Value): Value => new Markup(textOf(value)!)

/** Return a method of str that escapes its arguments and returns Markup. */
function escaping(name: string): NativeFunction {
  const plain = STR_METHODS[name]!
  return native(name, ['self', '*args', '**kwargs'], (rt: Runtime, self: Markup, args: Value[], kwargs: Kwargs) => {
    const named: Kwargs = new Map([...kwargs].map(([key, value]) => [key, escaped(value)]))
    return marked(plain.invoke(rt, [self.value, ...args.map(escaped)], named) as Value)
  })
}

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

/** A method that gives a list of texts. */
function listing(name: string, params: string[]): NativeFunction {
  return native(`Markup.${name}`, ['self', ...params], (rt: Runtime, self: Markup, ...args: Value[]) =>
    (STR_METHODS[name]!.invoke(rt, [self.value, ...args]) as Value[]).map(marked),
  )
}

const triples = (value: Value): Value => tuple((value as Tuple).map(marked))

function table(): NativeTable {
  const methods: Record<string, NativeFunction> = Object.create(null)
  for (const [name, { params, body, style }] of Object.entries(STR_SPECS)) {
    const onValue: NativeBody = (rt, self: Markup, ...args) => body(rt, self.value, ...args)
    methods[name] = new BuiltinMethod('Markup', name, params, onValue, style)
  }
  for (const name of ESCAPING) methods[name] = escaping(name)
  for (const name of ['split', 'rsplit']) methods[name] = listing(name, ['sep?', 'maxsplit?'])
  methods['splitlines'] = listing('splitlines', ['keepends?'])
  for (const name of ['partition', 'rpartition']) {
    methods[name] = native(`Markup.${name}`, ['self', 'sep'], (rt: Runtime, self: Markup, separator: Value) =>
      triples(STR_METHODS[name]!.invoke(rt, [self.value, escapeValue(separator)]) as Value),
    )
  }
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
