// `salt` in a template: execution functions as `salt['mod.fun'](…)`, `salt.mod.fun(…)` and `salt.get('mod.fun')`.
// Salt's class names stay visible in the texts of undefined errors.
import { PyError, PyObject, textOf, type Value } from '../data/mod.ts'
import { HostFunction } from '../jinja/mod.ts'

/** The source of functions, such as the loader's registry. */
export interface FunctionSource {
  has(name: string): boolean
  hasModule(name: string): boolean
  names(): Iterable<string>
  /** Return the error that a template fails with in place of one of a function. */
  readonly failure?: ((name: string, error: unknown) => unknown) | undefined
  call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Value | Promise<Value>
}

async function told(source: FunctionSource, name: string, answer: Promise<Value>): Promise<Value> {
  try {
    return await answer
  } catch (error) {
    throw source.failure?.(name, error) ?? error
  }
}

function called(
  source: FunctionSource,
  name: string,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): Value | Promise<Value> {
  if (!source.failure) return source.call(name, args, kwargs)
  try {
    const answer = source.call(name, args, kwargs)
    return answer instanceof Promise ? told(source, name, answer) : answer
  } catch (error) {
    throw source.failure(name, error) ?? error
  }
}

class LoadedFunction extends HostFunction {
  override readonly typeName = 'LoadedFunc'
  override readonly module = 'salt.loader.lazy'

  constructor(source: FunctionSource, name: string) {
    super(name, (args, kwargs) => called(source, name, args, kwargs))
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
