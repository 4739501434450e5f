// An imported template: its exported names as attributes, its text as its str.
import { PyObject, quote, type Value } from '../../data/mod.ts'
import type { TemplateOrigin } from './failure.ts'

export class TemplateModule extends PyObject {
  readonly typeName = 'TemplateModule'
  override readonly module = 'jinja2.environment'
  private readonly origin: TemplateOrigin
  private readonly exports: ReadonlyMap<string, Value>
  private readonly text: string

  constructor(origin: TemplateOrigin, exports: ReadonlyMap<string, Value>, text: string) {
    super()
    this.origin = origin
    this.exports = exports
    this.text = text
  }

  get name(): string | undefined {
    return this.origin.name
  }

  override getAttr(name: string): Value | undefined {
    return this.exports.get(name)
  }

  override attrNames(): Iterable<string> {
    return this.exports.keys()
  }

  override str(): string {
    return this.text
  }

  override repr(): string {
    return `<TemplateModule ${this.name === undefined ? 'memory' : quote(this.name)}>`
  }
}
