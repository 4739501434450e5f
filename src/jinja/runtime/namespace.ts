// `namespace()`: the only value whose attributes a template may set, so that a loop can pass a value out.
import { PyObject, repr, type Value } from '../../data/mod.ts'

export class Namespace extends PyObject {
  readonly typeName = 'Namespace'
  override readonly module = 'jinja2.utils'
  private readonly attributes: Map<Value, Value>

  constructor(attributes: Map<Value, Value>) {
    super()
    this.attributes = attributes
  }

  set(name: string, value: Value): void {
    this.attributes.set(name, value)
  }

  override getAttr(name: string): Value | undefined {
    return this.attributes.get(name)
  }

  override *attrNames(): Iterable<string> {
    for (const name of this.attributes.keys()) if (typeof name === 'string') yield name
  }

  override repr(): string {
    return `<Namespace ${repr(this.attributes)}>`
  }
}
