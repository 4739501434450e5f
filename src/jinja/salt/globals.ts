// The globals and tests Salt adds to Jinja.
import {
  dictSet,
  equals,
  Float,
  isDict,
  isIterable,
  isList,
  iterate,
  OrderedDict,
  PyStr,
  repr,
  str,
  Tuple,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'
import { TypeObject } from '../runtime/callable.ts'
import { type NativeFunction, native } from '../runtime/native.ts'
import type { Kwargs } from '../runtime/runtime.ts'
import { matchTest } from './filters/patterns.ts'
import { makeIfelse } from './ifelse.ts'

const isPlain = (value: Value): boolean =>
  typeof value !== 'object' || value === null || value instanceof Float || value instanceof PyStr

/** Return a structure of plain values. Any other value in it is replaced by its repr. */
function simplified(value: Value): Value {
  if (isDict(value)) {
    const simple = new Map<Value, Value>()
    for (const [key, item] of value) simple.set(isPlain(key) ? key : repr(key), simplified(item))
    return simple
  }
  if (Array.isArray(value)) return Array.from(value, (item) => (item instanceof Tuple ? item : simplified(item)))
  return isPlain(value) ? value : repr(value)
}

/** `OrderedDict(mapping_or_pairs, **more)`; its errors differ from those of `dict`. */
function orderedDict(args: Value[], kwargs: Kwargs): OrderedDict {
  const dict = new OrderedDict()
  if (args.length > 1) throw typeError(`expected at most 1 arguments, got ${args.length}`)
  const [source = new Map<Value, Value>()] = args
  const pairs: Iterable<Value> = isDict(source) ? Array.from(source, (pair) => Tuple.from(pair)) : iterate(source)
  for (const pair of pairs) {
    if (!isIterable(pair)) throw typeError(`'${typeName(pair)}' object is not iterable`)
    const parts = [...iterate(pair)]
    if (parts.length < 2)
      throw valueError(`need more than ${parts.length} value${parts.length === 1 ? '' : 's'} to unpack`)
    if (parts.length > 2) throw valueError('too many values to unpack (expected 2)')
    dictSet(dict, parts[0]!, parts[1]!)
  }
  for (const [key, value] of kwargs) dict.set(key, value)
  return dict
}

const odict = native('OrderedDict', ['*args', '**kwargs'], (_rt, args, kwargs) => orderedDict(args, kwargs))

const raise = native('jinja_raise', ['msg'], (_rt, message: Value): never => {
  throw new JinjaError('TemplateError', str(message))
})

const showFullContext = native('show_full_context', ['@ctx'], (rt) => simplified(new Map<Value, Value>(rt.variables())))

export const saltGlobals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['ifelse', makeIfelse()],
  ['raise', raise],
  ['odict', new TypeObject('collections.OrderedDict', odict)],
  ['show_full_context', showFullContext],
])

export const saltTests: ReadonlyMap<string, NativeFunction> = new Map([
  ['equalto', native('test_equalto', ['value', 'other'], (_rt, value, other) => equals(value, other))],
  ['match', matchTest],
  ['list', native('is_list', ['value'], (_rt, value) => isList(value))],
])
