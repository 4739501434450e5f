// The tables of modules: the functions of each, and how its file is loaded.
import type { ModuleDeclaration } from '../sdk/mod.ts'

export interface ModuleEntry {
  readonly functions: readonly string[]
  /** Whether the module supports every minion, so that its condition need not be evaluated. */
  readonly always?: true
  readonly load: () => Promise<{ default: ModuleDeclaration }>
}

/**
 * By the name that users call. If several modules with one name support this minion, each function comes from the first
 * module that has it: where systemd is installed but not running, `service.mask` is systemd's and `service.start` is
 * not.
 */
export type ModuleTable = Readonly<Record<string, readonly ModuleEntry[]>>

/** Return the parts of `module.function`. */
export function splitName(name: string): [module: string, fun: string] {
  const dot = name.indexOf('.')
  return dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)]
}
