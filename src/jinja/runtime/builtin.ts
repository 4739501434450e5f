// Filters and tests that are CPython's C functions, such as `length` (len) and `eq`: they take no keyword arguments,
// and have their own messages for a wrong number of arguments.
import { typeError, type Value } from '../../data/mod.ts'
import { type NativeBody, NativeFunction } from './native.ts'
import type { Kwargs, Runtime } from './runtime.ts'

class BuiltinFunction extends NativeFunction {
  override repr(): string {
    return `<built-in function ${this.bareName()}>`
  }

  override invoke(rt: Runtime, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value> {
    if (kwargs?.size) throw typeError(`${this.name}() takes no keyword arguments`)
    const { required } = this.parameters
    if (args.length !== required) {
      throw typeError(
        required === 1
          ? `${this.name}() takes exactly one argument (${args.length} given)`
          : `${this.bareName()} expected ${required} arguments, got ${args.length}`,
      )
    }
    return this.body(rt, ...args)
  }

  private bareName(): string {
    return this.name.slice(this.name.lastIndexOf('.') + 1)
  }
}

/** A builtin function of one or two arguments; its name includes the module, where Python's messages do. */
export function builtin(name: string, count: 1 | 2, body: NativeBody): NativeFunction {
  return new BuiltinFunction(name, ['a', 'b'].slice(0, count), body)
}
