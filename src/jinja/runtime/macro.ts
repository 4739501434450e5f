// A macro as a value: binds its arguments as Jinja does and runs the compiled body.
import { quote, Tuple, tuple, typeError, type Value } from '../../data/mod.ts'
import { CallableValue } from './callable.ts'
import type { Kwargs, Runtime } from './runtime.ts'

export type MacroBody = (...args: Array<Value | undefined>) => string | Promise<string>

export class Macro extends CallableValue {
  readonly typeName = 'Macro'
  override readonly module = 'jinja2.runtime'
  private readonly rt: Runtime
  readonly name: string | null
  private readonly args: readonly string[]
  /** Which of `caller`, `kwargs` and `varargs` the body uses. */
  private readonly special: readonly string[]
  private readonly body: MacroBody

  constructor(rt: Runtime, name: string | null, args: readonly string[], special: readonly string[], body: MacroBody) {
    super()
    this.rt = rt
    this.name = name
    this.args = args
    this.special = special
    this.body = body
  }

  override repr(): string {
    return this.name === null ? '<Macro anonymous>' : `<Macro ${quote(this.name)}>`
  }

  override attrNames(): Iterable<string> {
    return ['name', 'arguments', 'catch_kwargs', 'catch_varargs', 'caller']
  }

  override getAttr(name: string): Value | undefined {
    switch (name) {
      case 'name':
        return this.name
      case 'arguments':
        return tuple(this.args)
      case 'catch_kwargs':
        return this.special.includes('kwargs')
      case 'catch_varargs':
        return this.special.includes('varargs')
      case 'caller':
        return this.special.includes('caller')
      default:
        return undefined
    }
  }

  call(_rt: unknown, args: readonly Value[], kwargs: Kwargs): Value | Promise<Value> {
    const bound =
      this.special.length === 0 && kwargs.size === 0 && args.length <= this.args.length ? args : this.bind(args, kwargs)
    return this.rt.nested(() => this.body(...bound))
  }

  private bind(args: readonly Value[], kwargs: Kwargs): Array<Value | undefined> {
    const shown = this.name === null ? 'None' : quote(this.name)
    const bound: Array<Value | undefined> = args.slice(0, this.args.length)
    const rest = new Map(kwargs)
    let explicitCaller = this.args.slice(0, bound.length).includes('caller')
    for (let i = bound.length; i < this.args.length; i++) {
      const name = this.args[i]!
      bound.push(rest.get(name))
      rest.delete(name)
      if (name === 'caller') explicitCaller = true
    }
    if (this.special.includes('caller') && !explicitCaller) {
      bound.push(rest.get('caller') ?? this.rt.undefined('No caller defined'))
      rest.delete('caller')
    }
    if (this.special.includes('kwargs')) bound.push(rest as Map<Value, Value>)
    else if (rest.size) {
      if (rest.has('caller')) {
        throw typeError(
          `macro ${shown} was invoked with two values for the special caller argument. This is most likely a bug.`,
        )
      }
      throw typeError(`macro ${shown} takes no keyword argument ${quote([...rest.keys()][0]!)}`)
    }
    if (this.special.includes('varargs')) bound.push(Tuple.from(args.slice(this.args.length)) as Tuple)
    else if (args.length > this.args.length) {
      throw typeError(`macro ${shown} takes not more than ${this.args.length} argument(s)`)
    }
    return bound
  }
}
