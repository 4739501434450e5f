// Functions written in TypeScript that templates may call: filters, tests, globals and methods of builtin types.
//
// A declaration names its parameters as Python would, so that keyword arguments and Python's own TypeErrors come
// for free; the body receives them in order, `undefined` for one that was left out, so JavaScript defaults apply:
//
//   native('default', ['value', 'default_value?', 'boolean?'], (rt, value, fallback = '', boolean = false) => …)
//
// `name?` is optional, `*name` gathers further positional arguments (an array), `**name` further keywords (a Map);
// parameters after a bare `*` are keyword-only. A leading `@name` stands for what Jinja itself hands to the function
// (its environment or context): templates never give it, but Python counts it in its messages.
import { type PyError, PyObject, typeError, type Value } from '../../data/mod.ts'
import type { Runtime } from './runtime.ts'

export type Kwargs = Map<string, Value>
// biome-ignore lint/suspicious/noExplicitAny: a body declares the types of its own parameters
export type NativeBody = (rt: Runtime, ...args: any[]) => Value | Promise<Value>

interface Parameters {
  /** The name of the parameter that Jinja fills, if the function has one. */
  implicit: string | undefined
  positional: string[]
  required: number
  keywordOnly: string[]
  requiredKeywords: string[]
  rest: boolean
  open: boolean
}

function parseParameters(params: readonly string[]): Parameters {
  const parsed: Parameters = {
    implicit: undefined,
    positional: [],
    required: 0,
    keywordOnly: [],
    requiredKeywords: [],
    rest: false,
    open: false,
  }
  let keywordOnly = false
  for (const param of params) {
    const optional = param.endsWith('?')
    const name = optional ? param.slice(0, -1) : param
    if (name.startsWith('@')) parsed.implicit = name.slice(1)
    else if (name.startsWith('**')) parsed.open = true
    else if (name.startsWith('*')) {
      parsed.rest = name.length > 1
      keywordOnly = true
    } else if (keywordOnly) {
      parsed.keywordOnly.push(name)
      if (!optional) parsed.requiredKeywords.push(name)
    } else {
      parsed.positional.push(name)
      if (!optional) parsed.required++
    }
  }
  return parsed
}

export class NativeFunction extends PyObject {
  readonly typeName = 'function'
  readonly name: string
  readonly body: NativeBody
  readonly parameters: Parameters

  constructor(name: string, params: readonly string[], body: NativeBody) {
    super()
    this.name = name
    this.body = body
    this.parameters = parseParameters(params)
  }

  override repr(): string {
    return `<function ${this.name}>`
  }

  /** Calls with Python's argument rules. `args` begins with the filtered value, or with `self` of a method. */
  invoke(rt: Runtime, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value> {
    if (!kwargs?.size && this.takes(args.length)) return this.body(rt, ...args)
    return this.body(rt, ...this.bind(args, kwargs ?? new Map()))
  }

  /** Whether `count` plain arguments can be handed to the body as they are. */
  takes(count: number): boolean {
    const { positional, required, keywordOnly, rest, open } = this.parameters
    return count >= required && count <= positional.length && !keywordOnly.length && !rest && !open
  }

  private bind(args: readonly Value[], kwargs: Kwargs): unknown[] {
    const { positional, required, keywordOnly, requiredKeywords, rest, open } = this.parameters
    const bound: unknown[] = positional.map((_, i) => args[i])
    const named = new Map<string, Value>()
    const further: Kwargs = new Map()
    for (const [name, value] of kwargs) {
      const at = positional.indexOf(name)
      if (at >= 0 || name === this.parameters.implicit) {
        if (at < args.length) throw typeError(`${this.name}() got multiple values for argument '${name}'`)
        bound[at] = value
      } else if (keywordOnly.includes(name)) named.set(name, value)
      else if (open) further.set(name, value)
      else throw typeError(`${this.name}() got an unexpected keyword argument '${name}'`)
    }
    if (args.length > positional.length && !rest) throw this.arityError(args.length)
    const missing = positional.slice(0, required).filter((_, i) => bound[i] === undefined)
    if (missing.length) throw this.missingError('positional', missing)
    if (rest) bound.push(args.slice(positional.length))
    const missingKeywords = requiredKeywords.filter((name) => !named.has(name))
    if (missingKeywords.length) throw this.missingError('keyword-only', missingKeywords)
    for (const name of keywordOnly) bound.push(named.get(name))
    if (open) bound.push(further)
    return bound
  }

  private arityError(given: number): PyError {
    const { implicit, positional, required } = this.parameters
    if (given < required) return this.missingError('positional', positional.slice(given, required))
    const hidden = implicit === undefined ? 0 : 1
    const most = positional.length + hidden
    const least = required + hidden
    const range = least === most ? `${most}` : `from ${least} to ${most}`
    const noun = most === 1 && least === most ? 'argument' : 'arguments'
    const count = given + hidden
    return typeError(
      `${this.name}() takes ${range} positional ${noun} but ${count} ${count === 1 ? 'was' : 'were'} given`,
    )
  }

  private missingError(kind: string, names: string[]): PyError {
    const quoted = names.map((name) => `'${name}'`)
    const last = quoted.pop()!
    const joined =
      quoted.length > 1 ? `${quoted.join(', ')}, and ${last}` : quoted.length ? `${quoted[0]} and ${last}` : last
    return typeError(
      `${this.name}() missing ${names.length} required ${kind} argument${names.length === 1 ? '' : 's'}: ${joined}`,
    )
  }
}

export function native(name: string, params: readonly string[], body: NativeBody): NativeFunction {
  return new NativeFunction(name, params, body)
}

/** Functions by the name a template uses. */
export type NativeTable = Readonly<Record<string, NativeFunction>>
