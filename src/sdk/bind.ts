// Binds the arguments of a call to the parameters of a body: Python's rules select the parameter, the declared type
// converts the value. The error for an unknown keyword names similar parameters.
import { didYouMean } from '../base/mod.ts'
import {
  type BoundArguments,
  bindArguments,
  isNumeric,
  misuse,
  numberOf,
  PyError,
  PyObject,
  PyStr,
  type Signature,
  str,
  Tuple,
  textOf,
  truthy,
  typeName,
  type Value,
} from '../data/mod.ts'
import type { Arg, TextOrNumber } from './arg.ts'
import type { FunctionDeclaration } from './declare.ts'
import { isTrue } from './is-true.ts'
import { plainPath } from './paths.ts'

/** The parts of a declaration that binding uses, for functions and states. */
export type Callable = Pick<FunctionDeclaration, 'args' | 'calledAs'>

/** The parameters of a body before any argument is bound. */
export interface ArgumentFrame {
  /** Every parameter with its default, in their order: copied with each call. */
  readonly defaults: Readonly<Record<string, unknown>>
  /** The parameters for the remaining arguments and for further keywords. */
  readonly rest: string | undefined
  readonly open: string | undefined
}

const frames = new WeakMap<Callable, ArgumentFrame>()

export function frameOf(declaration: Callable): ArgumentFrame {
  const known = frames.get(declaration)
  if (known) return known
  const entries = Object.entries(declaration.args)
  const named = (wanted: Arg<unknown>['kind']): string | undefined =>
    entries.find(([, { kind }]) => kind === wanted)?.[0]
  const defaults = Object.fromEntries(entries.map(([parameter, declared]) => [parameter, declared.default]))
  const frame = { defaults, rest: named('rest'), open: named('open') }
  frames.set(declaration, frame)
  return frame
}

const signatures = new WeakMap<Callable, Signature>()

/** Return the parameters as a Python signature. `fallbackName` is the public name of the function. */
export function signatureOf(declaration: Callable, fallbackName: string): Signature {
  const known = signatures.get(declaration)
  if (known) return known
  const entries = Object.entries(declaration.args)
  const gathering = entries.findIndex(([, { kind }]) => kind === 'rest')
  const plain = ([, { kind }]: [string, Arg<unknown>]): boolean => kind !== 'rest' && kind !== 'open'
  const positional = entries.slice(0, gathering < 0 ? undefined : gathering).filter(plain)
  const keywordOnly = gathering < 0 ? [] : entries.slice(gathering + 1).filter(plain)
  const isRequired = ([, parameter]: [string, Arg<unknown>]): boolean => parameter.default === undefined
  const name = ([parameter]: [string, Arg<unknown>]): string => parameter
  const signature: Signature = {
    name: declaration.calledAs ?? fallbackName,
    positional: positional.map(name),
    required: positional.filter(isRequired).length,
    keywordOnly: keywordOnly.map(name),
    requiredKeywords: keywordOnly.filter(isRequired).map(name),
    rest: gathering >= 0,
    open: entries.some(([, { kind }]) => kind === 'open'),
  }
  signatures.set(declaration, signature)
  return signature
}

export function bind(
  declaration: Callable,
  name: string,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): Record<string, unknown> {
  const signature = signatureOf(declaration, name)
  const given = match(signature, args, kwargs)
  return filledArguments(declaration, given, signature.name)
}

/** The given arguments in the forms that are declared, the others by default. */
export function filledArguments(
  declaration: Callable,
  { named, rest, further }: BoundArguments,
  name: string,
): Record<string, unknown> {
  const frame = frameOf(declaration)
  const bound = { ...frame.defaults }
  named.forEach((value, parameter) => {
    bound[parameter] = shaped(declaration.args[parameter]!, value, parameter, name)
  })
  if (frame.rest !== undefined) bound[frame.rest] = rest
  if (frame.open !== undefined) bound[frame.open] = further
  return bound
}

function match(signature: Signature, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): BoundArguments {
  try {
    return bindArguments(signature, args, kwargs)
  } catch (error) {
    const parameters = [...signature.positional, ...signature.keywordOnly]
    const unknown = [...kwargs.keys()].find((keyword) => !parameters.includes(keyword))
    const hint = unknown === undefined ? undefined : didYouMean(unknown, parameters)
    if (!(error instanceof PyError) || hint === undefined) throw error
    throw new PyError(error.code, error.message, { hint, cause: error })
  }
}

/** The kinds that convert any value to text, with the collections that they pass on unchanged. */
const KEPT: Partial<Record<Arg<unknown>['kind'], readonly ('list' | 'dict')[]>> = {
  text: [],
  words: [],
  textOrNumber: [],
  textOrList: ['list'],
  textListOrDict: ['list', 'dict'],
}

/** Return the converted form of an empty value for a parameter; undefined for other values. */
function meaningOfNothing({ kind, default: fallback, nullable }: Arg<unknown>, value: Value): Value | undefined {
  const kept = KEPT[kind]
  if (kept) {
    if (!isNothing(value, kept)) return undefined
    return fallback === null || nullable ? null : kind === 'words' ? [] : ''
  }
  if (value !== null || kind === 'any') return undefined
  // None turns a flag off, even if its default is on
  return (kind === 'flag' || kind === 'isTrue') && fallback !== null ? false : fallback
}

/** Return whether a value is None, False, or an empty list or dict that the parameter cannot hold. */
function isNothing(value: Value, kept: readonly ('list' | 'dict')[]): boolean {
  if (Array.isArray(value)) return value.length === 0 && !kept.includes('list')
  if (value instanceof Map) return value.size === 0 && !kept.includes('dict')
  return value === null || value === false
}

/** The value in the form that the parameter declares. */
function shaped(declared: Arg<unknown>, value: Value, parameter: string, name: string): Value {
  const nothing = meaningOfNothing(declared, value)
  if (nothing !== undefined) return nothing
  const result = SHAPES[declared.kind]?.(value)
  if (result === undefined) {
    if (value instanceof PyObject) value.truthy() // an undefined value says so itself
    const wanted = WANTED[declared.kind]
    throw misuse(`${name}() argument '${parameter}' is a ${typeName(value)}, not ${wanted}`)
  }
  return result
}

/** Return a number as it is; the text of any other value. */
export const textOrNumber = (value: Value): TextOrNumber =>
  isNumeric(value) && typeof value !== 'boolean' ? value : str(value)

/** Return a list of the items of a list or tuple; the text of any other value. */
const textOrList = (value: Value): Value[] | string => (Array.isArray(value) ? [...value] : str(value))

const WHOLE_NUMBER = /^\s*[+-]?\d+\s*$/

const WANTED: Partial<Record<Arg<unknown>['kind'], string>> = {
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  count: 'a whole number',
  list: 'a list',
  dict: 'a mapping',
}

/** The value in the declared form, or undefined when it has none. */
const SHAPES: Partial<Record<Arg<unknown>['kind'], (value: Value) => Value | undefined>> = {
  any: (value) => value,
  boolean: truthy,
  string: (value) => {
    if (typeof value === 'string') return value
    if (value instanceof PyStr) return value.value
    return isNumeric(value) ? str(value) : undefined
  },
  path: plainPath,
  text: (value) => str(value),
  flag: truthy,
  isTrue,
  words: (value) => (Array.isArray(value) ? value.map(str) : str(value).split(',')),
  count: (value) => {
    const text = textOf(value)
    const number = text !== undefined && WHOLE_NUMBER.test(text) ? Number(text) : numberOf(value)
    return number === undefined ? undefined : Math.trunc(number)
  },
  textOrNumber,
  textOrList,
  textListOrDict: (value) => (value instanceof Map ? value : textOrList(value)),
  integer: (value) => {
    if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return value
    if (typeof value === 'boolean') return Number(value)
    return typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : undefined
  },
  number: (value) => (isNumeric(value) ? value : undefined),
  list: (value) => (Array.isArray(value) ? (value instanceof Tuple ? [...value] : value) : undefined),
  dict: (value) => (value instanceof Map ? value : undefined),
}
