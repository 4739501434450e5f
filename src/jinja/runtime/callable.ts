// Values that a template can call, and the lookup of the function to run.
import { PyObject, type Value } from '../../data/mod.ts'
import type { NativeFunction } from './native.ts'
import type { Kwargs, Runtime } from './runtime.ts'

/** The base of callable values: macros, loops, types. */
export abstract class CallableValue extends PyObject {
  abstract call(rt: Runtime, args: readonly Value[], kwargs: Kwargs): Value | Promise<Value>
}

/** `object.method` before it is called. */
export class BoundMethod extends CallableValue {
  readonly typeName = 'builtin_function_or_method'
  private readonly self: Value
  private readonly method: NativeFunction

  constructor(self: Value, method: NativeFunction) {
    super()
    this.self = self
    this.method = method
  }

  override repr(): string {
    return `<built-in method ${this.method.name}>`
  }

  call(rt: Runtime, args: readonly Value[], kwargs: Kwargs): Value | Promise<Value> {
    return this.method.invoke(rt, [this.self, ...args], kwargs)
  }
}

/** A Python class that templates call to create a value, such as `dict`. */
export class TypeObject extends CallableValue {
  readonly typeName = 'type'
  private readonly shown: string
  private readonly maker: NativeFunction

  constructor(shown: string, maker: NativeFunction) {
    super()
    this.shown = shown
    this.maker = maker
  }

  override repr(): string {
    return `<class '${this.shown}'>`
  }

  call(rt: Runtime, args: readonly Value[], kwargs: Kwargs): Value | Promise<Value> {
    return this.maker.invoke(rt, args, kwargs)
  }
}
