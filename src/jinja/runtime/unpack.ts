// Unpacking of values, and spreading them into calls, with Python's errors.
import { isIterable, iterate, textOf, typeError, typeName, type Value, valueError } from '../../data/mod.ts'
import type { Kwargs } from './runtime.ts'
import { Undefined } from './undefined.ts'

/** The `count` items of a value, for `{% for a, b in … %}` and `{% set a, b = … %}`. */
export function unpack(value: Value, count: number): Value[] {
  if (Array.isArray(value) && value.length === count) return value
  if (!isIterable(value)) throw typeError(`cannot unpack non-iterable ${typeName(value)} object`)
  const items: Value[] = []
  for (const item of iterate(value)) {
    if (items.length === count) throw valueError(`too many values to unpack (expected ${count})`)
    items.push(item)
  }
  if (items.length < count) throw valueError(`not enough values to unpack (expected ${count}, got ${items.length})`)
  return items
}

/** `f(a, *more)` */
export function spread(args: Value[], more: Value): Value[] {
  if (!isIterable(more)) throw typeError(`Value after * must be an iterable, not ${typeName(more)}`)
  for (const item of iterate(more)) args.push(item)
  return args
}

/** Python's name of the function for templates' calls. */
const CALL = 'jinja2.sandbox.SandboxedEnvironment.call()'

/** `f(a=1, **more)` */
export function spreadNamed(kwargs: Kwargs, more: Value, caller = CALL): Kwargs {
  if (more instanceof Undefined) more.fail()
  if (!(more instanceof Map)) throw typeError(`${caller} argument after ** must be a mapping, not ${typeName(more)}`)
  for (const [key, value] of more) {
    const name = textOf(key)
    if (name === undefined) throw typeError('keywords must be strings')
    if (kwargs.has(name)) throw typeError(`${caller} got multiple values for keyword argument '${name}'`)
    kwargs.set(name, value)
  }
  return kwargs
}
