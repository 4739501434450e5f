// `salt` in a template: execution functions as `salt['mod.fun'](…)`, `salt.mod.fun(…)` and `salt.get('mod.fun')`.
// Salt's class names stay visible in the texts of undefined errors.
import { PyError, PyObject, textOf, type Value } from '../data/mod.ts'
import { HostFunction } from '../jinja/mod.ts'

/** Where functions come from; the loader's registry is one. */
export interface FunctionSource {
  has(name: string): boolean
  hasModule(name: string): boolean
  names(): Iterable<string>
  call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Value | Promise<Value>
}

class LoadedFunction extends HostFunction {
  override readonly typeName = 'LoadedFunc'
  override readonly module = 'salt.loader.lazy'

  constructor(source: FunctionSource, name: string) {
    super(name, (args, kwargs) => source.call(name, args, kwargs))
  }

  override getAttr(name: string): Value | undefined {
    return name === 'name' ? this.name : undefined
  }

  override repr(): string {
    return `<LoadedFunc name='${this.name}'>`
  }
}

class LoadedModule extends PyObject {
  readonly typeName = 'LoadedMod'
  override readonly module = 'salt.loader.lazy'
  private readonly source: FunctionSource
  private readonly name: string

  constructor(source: FunctionSource, name: string) {
    super()
    this.source = source
    this.name = name
  }

  override getAttr(fun: string): Value | undefined {
    const name = `${this.name}.${fun}`
    return this.source.has(name) ? new LoadedFunction(this.source, name) : undefined
  }

  override *attrNames(): Generator<string> {
    const prefix = `${this.name}.`
    for (const name of this.source.names()) if (name.startsWith(prefix)) yield name.slice(prefix.length)
  }

  override repr(): string {
    return `<LoadedMod module='salt.loaded.${this.name}'>`
  }
}

export class SaltFunctions extends PyObject {
  readonly typeName = 'AliasedLoader'
  override readonly module = 'salt.utils.templates'
  private readonly source: FunctionSource
  private readonly methods: ReadonlyMap<string, HostFunction>

  constructor(source: FunctionSource) {
    super()
    this.source = source
    this.methods = new Map([
      ['get', new HostFunction('get', ([name, fallback = null]) => this.getItem(name ?? null) ?? fallback)],
      ['keys', new HostFunction('keys', () => [...source.names()])],
    ])
  }

  override getItem(key: Value): Value | undefined {
    const name = textOf(key)
    if (name === undefined) throw new PyError('KeyError', "'The key must be a string.'")
    if (this.source.has(name)) return new LoadedFunction(this.source, name)
    return this.source.hasModule(name) ? new LoadedModule(this.source, name) : undefined
  }

  override getAttr(name: string): Value | undefined {
    if (this.source.hasModule(name)) return new LoadedModule(this.source, name)
    return this.methods.get(name)
  }

  override *attrNames(): Generator<string> {
    const modules = new Set<string>()
    for (const name of this.source.names()) {
      yield name
      modules.add(name.slice(0, name.indexOf('.')))
    }
    yield* modules
  }

  override contains(item: Value): boolean {
    const name = textOf(item)
    return name !== undefined && this.source.has(name)
  }

  /** Salt's loader has no iteration that a template could use; Python then tries `salt[0]`. */
  override iterate(): Iterator<Value> {
    throw new PyError('KeyError', "'The key must be a string.'")
  }
}
