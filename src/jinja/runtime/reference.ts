// `self.block()` and `super()`.
import { PyObject, quote, type Value } from '../../data/mod.ts'
import { CallableValue } from './callable.ts'
import type { BlockFunction, Context } from './context.ts'
import type { Runtime } from './runtime.ts'

export class BlockReference extends CallableValue {
  readonly typeName = 'BlockReference'
  override readonly module = 'jinja2.runtime'
  private readonly rt: Runtime
  private readonly name: string
  private readonly context: Context
  private readonly definitions: readonly BlockFunction[]
  private readonly depth: number

  constructor(rt: Runtime, name: string, context: Context, definitions: readonly BlockFunction[], depth: number) {
    super()
    this.rt = rt
    this.name = name
    this.context = context
    this.definitions = definitions
    this.depth = depth
  }

  override attrNames(): Iterable<string> {
    return ['super']
  }

  override getAttr(name: string): Value | undefined {
    if (name !== 'super') return undefined
    if (this.depth + 1 >= this.definitions.length) {
      return this.rt.undefined(`there is no parent block called ${quote(this.name)}.`)
    }
    return new BlockReference(this.rt, this.name, this.context, this.definitions, this.depth + 1)
  }

  call(): Value | Promise<Value> {
    return this.rt.nested(() => this.definitions[this.depth]!(this.context, this.rt))
  }
}

/** `self`: the blocks of the template being rendered. */
export class TemplateReference extends PyObject {
  readonly typeName = 'TemplateReference'
  override readonly module = 'jinja2.runtime'
  private readonly rt: Runtime
  private readonly context: Context

  constructor(rt: Runtime, context: Context) {
    super()
    this.rt = rt
    this.context = context
  }

  override getItem(key: Value): Value | undefined {
    const definitions = typeof key === 'string' ? this.context.blocks.get(key) : undefined
    return definitions && new BlockReference(this.rt, key as string, this.context, definitions, 0)
  }

  override attrNames(): Iterable<string> {
    return this.context.blocks.keys()
  }

  override repr(): string {
    return '<TemplateReference None>'
  }
}
