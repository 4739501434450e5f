// Tests of the type of a value.
import {
  dictHas,
  isDict,
  isFloat,
  isInt,
  isIterable,
  isLower,
  isNumeric,
  isUpper,
  PyObject,
  str,
  textOf,
  type Value,
} from '../../data/mod.ts'
import { builtin } from '../runtime/builtin.ts'
import { CallableValue } from '../runtime/callable.ts'
import { HostFunction } from '../runtime/host-function.ts'
import { isMarkup } from '../runtime/markup.ts'
import { NativeFunction, type NativeTable, native } from '../runtime/native.ts'
import { Undefined } from '../runtime/undefined.ts'

const kind = (name: string, holds: (value: Value) => boolean): NativeFunction =>
  native(name, ['value'], (_rt, value: Value) => holds(value))

/** Whether a value has a length and indexes; an undefined value that raises an error has neither. */
function isSequence(value: Value): boolean {
  if (typeof value === 'string' || Array.isArray(value) || isDict(value) || value instanceof Uint8Array) return true
  if (textOf(value) !== undefined) return true
  if (value instanceof Undefined) return value.typeName === 'Undefined'
  return value instanceof PyObject && value.len !== undefined && value.getItem !== undefined
}

/** A strict undefined value already fails when its items are requested. */
function canIterate(value: Value): boolean {
  if (value instanceof Undefined) value.iterate()
  return isIterable(value)
}

/** An undefined value has a call too, though it only fails. */
function isCallable(value: Value): boolean {
  if (value instanceof NativeFunction || value instanceof HostFunction) return true
  return value instanceof CallableValue || value instanceof Undefined
}

export const typeTests: NativeTable = {
  defined: kind('test_defined', (value) => !(value instanceof Undefined)),
  undefined: kind('test_undefined', (value) => value instanceof Undefined),
  none: kind('test_none', (value) => value === null),
  boolean: kind('test_boolean', (value) => typeof value === 'boolean'),
  true: kind('test_true', (value) => value === true),
  false: kind('test_false', (value) => value === false),
  integer: kind('test_integer', isInt),
  float: kind('test_float', isFloat),
  number: kind('test_number', isNumeric),
  string: kind('test_string', (value) => textOf(value) !== undefined),
  lower: kind('test_lower', (value) => isLower(str(value))),
  upper: kind('test_upper', (value) => isUpper(str(value))),
  mapping: kind('test_mapping', isDict),
  sequence: kind('test_sequence', isSequence),
  iterable: kind('test_iterable', canIterate),
  callable: builtin('callable', 1, (_rt, value: Value) => isCallable(value)),
  escaped: kind('test_escaped', isMarkup),
  filter: native('test_filter', ['@env', 'value'], (rt, value: Value) => dictHas(rt.filters, value)),
  test: native('test_test', ['@env', 'value'], (rt, value: Value) => dictHas(rt.tests, value)),
}
