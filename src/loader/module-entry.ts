// The tables of modules: what each offers, and how its file is loaded.
import type { ModuleDeclaration } from '../sdk/mod.ts'

export interface ModuleEntry {
  readonly functions: readonly string[]
  /** It serves every minion, so that nobody needs to look into it to know. */
  readonly always?: true
  readonly load: () => Promise<{ default: ModuleDeclaration }>
}

/**
 * By the name users call. Of several modules with one name those that can serve this minion do, each function from the
 * first that has it: where systemd is installed and not running, `service.mask` is systemd's and `service.start` is not.
 */
export type ModuleTable = Readonly<Record<string, readonly ModuleEntry[]>>

/** Return the parts of `module.function`. */
export function splitName(name: string): [module: string, fun: string] {
  const dot = name.indexOf('.')
  return dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)]
}
