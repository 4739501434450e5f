// Warnings about options: a value of the wrong type, with Salt's texts and conversions, and a name that looks like a
// typing error. Other unknown options are fine: modules read their own.
import { isA, type Log, type LogLevel, lookup, recover, shownText, slipOf } from '../base/mod.ts'
import {
  type Dict,
  equals,
  floatFromText,
  intFromText,
  isDict,
  isFloat,
  isInt,
  isIterable,
  isList,
  PyError,
  repr,
  str,
  Tuple,
  textOf,
  typeName,
  type Value,
} from '../data/mod.ts'
import { ConfigError } from './errors.ts'
import { defaultOf, isFor, type Option, type OptionTable, type Role, typesOf } from './option.ts'
import { FUNCTION_OPTIONS, OLD_NAMES, OPTIONS } from './options.ts'
import { type Sources, whereSet, withoutTemplateSecrets } from './source.ts'

/** Values that a type's constructor accepts but Salt refuses, because the conversion would change their meaning. */
const CHANGED_BY: Readonly<Record<string, readonly string[]>> = lookup({
  str: ['list', 'tuple', 'dict'],
  list: ['dict', 'str'],
  tuple: ['dict', 'str'],
  bool: ['list', 'tuple', 'str', 'int', 'float', 'dict', 'NoneType'],
  int: ['bool', 'float'],
  float: ['bool'],
})

/** A complaint about one option. */
export interface OptionProblem {
  kind: 'type' | 'name' | 'plugin' | 'later' | 'needless' | 'old'
  option: string
  level: LogLevel
  text: string
  /** The similar name. */
  meant?: string
}

/** Log complaints about options. */
export function tellProblems(problems: Iterable<OptionProblem>, log: Log): void {
  for (const { level, text } of problems) log(level, text)
}

/** Yield a warning for each option whose value has none of its types. */
export function* checkTypes(opts: Dict, sources: Sources): Generator<OptionProblem> {
  for (const [key, value] of opts) {
    const name = str(key)
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name]! : undefined
    const types = option ? typesOf(option) : []
    if (types.length === 0 || fits(value, types)) continue
    const wanted = types.length === 1 ? types[0] : `${types.slice(0, -1).join(', ')} or ${types.at(-1)}`
    const what = `has an invalid type of ${typeName(value)}, a ${wanted} is required for this option`
    const where = whereSet(sources, name)
    const shown = str(withoutTemplateSecrets(value))
    const text = `Config option '${name}' with value ${shown} ${what}${where && ` (set${where})`}`
    yield { kind: 'type', option: name, level: 'warning', text }
  }
}

/**
 * Ports that a daemon listens on or connects to: a wrong value is an error, because the daemon would be unreachable.
 */
const PORTS = ['publish_port', 'ret_port', 'master_port']
const HIGHEST_PORT = 65_535

/** Refuses a port that is not one. */
export function checkPorts(opts: Dict, sources: Sources): void {
  for (const name of PORTS) {
    const value = opts.get(name)
    if (value === undefined || !sources.has(name)) continue
    const port = converts(value, 'int') ? Number(str(value)) : Number.NaN
    if (Number.isInteger(port) && port > 0 && port <= HIGHEST_PORT) continue
    const text = `Option '${name}'${whereSet(sources, name)} is ${repr(value)}, but must be a port from 1 to ${HIGHEST_PORT}`
    throw new ConfigError('OptionInvalid', text)
  }
}

function fits(value: Value, types: readonly string[]): boolean {
  if (types.some((type) => is(value, type))) return true
  if (textOf(value)?.startsWith('sdb://')) return true
  const [only] = types
  if (types.length === 1)
    return converts(value, only!) && !(CHANGED_BY[only!] ?? []).some((type) => isOfType(value, type))
  return types.some((type) => {
    const changed = CHANGED_BY[type]?.filter((other) => !types.includes(other))
    return changed !== undefined && converts(value, type) && !changed.some((other) => isOfType(value, other))
  })
}

/** A truth value is no number here. */
function is(value: Value, type: string): boolean {
  return typeof value === 'boolean' ? type === 'bool' : isOfType(value, type)
}

/** Python's isinstance, in which a boolean is an int. */
function isOfType(value: Value, type: string): boolean {
  switch (type) {
    case 'str':
      return textOf(value) !== undefined
    case 'list':
      return isList(value)
    case 'tuple':
      return value instanceof Tuple
    case 'dict':
      return isDict(value)
    case 'bool':
      return typeof value === 'boolean'
    case 'int':
      return isInt(value) || typeof value === 'boolean'
    case 'float':
      return isFloat(value)
    default:
      return value === null
  }
}

/** Whether Python's constructor of that name takes the value. */
function converts(value: Value, type: string): boolean {
  const text = textOf(value)
  switch (type) {
    case 'list':
    case 'tuple':
      return isIterable(value)
    case 'dict':
      return text === '' || (isIterable(value) && text === undefined && isPairs(value))
    case 'int':
    case 'float':
      return text === undefined ? isOfType(value, 'int') || isFloat(value) : readsAsNumber(text, type)
    default:
      return true
  }
}

function isPairs(value: Value): boolean {
  return (
    Array.isArray(value) && value.every((item) => (isList(item) || item instanceof Tuple) && [...item].length === 2)
  )
}

function readsAsNumber(text: string, type: 'int' | 'float'): boolean {
  return recover(isA(PyError), false, () =>
    type === 'int' ? intFromText(text) !== undefined : floatFromText(text) !== undefined,
  )
}

/** Yield a warning for each option of the files with an unknown name that is similar to a known one. */
export function* checkNames(sources: Sources, role: Role): Generator<OptionProblem> {
  const known = namesFor(OPTIONS, role)
  for (const name of sources.keys()) {
    // modules of users name their options with a prefix and a dot
    if (isKnownOption(name) || name.includes('.') || name.startsWith('_')) continue
    const meant = slipOf(name, known)
    if (meant === undefined) continue
    const text = `Unknown option '${name}'${whereSet(sources, name)}; did you mean '${meant}'?`
    yield { kind: 'name', option: name, level: 'warning', text, meant }
  }
}

/** Whether a table declares the option. */
export function isKnownOption(name: string): boolean {
  return Object.hasOwn(OPTIONS, name) || Object.hasOwn(FUNCTION_OPTIONS, name) || OLD_NAMES.has(name)
}

function namesFor(options: OptionTable, role: Role): string[] {
  return Object.keys(options).filter((name) => isFor(options[name]!, role))
}

/** Return an error for each name in an option that no plug-in has, where all plug-ins of its kind are built in. */
export function* checkPlugins(opts: Dict, sources: Sources): Generator<OptionProblem> {
  for (const [name, { names }] of Object.entries(OPTIONS)) {
    const value = names && opts.get(name)
    if (value === undefined) continue
    for (const one of (isList(value) ? value : [value]).map(str)) {
      if (names!.includes(one)) continue
      const found = `Option '${name}'${whereSet(sources, name)} names '${shownText(one)}', which this version does not have`
      yield { kind: 'plugin', option: name, level: 'error', text: `${found}; it has ${names!.join(', ')}` }
    }
  }
}

/**
 * Return a warning for each option of the files that belongs to a part of Salt which is not here yet. The default needs no
 * warning: it asks for nothing.
 */
export function* checkEffects(overrides: Dict, sources: Sources, role: Role): Generator<OptionProblem> {
  for (const [key, value] of overrides) {
    const name = str(key)
    const option = declaredOption(name)
    if (option === undefined || value === null || !sources.has(name) || isDefault(value, option, role)) continue
    const nothing = `Option '${name}'${whereSet(sources, name)} has no effect`
    if (option.later) {
      const text = `${nothing} in this version, which does not have ${option.later} yet`
      yield { kind: 'later', option: name, level: 'warning', text }
    } else if (option.needless) {
      yield { kind: 'needless', option: name, level: 'debug', text: `${nothing}: ${option.needless}` }
    }
  }
}

function declaredOption(name: string): Option | undefined {
  const current = OLD_NAMES.get(name) ?? name
  return [OPTIONS, FUNCTION_OPTIONS].find((table) => Object.hasOwn(table, current))?.[current]
}

function isDefault(value: Value, option: Option, role: Role): boolean {
  const usual = defaultOf(option, role)
  return usual !== undefined && equals(value, usual)
}

/** Gives options that bear an old name the new one, unless that is set as well. */
export function renameOld(overrides: Dict, sources: Sources, log: Log): void {
  for (const [old, name] of OLD_NAMES) {
    const value = overrides.get(old)
    // Salt itself still explains this one
    if (value === undefined || old === 'environment') continue
    const where = whereSet(sources, old)
    if (overrides.has(name))
      log('warning', `Option '${old}'${where} is an old name of '${name}', which is set and counts`)
    else {
      log('warning', `Option '${old}'${where} is now called '${name}'`)
      overrides.set(name, value)
    }
  }
}
