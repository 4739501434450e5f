// States by name, imported at their first use like functions. Of several modules with one name the first that can
// serve this minion does.
import { contains, type Dict, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { type StateDeclaration, type StateFunction, stateHooks } from '../sdk/mod.ts'
import { absence } from './absent-plugins.ts'
import { splitName } from './module-entry.ts'

export interface StateEntry {
  readonly functions: readonly string[]
  /** The functions that the module offers to the engine, under Salt's names. */
  readonly hooks?: readonly string[]
  readonly load: () => Promise<{ default: StateDeclaration }>
}

/** By the name that users write. */
export type StateTable = Readonly<Record<string, readonly StateEntry[]>>

export interface StateSurroundings {
  opts: Dict
  grains: Dict
  host: Host
}

export class StateRegistry {
  private table: StateTable
  private readonly surroundings: StateSurroundings
  private readonly disabled: Value
  private readonly loading = new Map<string, Promise<StateDeclaration | undefined>>()
  private readonly loaded = new Map<string, StateDeclaration>()
  private readonly offered = new Map<string, ReadonlySet<string>>()
  private readonly reasons = new Map<string, string>()
  /** Functions by the full name of the request. */
  private readonly found = new Map<string, StateFunction>()

  constructor(table: StateTable, surroundings: StateSurroundings) {
    this.table = table
    this.surroundings = surroundings
    this.disabled = surroundings.opts.get('disable_states') ?? []
  }

  /** Load a module; undefined if none supports this minion. Afterwards, `has` and `get` are exact for it. */
  load(module: string): Promise<StateDeclaration | undefined> {
    let promise = this.loading.get(module)
    if (!promise) {
      promise = this.choose(module)
      this.loading.set(module, promise)
    }
    return promise
  }

  /** Chooses from another table from now on. */
  use(table: StateTable): void {
    this.table = table
    this.reload()
  }

  /** Select modules again, because the conditions for them have changed. */
  reload(): void {
    for (const known of [this.loading, this.loaded, this.offered, this.reasons, this.found]) known.clear()
  }

  /** Whether the module has been loaded, or found to be missing. */
  isSettled(module: string): boolean {
    return this.loaded.has(module) || this.reasons.has(module)
  }

  /** Whether a function or hook of this name exists. */
  has(name: string): boolean {
    if (this.found.has(name)) return true
    const [module, fun] = splitName(name)
    if (this.isSettled(module)) return this.offered.get(module)?.has(fun) ?? false
    return this.entries(module).some(({ functions, hooks }) => functions.includes(fun) || hooks?.includes(fun))
  }

  /** A function of a loaded module. */
  get(name: string): StateFunction | undefined {
    const known = this.found.get(name)
    if (known) return known
    const [module, fun] = splitName(name)
    const functions = this.loaded.get(module)?.functions
    if (!functions || !Object.hasOwn(functions, fun)) return undefined
    this.found.set(name, functions[fun]!)
    return functions[fun]
  }

  module(name: string): StateDeclaration | undefined {
    return this.loaded.get(name)
  }

  *names(): Generator<string> {
    for (const module of Object.keys(this.table)) {
      for (const fun of new Set(this.entries(module).flatMap(({ functions }) => functions))) yield `${module}.${fun}`
    }
  }

  /** Return Salt's message for a missing function. */
  missing(name: string): string {
    const [module] = splitName(name)
    const reason = this.reasons.get(module) || this.absence(module)
    if (reason === undefined) return `'${name}' is not available.`
    return `'${module}' __virtual__ returned False: ${reason}`
  }

  /** Return why Brine does not have a state module of Salt; undefined for others. */
  absence(module: string): string | undefined {
    return Object.hasOwn(this.table, module) ? undefined : absence('state', module)
  }

  private entries(module: string): readonly StateEntry[] {
    return Object.hasOwn(this.table, module) && !contains(this.disabled, module) ? this.table[module]! : []
  }

  private async choose(module: string): Promise<StateDeclaration | undefined> {
    const reasons: string[] = []
    for (const { load } of this.entries(module)) {
      const { default: declaration } = await load()
      const verdict = (await declaration.when?.(this.surroundings)) ?? true
      if (verdict === true) {
        this.loaded.set(module, declaration)
        this.offered.set(module, new Set([...Object.keys(declaration.functions), ...stateHooks(declaration)]))
        return declaration
      }
      reasons.push(verdict)
    }
    this.reasons.set(module, reasons.join('; '))
    return undefined
  }
}
