// The declaration of a beacon: a check that runs at an interval and returns its findings as data of events.
import {
  type Dict,
  floatFromText,
  intFromText,
  isDict,
  isList,
  isNumeric,
  numberOf,
  str,
  typeError,
  typeName,
  type Value,
} from '../data/mod.ts'
import type { FunctionContext } from './context.ts'

export interface BeaconContext extends Pick<FunctionContext, 'call' | 'has' | 'grains' | 'opts' | 'host' | 'log'> {
  /** The memory of this beacon between polls. */
  readonly memory: Map<string, unknown>
  /** Watch a directory or file until the beacon is closed; false if it does not exist. */
  watch(path: string, hear: (name: string | null) => void): boolean
  unwatch(path: string): void
  /** Read the lines that a command prints, until it ends or the beacon is closed. */
  follow(argv: readonly string[], hear: (line: string) => void): Followed
}

/** A command that is listened to. */
export interface Followed {
  readonly isRunning: boolean
}

export interface BeaconDeclaration {
  name: string
  doc: string
  /** True, or why it cannot serve here. */
  when?(ctx: BeaconContext): true | string | Promise<true | string>
  /** The message for a valid configuration, if it is not the usual one. */
  valid?: string
  /** Return the problem with a configuration; undefined if it is valid. */
  validate(config: Dict, has: BeaconContext['has']): string | undefined
  /** Poll once; return the data of events. `tag` is the end of an event's tag. */
  beacon(ctx: BeaconContext, config: Dict): Dict[] | Promise<Dict[]>
}

export const defineBeacon = (declaration: BeaconDeclaration): BeaconDeclaration => declaration

/** Options that all beacons have; the minion handles them. */
const COMMON = new Set(['enabled', 'interval', 'disable_during_state_run', 'beacon_module', 'run_once', '_beacon_name'])

/** Return a configuration as one mapping; it may be written as a list of mappings. */
export function beaconOptions(config: Value): Dict {
  if (isDict(config)) return config
  const all: Dict = new Map()
  for (const part of isList(config) ? [...config] : [])
    if (isDict(part)) for (const [key, item] of part) all.set(key, item)
  return all
}

/** The options that belong to the beacon itself. */
export const ownOptions = (config: Dict): Dict => new Map([...config].filter(([key]) => !COMMON.has(str(key))))

/** Return a value that a beacon keeps between polls; it is created at the first one. */
export function remembered<T>({ memory }: BeaconContext, name: string, make: () => T): T {
  if (!memory.has(name)) memory.set(name, make())
  return memory.get(name) as T
}

/** An option that is a mapping, or an empty one. */
export function dictOption(config: Dict, name: string): Dict {
  const option = config.get(name) ?? null
  return isDict(option) ? option : new Map()
}

/** Python's `float(value)` and `int(value)` with its errors, which the event of a failed poll contains. */
export function floatOf(value: Value): number {
  if (typeof value === 'string') return floatFromText(value)
  const number = isNumeric(value) ? numberOf(value) : undefined
  if (number === undefined)
    throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`)
  return number
}

export function intOf(value: Value): number {
  if (typeof value === 'string') return Number(intFromText(value))
  const number = isNumeric(value) ? numberOf(value) : undefined
  if (number === undefined) {
    throw typeError(`int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`)
  }
  return Math.trunc(number)
}

/** `10%`, `10` or `10.5`. */
export const percentOf = (value: Value): number =>
  floatOf(typeof value === 'string' ? value.replaceAll('%', '') : value)

/** Round to one digit, like psutil. */
export const roundedPercent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10
