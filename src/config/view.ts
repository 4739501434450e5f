// The typed view of the options: the value of an option with the type and the default in its table.
import { type Dict, fromPlain, isDict, isList, numberOf, str, textOf, truthy, type Value } from '../data/mod.ts'
import type { Option, Role } from './option.ts'
import { type Declared, FUNCTION_OPTIONS, OPTIONS } from './options.ts'

export type OptionName = keyof Declared

type Types = { str: string; int: number; float: number; bool: boolean; dict: Dict; list: Value[]; tuple: Value[] }

/** One type, perhaps besides None, is given as it is; a choice of several is left to the caller. */
type Typed<T> = T extends 'int|float' | 'float|int'
  ? number
  : T extends `None|${infer One}` | `${infer One}|None`
    ? One extends keyof Types
      ? Types[One] | null
      : Value
    : T extends keyof Types
      ? Types[T]
      : Value

type Default<D> = { both: D } | { minion: D } | { master: D } | { unset: D }

type Held<O> = O extends { type: infer T }
  ? Typed<T>
  : O extends Default<number>
    ? number
    : O extends Default<string>
      ? string
      : Value

type Absent<O> = O extends Default<null> ? null : O extends Default<unknown> ? never : undefined

/** The result of `option`: undefined only if an option is not set and its table has no default. */
export type OptionValue<N extends OptionName> = Held<Declared[N]> | Absent<Declared[N]>

/**
 * Return the value of an option, or the default of its table. The type is the declared one: a truth value for `bool`, a
 * number for `int` and `float`, and so on. A value that cannot be read as that type was reported when the files were
 * read (`check.ts`); the default counts instead. A dict or list that is a default belongs to the caller.
 */
export function option<N extends OptionName>(opts: ReadonlyMap<Value, Value>, name: N): OptionValue<N>
export function option(opts: ReadonlyMap<Value, Value>, name: string): Value | undefined {
  const view = viewFor(name)
  const value = opts.get(name)
  if (typeof value === view.plain) return value
  if (value === undefined) return usual(view, opts)
  if (value === null && view.allowsNull) return null
  return view.read(value) ?? usual(view, opts)
}

/** Return the value of an option unconverted, or the default of its table. */
export function rawOption(opts: ReadonlyMap<Value, Value>, name: OptionName): Value {
  const value = opts.get(name)
  return value === undefined ? (usual(viewFor(name), opts) ?? null) : value
}

interface View {
  /** The `typeof` of values that need no conversion. */
  plain: string
  /** Return the value as the declared type, undefined when it cannot be read as that. */
  read(value: Value): Value | undefined
  allowsNull: boolean
  find: Option['find']
  defaults: Readonly<Record<Role, unknown>>
}

function usual(view: View, opts: ReadonlyMap<Value, Value>): Value | undefined {
  if (view.find) return view.find()
  const plain = view.defaults[opts.get('__role') === 'master' ? 'master' : 'minion']
  if (plain === undefined) return undefined
  return view.read(fromPlain(plain)) ?? null
}

const PLAIN: Readonly<Record<string, string>> = { bool: 'boolean', int: 'number', float: 'number', str: 'string' }

const READERS: Readonly<Record<string, (value: Value) => Value | undefined>> = {
  bool: truthy,
  int: readNumber,
  float: readNumber,
  str: (value) => (value === null ? undefined : str(value)),
  dict: (value) => (isDict(value) ? value : undefined),
  list: readList,
  tuple: readList,
}

function readNumber(value: Value): number | undefined {
  const text = textOf(value)
  if (text === undefined) return numberOf(value)
  return text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
}

/** A single name becomes a list with one item, so that a list of forbidden names does not become empty. */
function readList(value: Value): Value[] | undefined {
  if (isList(value)) return value
  return textOf(value) ? [value] : undefined
}

function viewOf(declared: Option): View {
  const known = (['minion', 'master', 'both', 'unset'] as const).filter((key) => key in declared)
  // a program without its own default uses `unset`, or else the default of the other kind
  const other = 'unset' in declared ? 'unset' : (known[0] ?? 'unset')
  const of = (role: Role): unknown => declared[known.find((key) => key === role || key === 'both') ?? other]
  const defaults = { minion: of('minion'), master: of('master') }
  const names = declared.type?.split('|') ?? [typeNameOf(defaults.minion)]
  const types = names.filter((name) => name !== 'None')
  const readers = new Set(types.map((name) => READERS[name]))
  const [reader] = readers.size === 1 ? readers : []
  const isFree = declared.type === undefined && reader === undefined
  const allowsNull = isFree || types.length < names.length || Object.values(defaults).includes(null)
  const plain = (reader && PLAIN[types[0]!]) ?? ''
  return { plain, read: reader ?? ((value) => value), allowsNull, find: declared.find, defaults }
}

/** The type of an option that declares none: that of a number or text which is its default, else any. */
function typeNameOf(value: unknown): string {
  return typeof value === 'number' ? 'float' : typeof value === 'string' ? 'str' : 'any'
}

/** Views of the options that were read so far. */
const views = new Map<string, View>()

function viewFor(name: string): View {
  const known = views.get(name)
  if (known) return known
  const view = viewOf((Object.hasOwn(OPTIONS, name) ? OPTIONS : FUNCTION_OPTIONS)[name]!)
  views.set(name, view)
  return view
}
