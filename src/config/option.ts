// How an option is declared: what it may hold, its default for each kind of daemon, what it means, and the names it had
// before. Tables of these are all there is to say about an option; defaults, checks and the manual come from them.
import { type Dict, fromPlain, type Value } from '../data/mod.ts'

export type Role = 'minion' | 'master'

export interface Option {
  /** Python's type names that Salt accepts, joined by `|`; without one anything goes. */
  readonly type?: string
  readonly doc: string
  /** The default of minions and of masters, as plain data. */
  readonly both?: unknown
  readonly minion?: unknown
  readonly master?: unknown
  /** Who reads an option that has no default. */
  readonly for?: readonly Role[]
  /** Names of earlier releases. */
  readonly old?: readonly string[]
}

export type OptionTable = Readonly<Record<string, Option>>

/** The types of an option, by Python's names. */
export function typesOf(option: Option): readonly string[] {
  return option.type === undefined ? [] : option.type.split('|').map((name) => (name === 'None' ? 'NoneType' : name))
}

/** Whether a daemon of that role knows the option. */
export function isFor(option: Option, role: Role): boolean {
  return 'both' in option || role in option || (option.for?.includes(role) ?? false)
}

/** A fresh copy of the default, or undefined where there is none. */
export function defaultOf(option: Option, role: Role): Value | undefined {
  const plain = role in option ? option[role] : option.both
  return plain === undefined ? undefined : fromPlain(plain)
}

/** Every option that has a default, as a dict of its own. */
export function defaultsOf(options: OptionTable, role: Role): Dict {
  const defaults: Dict = new Map()
  for (const [name, option] of Object.entries(options)) {
    const value = defaultOf(option, role)
    if (value !== undefined) defaults.set(name, value)
  }
  return defaults
}
