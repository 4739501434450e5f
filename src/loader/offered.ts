// The functions of a table of modules under the options: all but `disable_modules`, and with `whitelist_modules` only
// those. The names of a module are read at first use, because a run needs few.
import { option } from '../config/mod.ts'
import { contains, type Dict, truthy, type Value } from '../data/mod.ts'
import type { ModuleTable } from './module-entry.ts'

export class OfferedFunctions {
  private readonly table: ModuleTable
  private readonly disabled: Value
  private readonly allowed: Value
  private readonly known: Map<string, ReadonlySet<string>>

  /** `known`: modules whose functions differ from the table's. */
  constructor(table: ModuleTable, opts: Dict, known: ReadonlyMap<string, ReadonlySet<string>> = new Map()) {
    this.table = table
    this.disabled = option(opts, 'disable_modules')
    this.allowed = option(opts, 'whitelist_modules')
    this.known = new Map(known)
  }

  /** Return the functions of a module; undefined if the module does not exist. */
  of(module: string): ReadonlySet<string> | undefined {
    const known = this.known.get(module)
    if (known || !this.has(module)) return known
    const names = new Set(this.table[module]!.flatMap(({ functions }) => functions))
    this.known.set(module, names)
    return names
  }

  has(module: string): boolean {
    if (this.known.has(module)) return true
    if (!Object.hasOwn(this.table, module) || contains(this.disabled, module)) return false
    return !truthy(this.allowed) || contains(this.allowed, module)
  }

  *names(): Generator<string> {
    const others = [...this.known.keys()].filter((module) => !Object.hasOwn(this.table, module))
    for (const module of [...Object.keys(this.table), ...others]) {
      for (const fun of this.of(module) ?? []) yield `${module}.${fun}`
    }
  }
}
