// `object.name`, `object[key]` and `object.name(…)`. Templates have access only to the value model: methods and
// attributes of Python's types, members that a subclass of PyObject defines, and items of containers. Names of Python's internals
// raise a security error, as in Jinja's sandbox; JavaScript's own are not accessible.
import { didYouMean } from '../../base/mod.ts'
import {
  dictGet,
  PyError,
  PyObject,
  qualifiedTypeName,
  quote,
  repr,
  getItem as subscript,
  textOf,
  typeName,
  type Value,
} from '../../data/mod.ts'
import { attributeOf, methodsOf } from '../methods/mod.ts'
import { BoundMethod } from './callable.ts'
import type { Kwargs, Runtime } from './runtime.ts'
import { isInternalAttribute } from './sandbox.ts'
import { Undefined } from './undefined.ts'

function ownAttribute(object: Value, name: string): Value | undefined {
  if (object instanceof PyObject) {
    const own = object.getAttr(name)
    if (own !== undefined) return own
  }
  const method = methodsOf(object)?.[name]
  return method ? new BoundMethod(object, method) : attributeOf(object, name)
}

/** Return Jinja's description of the owner of a missing attribute. */
function describe(object: Value): string {
  return object === null ? 'None' : `${qualifiedTypeName(object)} object`
}

function missing(rt: Runtime, object: Value, key: Value): Undefined {
  const name = textOf(key)
  if (name === undefined) return rt.undefinedWith(`${describe(object)} has no element ${repr(key)}`)
  const message = `${quote(describe(object))} has no attribute ${repr(key)}`
  return rt.undefinedWith(message, () => closeNames(object, name))
}

function closeNames(object: Value, key: string): string | undefined {
  const names: string[] = []
  if (object instanceof Map) for (const name of object.keys()) if (typeof name === 'string') names.push(name)
  if (object instanceof PyObject) names.push(...object.attrNames())
  const few = object instanceof Map && names.length > 0 && names.length <= 12
  return didYouMean(key, names) ?? (few ? `It has ${names.map(quote).join(', ')}` : undefined)
}

function unsafe(rt: Runtime, object: Value, name: Value): Undefined {
  const message = `access to attribute ${repr(name)} of ${quote(typeName(object))} object is unsafe.`
  return rt.undefinedWith(message, undefined, 'SecurityError')
}

/** An item, or undefined where Python raises a lookup or type error. */
function item(object: Value, key: Value): Value | undefined {
  if (object instanceof Map) {
    if (typeof key === 'string') return object.get(key)
    try {
      return dictGet(object, key)
    } catch (error) {
      if (error instanceof PyError && error.code === 'TypeError') return undefined
      throw error
    }
  }
  if (typeof key === 'string' && !(object instanceof PyObject)) return undefined
  try {
    return subscript(object, key)
  } catch (error) {
    if (error instanceof PyError && LOOKUP_ERRORS.has(error.code)) return undefined
    throw error
  }
}

const LOOKUP_ERRORS = new Set(['TypeError', 'LookupError', 'KeyError', 'IndexError'])

export function getAttr(rt: Runtime, object: Value, name: string): Value {
  if (object instanceof Undefined) object.fail()
  if (name.charCodeAt(0) === 95 && isInternalAttribute(object, name)) return unsafe(rt, object, name)
  const own = ownAttribute(object, name)
  if (own !== undefined) return own
  const found = item(object, name)
  return found === undefined ? missing(rt, object, name) : found
}

export function getItem(rt: Runtime, object: Value, key: Value): Value {
  if (object instanceof Undefined) object.fail()
  const found = item(object, key)
  if (found !== undefined) return found
  const name = textOf(key)
  if (name !== undefined) {
    if (name.charCodeAt(0) === 95 && isInternalAttribute(object, name)) return unsafe(rt, object, key)
    const own = ownAttribute(object, name)
    if (own !== undefined) return own
  }
  return missing(rt, object, key)
}

/** `object.name(…)`, without making the bound method when it is one. */
export function callAttr(
  rt: Runtime,
  object: Value,
  name: string,
  args: Value[],
  kwargs?: Kwargs,
): Value | Promise<Value> {
  if (!(object instanceof PyObject)) {
    const method = methodsOf(object)?.[name]
    if (method) {
      args.unshift(object)
      return method.invoke(rt, args, kwargs)
    }
  }
  return rt.call(getAttr(rt, object, name), args, kwargs)
}
