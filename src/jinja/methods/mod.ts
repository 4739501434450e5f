// The methods and attributes of Python's builtin types for templates.
import {
  DictItems,
  DictKeys,
  Float,
  NamedTuple,
  OrderedDict,
  PyDate,
  PyDatetime,
  PyFrozenSet,
  PyObject,
  PyRange,
  PySet,
  PyTime,
  PyTimedelta,
  Tuple,
  type Value,
} from '../../data/mod.ts'
import { Markup } from '../runtime/markup.ts'
import type { NativeTable } from '../runtime/native.ts'
import { BYTES_METHODS } from './bytes.ts'
import { DATE_METHODS, DATETIME_METHODS, TIME_METHODS, TIMEDELTA_METHODS } from './date.ts'
import { DICT_METHODS, ORDERED_DICT_METHODS, VIEW_METHODS } from './dict.ts'
import { LIST_METHODS, RANGE_METHODS, TUPLE_METHODS } from './list.ts'
import { MARKUP_METHODS } from './markup.ts'
import { FLOAT_METHODS, INT_METHODS, numberAttribute } from './number.ts'
import { FROZENSET_METHODS, SET_METHODS } from './set.ts'
import { STR_METHODS } from './str.ts'

/** The methods of the value's type; the first argument of each is the value itself. */
export function methodsOf(value: Value): NativeTable | undefined {
  switch (typeof value) {
    case 'string':
      return STR_METHODS
    case 'number':
      return Number.isInteger(value) ? INT_METHODS : FLOAT_METHODS
    case 'bigint':
    case 'boolean':
      return INT_METHODS
    default:
      if (value === null) return undefined
      if (value instanceof Map) return value instanceof OrderedDict ? ORDERED_DICT_METHODS : DICT_METHODS
      if (Array.isArray(value)) return value instanceof Tuple ? TUPLE_METHODS : LIST_METHODS
      if (value instanceof PyObject) return objectMethods(value)
      return value instanceof Float ? FLOAT_METHODS : BYTES_METHODS
  }
}

function objectMethods(value: PyObject): NativeTable | undefined {
  if (value instanceof Markup) return MARKUP_METHODS
  if (value instanceof DictKeys || value instanceof DictItems) return VIEW_METHODS
  if (value instanceof PySet) return value instanceof PyFrozenSet ? FROZENSET_METHODS : SET_METHODS
  if (value instanceof PyRange) return RANGE_METHODS
  if (value instanceof PyDate) return value instanceof PyDatetime ? DATETIME_METHODS : DATE_METHODS
  if (value instanceof PyTimedelta) return TIMEDELTA_METHODS
  return value instanceof PyTime ? TIME_METHODS : undefined
}

/** An attribute of a builtin type that is not a method, or undefined. */
export function attributeOf(value: Value, name: string): Value | undefined {
  switch (typeof value) {
    case 'number':
      return numberAttribute(value, Number.isInteger(value), name)
    case 'bigint':
    case 'boolean':
      return numberAttribute(value, true, name)
    default:
      if (value instanceof Float) return numberAttribute(value, false, name)
      return value instanceof NamedTuple ? value.getAttr(name) : undefined
  }
}
