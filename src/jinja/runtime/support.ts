// The names in generated code, with their functions.
import {
  add,
  compare,
  contains,
  dictSet,
  div,
  equals,
  floordiv,
  getSlice,
  iterate,
  mod,
  mul,
  neg,
  pos,
  pow,
  str,
  sub,
  Tuple,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'
import { callAttr, getAttr, getItem } from './attributes.ts'
import { located } from './failure.ts'
import { LoopContext } from './loop.ts'
import { Macro } from './macro.ts'
import { Namespace } from './namespace.ts'
import { printed } from './printed.ts'
import type { Kwargs, Runtime } from './runtime.ts'
import { Undefined } from './undefined.ts'
import { spread, spreadNamed, unpack } from './unpack.ts'

function call(rt: Runtime, callee: Value, args: Value[], kwargs?: Kwargs): Value | Promise<Value> {
  return rt.call(callee, args, kwargs)
}

/** `object.name` where the name is no method of dicts. */
function getMember(rt: Runtime, object: Value, name: string): Value {
  if (object instanceof Map) {
    const item = object.get(name)
    if (item !== undefined) return item
  }
  return getAttr(rt, object, name)
}

function dict(pairs: Array<[Value, Value]>): Map<Value, Value> {
  const result = new Map<Value, Value>()
  for (const [key, value] of pairs) dictSet(result, key, value)
  return result
}

function bothNumbers(a: Value, b: Value): boolean {
  return typeof a === 'number' && typeof b === 'number'
}

function nsSet(target: Value, name: string, value: Value): void {
  if (target instanceof Undefined) target.fail()
  if (!(target instanceof Namespace)) {
    throw new JinjaError('TemplateRuntimeError', 'cannot assign attribute on non-namespace object')
  }
  target.set(name, value)
}

/** `a ~ b`: every operand is evaluated before the first is printed. */
function cat(first: Value, second: Value): string {
  return str(first) + str(second)
}

function catAll(values: Value[]): string {
  let result = ''
  for (const value of values) result += str(value)
  return result
}

/** Return the output of a filter or call block: only text is valid, because Python joins it with the rest. */
function text(value: Value): string {
  const written = textOf(value)
  if (written !== undefined) return written
  if (value instanceof Undefined) value.fail()
  throw typeError(`sequence item 0: expected str instance, ${typeName(value)} found`)
}

function extendedTwice(): never {
  throw new JinjaError('TemplateRuntimeError', 'extended multiple times')
}

export const support = {
  add,
  sub,
  mul,
  div,
  floordiv,
  mod,
  pow,
  neg,
  pos,
  eq: (a: Value, b: Value): boolean => a === b || equals(a, b),
  lt: (a: Value, b: Value): boolean => (bothNumbers(a, b) ? a! < b! : compare('<', a, b)),
  le: (a: Value, b: Value): boolean => (bothNumbers(a, b) ? a! <= b! : compare('<=', a, b)),
  gt: (a: Value, b: Value): boolean => (bothNumbers(a, b) ? a! > b! : compare('>', a, b)),
  ge: (a: Value, b: Value): boolean => (bothNumbers(a, b) ? a! >= b! : compare('>=', a, b)),
  isIn: (item: Value, container: Value): boolean => contains(container, item),
  T: truthy,
  cat,
  catAll,
  text,
  out: printed,
  ga: getAttr,
  gm: getMember,
  gi: getItem,
  slice: getSlice,
  call,
  callAttr,
  owner: (value: Value): Value => (value instanceof Undefined ? value.fail() : value),
  iterate,
  unpack,
  spread,
  spreadNamed,
  dict,
  Tuple,
  LoopContext,
  Macro,
  isDefined: (value: Value | undefined): boolean => value !== undefined && !(value instanceof Undefined),
  noElse: (message: string): Value => new Undefined(message),
  nsSet,
  extendedTwice,
  located,
}

export const supportNames: readonly string[] = Object.keys(support)
