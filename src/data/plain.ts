// Conversion from and to plain JavaScript data. Inside, a dict is a Map; functions may return plain objects, and
// JavaScript libraries need them.
import { BrineError } from '../base/mod.ts'
import { repr } from './repr.ts'
import { type Dict, Float, PyObject, PyStr, type Value } from './value.ts'

export type PlainErrorCode = 'NotPlainData'

/** Something that is no data, and where it was found. */
export class PlainError extends BrineError<PlainErrorCode> {
  constructor(message: string) {
    super('NotPlainData', message)
    this.name = 'PlainError'
  }
}

/** A plain object: made by `{}`, or without a prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Return a dict of the fields of an object, with unchanged values. */
export const dictFrom = <T extends { readonly [K in keyof T]: Value }>(fields: T): Dict =>
  new Map<Value, Value>(Object.entries(fields))

/** The value of plain JavaScript data: plain objects become dicts, all the way down. */
export function fromPlain(data: unknown): Value {
  return new Importer().value(data)
}

class Importer {
  private readonly path: string[] = []
  private readonly open = new Set<object>()

  value(data: unknown): Value {
    switch (typeof data) {
      case 'string':
      case 'boolean':
      case 'number':
      case 'bigint':
        return data
      case 'object':
        return data === null ? null : this.object(data)
      default:
        throw this.refusal(data === undefined ? 'undefined' : `a ${typeof data}`)
    }
  }

  private object(data: object): Value {
    if (data instanceof PyObject || data instanceof Float || data instanceof Uint8Array) return data
    if (this.open.has(data)) throw this.refusal('a circular reference')
    this.open.add(data)
    const value = this.container(data)
    this.open.delete(data)
    return value
  }

  private container(data: object): Value {
    if (Array.isArray(data)) return this.list(data)
    const dict = new Map<Value, Value>()
    if (data instanceof Map) {
      for (const [key, item] of data) dict.set(this.value(key), this.at(String(key), item))
    } else if (isPlainObject(data)) {
      for (const key of Object.keys(data)) dict.set(key, this.at(key, data[key]))
    } else throw this.refusal(`an instance of ${data.constructor.name}`)
    return dict
  }

  private list(data: unknown[]): Value[] {
    const items = data.constructor === Array ? [] : (new (data.constructor as new () => Value[])() as Value[])
    for (let i = 0; i < data.length; i++) items.push(this.at(String(i), data[i]))
    return items
  }

  private at(step: string, data: unknown): Value {
    this.path.push(step)
    const value = this.value(data)
    this.path.pop()
    return value
  }

  private refusal(what: string): PlainError {
    return new PlainError(`Cannot take ${what} as data${whereOf(this.path)}`)
  }
}

/** The result of `toPlain`; objects have no prototype, so every key is data. */
export type Plain = null | boolean | number | bigint | string | Uint8Array | Plain[] | { [key: string]: Plain }

/** The value as plain JavaScript data. Dicts need text for keys; a float becomes a number like any other. */
export function toPlain(value: Value): Plain {
  return exportValue(value, [])
}

function exportValue(value: Value, path: string[]): Plain {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (value instanceof Float || value instanceof PyStr) return value.value
  if (Array.isArray(value)) return Array.from(value, (item, i) => exportAt(String(i), item, path))
  if (!(value instanceof Map)) throw new PlainError(`Cannot give a ${value.typeName} as plain data${whereOf(path)}`)
  const object: { [key: string]: Plain } = Object.create(null)
  for (const [key, item] of value) {
    if (typeof key !== 'string') {
      throw new PlainError(`Cannot give a dict with the key ${repr(key)} as plain data${whereOf(path)}`)
    }
    object[key] = exportAt(key, item, path)
  }
  return object
}

function exportAt(step: string, value: Value, path: string[]): Plain {
  path.push(step)
  const plain = exportValue(value, path)
  path.pop()
  return plain
}

const whereOf = (path: readonly string[]): string => (path.length === 0 ? '' : ` at ${path.join('.')}`)
