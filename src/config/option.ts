// The declaration of an option: type, default for each kind of daemon, meaning, effect and earlier names. Defaults,
// checks, the typed view (`view.ts`) and the manual are generated from tables of these declarations.
import { type Dict, fromPlain, type Value } from '../data/mod.ts'

export type Role = 'minion' | 'master'

type TypeName = 'str' | 'int' | 'float' | 'bool' | 'dict' | 'list' | 'tuple' | 'None'

export interface Option {
  /** Python's type names that Salt accepts, joined by `|`; without one anything goes. */
  readonly type?: TypeName | `${TypeName}|${TypeName}` | `${TypeName}|${TypeName}|${TypeName}`
  readonly doc: string
  /** The default of minions and of masters, as plain data. */
  readonly both?: unknown
  readonly minion?: unknown
  readonly master?: unknown
  /** Compute the default on this machine; `default` documents the usual value. */
  readonly find?: () => Value
  /** The programs that know an option without a default. */
  readonly for?: readonly Role[]
  /** The value that counts while the option is not set, where Salt's options do not hold it until then. */
  readonly unset?: unknown
  /** The names that the option may hold, where all plug-ins of its kind are built in. */
  readonly names?: readonly string[]
  /** Why programs have no use for the option here; it has no effect. */
  readonly needless?: string
  /** The part of Salt that the option belongs to, where that part is not here yet; the option has no effect. */
  readonly later?: string
  /** Whether the value must not be shown. Without it, the name decides. */
  readonly secret?: boolean
  /** Names of earlier releases. */
  readonly old?: readonly string[]
}

export type OptionTable = Readonly<Record<string, Option>>

/** Mark all options of a table as belonging to a part of Salt that is not here yet. */
export function later<T extends OptionTable>(part: string, table: T): T {
  return marked(table, { later: part })
}

/** Mark all options of a table as without use here. */
export function needless<T extends OptionTable>(reason: string, table: T): T {
  return marked(table, { needless: reason })
}

function marked<T extends OptionTable>(table: T, mark: Partial<Option>): T {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [name, { ...option, ...mark }])) as T
}

/** The types of an option, by Python's names. */
export function typesOf(option: Option): readonly string[] {
  return option.type === undefined ? [] : option.type.split('|').map((name) => (name === 'None' ? 'NoneType' : name))
}

/** Whether a daemon of that role knows the option. */
export function isFor(option: Option, role: Role): boolean {
  return 'both' in option || role in option || (option.for?.includes(role) ?? false)
}

/** Return a fresh copy of the default; undefined if there is none. */
export function defaultOf(option: Option, role: Role): Value | undefined {
  const plain = role in option ? option[role] : option.both
  return plain === undefined ? undefined : fromPlain(plain)
}

/** Return every option with a default, as a new dict. */
export function defaultsOf(options: OptionTable, role: Role): Dict {
  const defaults: Dict = new Map()
  for (const [name, option] of Object.entries(options)) {
    const value = defaultOf(option, role)
    if (value !== undefined) defaults.set(name, option.find?.() ?? value)
  }
  return defaults
}
