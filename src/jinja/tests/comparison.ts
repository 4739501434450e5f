// Tests that compare a value with another.
import { compare, contains, equals, Float, mod, type Ordering, type Value } from '../../data/mod.ts'
import { builtin } from '../runtime/builtin.ts'
import { type NativeFunction, type NativeTable, native } from '../runtime/native.ts'

const ordering = (name: string, op: Ordering): NativeFunction =>
  builtin(`_operator.${name}`, 2, (_rt, a: Value, b: Value) => compare(op, a, b))

const equal = builtin('_operator.eq', 2, (_rt, a: Value, b: Value) => equals(a, b))
const unequal = builtin('_operator.ne', 2, (_rt, a: Value, b: Value) => !equals(a, b))
const less = ordering('lt', '<')
const atMost = ordering('le', '<=')
const greater = ordering('gt', '>')
const atLeast = ordering('ge', '>=')

/** `value is other`: floats with the same text are the same. */
function isSame(value: Value, other: Value): boolean {
  return (
    Object.is(value, other) || (value instanceof Float && other instanceof Float && Object.is(value.value, other.value))
  )
}

const remainder = (name: string, rest: number): NativeFunction =>
  native(name, ['value'], (_rt, value: Value) => equals(mod(value, 2), rest))

export const comparisonTests: NativeTable = {
  '==': equal,
  eq: equal,
  equalto: equal,
  '!=': unequal,
  ne: unequal,
  '<': less,
  lt: less,
  lessthan: less,
  '<=': atMost,
  le: atMost,
  '>': greater,
  gt: greater,
  greaterthan: greater,
  '>=': atLeast,
  ge: atLeast,
  odd: remainder('test_odd', 1),
  even: remainder('test_even', 0),
  divisibleby: native('test_divisibleby', ['value', 'num'], (_rt, value: Value, by: Value) =>
    equals(mod(value, by), 0),
  ),
  sameas: native('test_sameas', ['value', 'other'], (_rt, value: Value, other: Value) => isSame(value, other)),
  in: native('test_in', ['value', 'seq'], (_rt, value: Value, container: Value) => contains(container, value)),
}
