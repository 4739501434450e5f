// A function of the host that a template may call, such as `salt['grains.get']`. Its result may be a promise, which the
// template then awaits. Its errors reach the renderer unchanged.
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
