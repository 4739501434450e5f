// Filters on iterables: ends, length, joining and splitting.
import {
  compare,
  equals,
  floordiv,
  getItem,
  iterate,
  len,
  mod,
  mul,
  numberOf,
  PyStr,
  sliceText,
  str,
  sub,
  typeError,
  typeName,
  type Value,
} from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'
import { builtin } from '../runtime/builtin.ts'
import { PyGenerator } from '../runtime/generator.ts'
import { escapeValue, Markup, softStr } from '../runtime/markup.ts'
import { type NativeTable, native } from '../runtime/native.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { integerArgument } from './argument.ts'
import { attributeGetter } from './attribute.ts'
import { reversed } from './reversed.ts'

function first(rt: Runtime, value: Value): Value {
  for (const item of iterate(value)) return item
  return rt.undefined('No first item, sequence was empty.')
}

function last(rt: Runtime, value: Value): Value {
  const items = reversed(value)
  if (items === undefined) throw typeError(`'${typeName(value)}' object is not reversible`)
  for (const item of iterate(items)) return item
  return rt.undefined('No last item, sequence was empty.')
}

function random(rt: Runtime, value: Value): Value {
  const size = len(value)
  if (size === 0) return rt.undefined('No random item, sequence was empty.')
  return getItem(value, Math.floor(Math.random() * size))
}

function reverse(value: Value): Value {
  if (typeof value === 'string') return sliceText(value, null, null, -1)
  if (value instanceof PyStr) return new Markup(sliceText(value.value, null, null, -1))
  const items = reversed(value)
  if (items !== undefined) return items
  let all: Value[]
  try {
    all = [...iterate(value)]
  } catch (cause) {
    throw new JinjaError('FilterArgumentError', 'argument must be iterable', { cause })
  }
  return all.reverse()
}

function join(rt: Runtime, value: Value, separator: Value, attribute: Value): Value {
  if (!rt.autoescape) {
    const between = str(separator)
    return items(rt, value, attribute).map(str).join(between)
  }
  const all = items(rt, value, attribute)
  if (!(separator instanceof Markup) && !all.some((item) => item instanceof Markup)) {
    return all.map(str).join(str(separator))
  }
  const between = escapeValue(separator).value
  return new Markup(all.map((item) => escapeValue(softStr(item)).value).join(between))
}

function items(rt: Runtime, value: Value, attribute: Value): Value[] {
  if (attribute === null) return [...iterate(value)]
  const get = attributeGetter(rt, attribute)
  return Array.from(iterate(value), get)
}

function* batch(value: Value, size: Value, filler: Value): Generator<Value> {
  let part: Value[] = []
  for (const item of iterate(value)) {
    if (equals(part.length, size)) {
      yield part
      part = []
    }
    part.push(item)
  }
  if (part.length === 0) return
  if (filler !== null && compare('<', part.length, size)) {
    part.push(...(mul([filler], sub(size, part.length)) as Value[]))
  }
  yield part
}

function* slice(value: Value, slices: Value, filler: Value): Generator<Value> {
  const all = [...iterate(value)]
  const each = numberOf(floordiv(all.length, slices))!
  const longer = numberOf(mod(all.length, slices))!
  const count = integerArgument(slices)
  let from = 0
  for (let i = 0; i < count; i++) {
    const to = from + each + (i < longer ? 1 : 0)
    const part = all.slice(from, to)
    if (filler !== null && i >= longer) part.push(filler)
    yield part
    from = to
  }
}

const length = builtin('len', 1, (_rt, value: Value) => len(value))

export const listFilters: NativeTable = {
  first: native('sync_do_first', ['@environment', 'seq'], first),
  last: native('do_last', ['@environment', 'seq'], last),
  random: native('do_random', ['@context', 'seq'], random),
  length,
  count: length,
  list: native('sync_do_list', ['value'], (_rt, value: Value) => [...iterate(value)]),
  reverse: native('do_reverse', ['value'], (_rt, value: Value) => reverse(value)),
  join: native('sync_do_join', ['@eval_ctx', 'value', 'd?', 'attribute?'], (rt, value, d = '', attribute = null) =>
    join(rt, value, d, attribute),
  ),
  batch: native(
    'do_batch',
    ['value', 'linecount', 'fill_with?'],
    (_rt, value, size, filler = null) => new PyGenerator('do_batch', batch(value, size, filler)),
  ),
  slice: native(
    'sync_do_slice',
    ['value', 'slices', 'fill_with?'],
    (_rt, value, slices, filler = null) => new PyGenerator('sync_do_slice', slice(value, slices, filler)),
  ),
}
