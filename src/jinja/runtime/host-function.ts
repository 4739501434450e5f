// A function of the host that a template may call, such as `salt['grains.get']`. Its answer may be a promise; the
// template waits only then. What it throws reaches the renderer unchanged.
import { PyObject, type Value } from '../../data/mod.ts'

export type HostCall = (args: readonly Value[], kwargs: ReadonlyMap<string, Value>) => Value | Promise<Value>

export class HostFunction extends PyObject {
  readonly typeName: string = 'function'
  readonly name: string
  readonly call: HostCall

  constructor(name: string, call: HostCall) {
    super()
    this.name = name
    this.call = call
  }

  override repr(): string {
    return `<function ${this.name}>`
  }
}
