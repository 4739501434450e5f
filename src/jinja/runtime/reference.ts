// `self.block()` and `super()`.
import { PyObject, quote, type Value } from '../../data/mod.ts'
import type { BlockFunction } from '../template.ts'
import { Callable } from './callable.ts'
import type { Context } from './context.ts'
import type { Rendering } from './rendering.ts'
import type { Runtime } from './runtime.ts'

export class BlockReference extends Callable {
  readonly typeName = 'BlockReference'
  private readonly name: string
  private readonly context: Context
  private readonly definitions: readonly BlockFunction[]
  private readonly depth: number

  constructor(name: string, context: Context, definitions: readonly BlockFunction[], depth: number) {
    super()
    this.name = name
    this.context = context
    this.definitions = definitions
    this.depth = depth
  }

  override attrNames(): Iterable<string> {
    return ['super']
  }

  override getAttr(name: string): Value | undefined {
    if (name !== 'super' || this.depth + 1 >= this.definitions.length) return undefined
    return new BlockReference(this.name, this.context, this.definitions, this.depth + 1)
  }

  call(rt: Runtime): Value | Promise<Value> {
    const rendering = rt as Rendering
    const text = this.definitions[this.depth]!(this.context, rendering)
    return text instanceof Promise ? text.then((done) => rendering.captured(done)) : rendering.captured(text)
  }
}

/** `self`: the blocks of the template being rendered. */
export class TemplateReference extends PyObject {
  readonly typeName = 'TemplateReference'
  private readonly context: Context

  constructor(context: Context) {
    super()
    this.context = context
  }

  override getItem(key: Value): Value | undefined {
    const definitions = typeof key === 'string' ? this.context.blocks.get(key) : undefined
    return definitions && new BlockReference(key as string, this.context, definitions, 0)
  }

  override attrNames(): Iterable<string> {
    return this.context.blocks.keys()
  }

  override repr(): string {
    return `<TemplateReference ${quote('template')}>`
  }
}
