// Runner and wheel functions by name, imported at their first call like those of minions.
import { didYouMean } from '../base/mod.ts'
import { readValue, type Value } from '../data/mod.ts'
import { bind, type Keywords, type MasterContext, type MasterFunction, type MasterModule, toValue } from '../sdk/mod.ts'
import { LoaderError } from './errors.ts'
import { loggedCall } from './logged-call.ts'
import { splitName } from './module-entry.ts'

export interface MasterEntry {
  readonly functions: readonly string[]
  readonly load: () => Promise<{ default: MasterModule }>
}

/** By the name that users call. */
export type MasterTable = Readonly<Record<string, readonly MasterEntry[]>>

export class MasterRegistry {
  /** Without users' own. */
  readonly builtIn: MasterTable
  private table: MasterTable
  private readonly loaded = new WeakMap<MasterEntry, MasterModule>()

  constructor(table: MasterTable) {
    this.builtIn = table
    this.table = table
  }

  /** Takes functions from another table from now on. */
  use(table: MasterTable): void {
    this.table = table
  }

  has(name: string): boolean {
    const [module, fun] = splitName(name)
    return Object.hasOwn(this.table, module) && this.table[module]!.some(({ functions }) => functions.includes(fun))
  }

  *names(): Generator<string> {
    for (const [module, entries] of Object.entries(this.table)) {
      for (const { functions } of entries) for (const fun of functions) yield `${module}.${fun}`
    }
  }

  /** Return the declaration of a function; throw if it does not exist. */
  async find(name: string): Promise<MasterFunction> {
    const [module, fun] = splitName(name)
    for (const entry of Object.hasOwn(this.table, module) ? this.table[module]! : []) {
      if (!entry.functions.includes(fun)) continue
      // the table may name more than a module of an extension has
      const { functions } = this.loaded.get(entry) ?? (await this.load(entry))
      if (Object.hasOwn(functions, fun)) return functions[fun]!
    }
    const hint = didYouMean(name, this.names())
    throw new LoaderError('FunctionUnknown', `'${name}' is not available.`, hint === undefined ? {} : { hint })
  }

  private async load(entry: MasterEntry): Promise<MasterModule> {
    const { default: module } = await entry.load()
    this.loaded.set(entry, module)
    return module
  }

  /** Call a function. Return its value, which the caller may change. */
  async call(...call: Parameters<MasterRegistry['callEncoded']>): Promise<Value> {
    return readValue(await this.callEncoded(...call))
  }

  /** Call a function. Return its value, which may be an `Encoded`. */
  async callEncoded(
    ctx: MasterContext,
    name: string,
    args: readonly Value[] = [],
    kwargs: Keywords = new Map(),
  ): Promise<Value> {
    const declaration = await this.find(name)
    const keywords = kwargs instanceof Map ? kwargs : new Map(Object.entries(kwargs))
    const run = async () => toValue(await declaration.run(ctx, bind(declaration, splitName(name)[1], args, keywords)))
    return loggedCall(ctx.log, name, run)
  }

  async docs(): Promise<Map<string, string>> {
    const docs = new Map<string, string>()
    for (const name of [...new Set(this.names())].sort()) {
      const found = await this.find(name).catch(unavailable)
      if (found) docs.set(name, found.doc)
    }
    return docs
  }
}

/** A function that its module turned out not to have. */
function unavailable(error: unknown): undefined {
  if (!(error instanceof LoaderError)) throw error
  return undefined
}
