// Methods of Python's builtin types. CPython checks the arguments of its C functions in three ways, each with its own
// messages, which templates show.
import { PyError, typeError, typeName, type Value } from '../../data/mod.ts'
import { type NativeBody, NativeFunction, type NativeTable } from '../runtime/native.ts'
import type { Kwargs, Runtime } from '../runtime/runtime.ts'

/**
 * How a method takes its arguments: `positional` by position only; `parsed` likewise, but with the older messages
 * (`find`, `count`, `startswith`); `keywords` by position or name.
 */
export type Style = 'positional' | 'parsed' | 'keywords'

export class BuiltinMethod extends NativeFunction {
  private readonly owner: string
  private readonly style: Style
  /** The minimum number of arguments, `self` included. */
  private readonly least: number
  private readonly most: number
  private readonly isOpen: boolean

  constructor(owner: string, name: string, params: readonly string[], body: NativeBody, style: Style) {
    super(name, ['self', ...params], body)
    this.owner = owner
    this.style = style
    this.least = this.parameters.required
    this.most = this.parameters.positional.length
    this.isOpen = this.parameters.open || this.parameters.rest
  }

  override repr(): string {
    return `<method '${this.name}' of '${this.owner}' objects>`
  }

  override invoke(rt: Runtime, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value> {
    try {
      if (this.isOpen) return this.invokeOpen(rt, args, kwargs)
      if (kwargs?.size) return this.invokeNamed(rt, args, kwargs)
      if (args.length < this.least || args.length > this.most) throw this.countError(args, 0)
      switch (args.length) {
        case 1:
          return this.body(rt, args[0])
        case 2:
          return this.body(rt, args[0], args[1])
        default:
          return this.body(rt, ...args)
      }
    } catch (error) {
      throw error instanceof RangeError && error.message.startsWith('Invalid') ? new PyError('MemoryError', '') : error
    }
  }

  private invokeOpen(rt: Runtime, args: readonly Value[], kwargs: Kwargs | undefined): Value | Promise<Value> {
    const { positional, open, rest } = this.parameters
    if (kwargs?.size && !open) throw typeError(`${this.name}() takes no keyword arguments`)
    if (!rest && args.length > positional.length) throw this.countError(args, 0)
    const bound: unknown[] = positional.map((_, i) => args[i])
    if (rest) bound.push(args.slice(positional.length))
    if (open) bound.push(kwargs ?? new Map())
    return this.body(rt, ...bound)
  }

  private invokeNamed(rt: Runtime, args: readonly Value[], kwargs: Kwargs): Value | Promise<Value> {
    if (this.style !== 'keywords') {
      const shown = this.style === 'parsed' ? this.name : qualifiedName(args, this.name)
      throw typeError(`${shown}() takes no keyword arguments`)
    }
    const { positional, required } = this.parameters
    const given = args.length - 1 + kwargs.size
    if (given >= positional.length) throw this.countError(args, kwargs.size)
    const bound: (Value | undefined)[] = positional.map((name, i) => (i < args.length ? args[i] : kwargs.get(name)))
    for (const name of kwargs.keys()) {
      const at = positional.indexOf(name)
      if (at > 0 && at < args.length) {
        throw typeError(`argument for ${this.name}() given by name ('${name}') and position (${at})`)
      }
    }
    const missing = bound.findIndex((value, i) => value === undefined && i < required)
    if (missing > 0) throw this.missing(missing)
    for (const name of kwargs.keys()) {
      if (positional.indexOf(name) < 1) throw typeError(`'${name}' is an invalid keyword argument for ${this.name}()`)
    }
    return this.body(rt, ...bound)
  }

  private missing(at: number): PyError {
    return typeError(`${this.name}() missing required argument '${this.parameters.positional[at]}' (pos ${at})`)
  }

  /** The counts leave out `self`. */
  private countError(args: readonly Value[], named: number): PyError {
    const given = args.length - 1 + named
    const least = this.parameters.required - 1
    const most = this.parameters.positional.length - 1
    const few = given < least
    const bound = few ? least : most
    const limit = least === most ? '' : few ? 'at least ' : 'at most '
    const noun = bound === 1 ? 'argument' : 'arguments'
    if (this.style === 'keywords') {
      const kind = args.length === 1 ? 'keyword ' : ''
      return few
        ? this.missing(given + 1)
        : typeError(`${this.name}() takes at most ${most} ${kind}${noun} (${given} given)`)
    }
    if (this.style === 'parsed') {
      return typeError(`${this.name}() takes ${limit || 'exactly '}${bound} ${noun} (${given} given)`)
    }
    if (most === 0) return typeError(`${qualifiedName(args, this.name)}() takes no arguments (${given} given)`)
    if (least === 1 && most === 1) {
      return typeError(`${qualifiedName(args, this.name)}() takes exactly one argument (${given} given)`)
    }
    return typeError(`${this.name} expected ${limit}${bound} ${noun}, got ${given}`)
  }
}

/** `type.name`, the type being that of `self`, without its module. */
function qualifiedName(args: readonly Value[], name: string): string {
  return `${typeName(args[0]!).replace(/^.*\./, '')}.${name}`
}

export interface MethodSpec {
  params: readonly string[]
  body: NativeBody
  style: Style
}

/** A method with the parameters after `self`, separated by spaces; `name?` may be left out. */
export function method(params: string, body: NativeBody, style: Style = 'positional'): MethodSpec {
  return { params: params === '' ? [] : params.split(' '), body, style }
}

/** Return methods by name, without a prototype, so that names such as `constructor` are absent. */
export function methodTable(owner: string, specs: Record<string, MethodSpec>): NativeTable {
  const table: Record<string, NativeFunction> = Object.create(null)
  for (const [name, { params, body, style }] of Object.entries(specs)) {
    table[name] = new BuiltinMethod(owner, name, params, body, style)
  }
  return Object.freeze(table)
}
