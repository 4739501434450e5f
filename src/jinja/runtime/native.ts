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
import { matchArguments, PyObject, type Signature, type Value } from '../../data/mod.ts'
import type { Kwargs, Runtime } from './runtime.ts'

// biome-ignore lint/suspicious/noExplicitAny: a body declares the types of its own parameters
export type NativeBody = (rt: Runtime, ...args: any[]) => Value | Promise<Value>

function parseParameters(name: string, params: readonly string[]): Signature {
  const positional: string[] = []
  const keywordOnly: string[] = []
  const requiredKeywords: string[] = []
  const parsed = { name, positional, required: 0, keywordOnly, requiredKeywords, rest: false, open: false }
  let implicit: string | undefined
  let afterStar = false
  for (const param of params) {
    const optional = param.endsWith('?')
    const parameter = optional ? param.slice(0, -1) : param
    if (parameter.startsWith('@')) implicit = parameter.slice(1)
    else if (parameter.startsWith('**')) parsed.open = true
    else if (parameter.startsWith('*')) {
      parsed.rest = parameter.length > 1
      afterStar = true
    } else if (afterStar) {
      keywordOnly.push(parameter)
      if (!optional) requiredKeywords.push(parameter)
    } else {
      positional.push(parameter)
      if (!optional) parsed.required++
    }
  }
  return { ...parsed, implicit }
}

export class NativeFunction extends PyObject {
  readonly typeName = 'function'
  readonly name: string
  readonly body: NativeBody
  readonly parameters: Signature

  constructor(name: string, params: readonly string[], body: NativeBody) {
    super()
    this.name = name
    this.body = body
    this.parameters = parseParameters(name, params)
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
    const { positional, keywordOnly, rest, further } = matchArguments(this.parameters, args, kwargs)
    const bound: unknown[] = positional
    if (this.parameters.rest) bound.push(rest)
    for (const value of keywordOnly) bound.push(value)
    if (this.parameters.open) bound.push(further)
    return bound
  }
}

export function native(name: string, params: readonly string[], body: NativeBody): NativeFunction {
  return new NativeFunction(name, params, body)
}

/** Functions by the name a template uses. */
export type NativeTable = Readonly<Record<string, NativeFunction>>
