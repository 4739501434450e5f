// Python's protocols for any value, with its results and errors: truth, length, membership, iteration.
import { equals } from './compare.ts'
import { dictHas, dictKeys } from './dict.ts'
import { PyError, typeError } from './errors.ts'
import { Float, PyObject, PyStr, typeName, type Value } from './value.ts'

export function truthy(value: Value): boolean {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'string':
      return value.length > 0
    case 'number':
      return value !== 0
    case 'bigint':
      return value !== 0n
    default:
      if (value === null) return false
      if (Array.isArray(value)) return value.length > 0
      if (value instanceof Map) return value.size > 0
      if (value instanceof Float) return value.value !== 0
      if (value instanceof Uint8Array) return value.length > 0
      return value instanceof PyStr ? value.value.length > 0 : (value as PyObject).truthy()
  }
}

/** Throw Python's error for a missing attribute; an undefined value of a template has its own text. */
export function noAttribute(value: Value, name: string): never {
  if (value instanceof PyObject) value.getAttr(name)
  throw new PyError('AttributeError', `'${typeName(value)}' object has no attribute '${name}'`)
}

const SURROGATE = /[\ud800-\udfff]/

/** Whether UTF-16 units and code points differ in this text. */
export function hasWideChars(text: string): boolean {
  return SURROGATE.test(text)
}

/** Length in code points. */
export function textLength(text: string): number {
  if (!hasWideChars(text)) return text.length
  let n = 0
  for (const _ of text) n++
  return n
}

export function len(value: Value): number {
  if (typeof value === 'string') return textLength(value)
  if (Array.isArray(value)) return value.length
  if (value instanceof Map) return value.size
  if (value instanceof Uint8Array) return value.length
  if (value instanceof PyStr) return textLength(value.value)
  if (value instanceof PyObject && value.len) return value.len()
  throw typeError(`object of type '${typeName(value)}' has no len()`)
}

export function isIterable(value: Value): boolean {
  if (typeof value === 'string') return true
  if (typeof value !== 'object' || value === null || value instanceof Float) return false
  return !(value instanceof PyObject) || value instanceof PyStr || value.iterate !== undefined
}

/** An iterator that a `for` can take. A class, since an object literal with a computed key is slow to make. */
class Steps implements Iterable<Value> {
  private readonly steps: Iterator<Value>

  constructor(steps: Iterator<Value>) {
    this.steps = steps
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.steps
  }
}

/** Return the values of a `for` loop over a value: the keys of a dict, the code points of a text. */
export function iterate(value: Value): Iterable<Value> {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return value
  if (value instanceof Map) return dictKeys(value)
  if (value instanceof Uint8Array) return value
  if (value instanceof PyStr) return value.value
  if (value instanceof PyObject && value.iterate) {
    return new Steps(value.iterate())
  }
  throw typeError(`'${typeName(value)}' object is not iterable`)
}

/** `item in container`. */
export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string' || container instanceof PyStr) {
    const text = typeof container === 'string' ? container : container.value
    if (typeof item === 'string') return text.includes(item)
    if (item instanceof PyStr) return text.includes(item.value)
    throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`)
  }
  if (container instanceof Map) return dictHas(container, item)
  if (Array.isArray(container)) return container.some((member) => member === item || equals(member, item))
  if (container instanceof Uint8Array) return bytesContain(container, item)
  if (container instanceof PyObject) {
    if (container.contains) return container.contains(item)
    if (container.iterate) {
      for (const member of iterate(container)) if (member === item || equals(member, item)) return true
      return false
    }
  }
  throw typeError(`argument of type '${typeName(container)}' is not iterable`)
}

function bytesContain(container: Uint8Array, item: Value): boolean {
  if (item instanceof Uint8Array) return Buffer.from(container).includes(Buffer.from(item))
  if (typeof item === 'number' && Number.isInteger(item)) return container.includes(item)
  throw typeError(`a bytes-like object is required, not '${typeName(item)}'`)
}
