// Parameters of functions, declared with their type, meaning and default. The order of declaration is the order of
// positional arguments; parameters declared after `arg.rest` are keyword-only, as in Python.
import type { Dict, Float, Value } from '../data/mod.ts'

/**
 * The strict kinds refuse values of another type. The lenient kinds (`text`, `flag`, `isTrue`, `words`, `count`,
 * `textOrNumber`, `textOrList` and `textListOrDict`) convert any value as Salt's functions do.
 */
export type ArgKind =
  | 'string'
  | 'path'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'list'
  | 'dict'
  | 'text'
  | 'flag'
  | 'isTrue'
  | 'words'
  | 'count'
  | 'textOrNumber'
  | 'textOrList'
  | 'textListOrDict'
  | 'any'
  | 'rest'
  | 'open'

export interface Arg<T> {
  readonly kind: ArgKind
  readonly doc: string
  /** Absent for a parameter that must be given. */
  readonly default?: Value
  /** Must be given, and may be None. */
  readonly nullable?: boolean
  /** Never shown in logs, events or output. */
  readonly secret?: boolean
  readonly since?: string
  readonly deprecated?: string
  /** Whether the parameter exists only in Brine. */
  readonly beyond?: boolean
  /** For open parameters: whether their keywords have no effect. */
  readonly ignored?: boolean
  /** Carries the type; never set. */
  readonly type?: T
}

/** The value that a body gets for `arg.textOrNumber`. */
export type TextOrNumber = string | number | bigint | Float

interface Notes {
  secret?: boolean
  since?: string
  deprecated?: string
  beyond?: boolean
}

/** May be left out, and is then None. */
interface Optional extends Notes {
  optional: true
}

interface WithDefault<D> extends Notes {
  default: D
}

type Options<T> = Notes & { optional?: true; default?: T | null }

interface ArgMaker<T> {
  (doc: string, options: Optional | WithDefault<null>): Arg<T | null>
  (doc: string, options: WithDefault<T>): Arg<T>
  (doc: string, options?: Notes): Arg<T>
}

function maker<T extends Value>(kind: ArgKind): ArgMaker<T> {
  return (doc: string, options: Options<T> = {}): Arg<T> => {
    const { optional, default: fallback, ...notes } = options
    if (fallback !== undefined) return { kind, doc, default: fallback, ...notes }
    return optional ? { kind, doc, default: null, ...notes } : { kind, doc, ...notes }
  }
}

export const arg: {
  string: ArgMaker<string>
  path: ArgMaker<string>
  integer: ArgMaker<number | bigint>
  number: ArgMaker<number | bigint | Float>
  boolean: ArgMaker<boolean>
  list: ArgMaker<Value[]>
  dict: ArgMaker<Dict>
  text: ArgMaker<string>
  flag: ArgMaker<boolean>
  isTrue: ArgMaker<boolean>
  words: ArgMaker<string[]>
  count: ArgMaker<number>
  textOrNumber: ArgMaker<TextOrNumber>
  textOrList: ArgMaker<string | Value[]>
  textListOrDict: ArgMaker<string | Value[] | Dict>
  any: ArgMaker<Value>
  rest: (doc: string) => Arg<Value[]>
  open: (doc: string) => Arg<Map<string, Value>>
  ignored: (doc?: string) => Arg<Map<string, Value>>
} = {
  string: maker<string>('string'),
  /** The text of a path; another type is refused with the TypeError of Python's `os.path`. */
  path: maker<string>('path'),
  integer: maker<number | bigint>('integer'),
  number: maker<number | bigint | Float>('number'),
  boolean: maker<boolean>('boolean'),
  list: maker<Value[]>('list'),
  dict: maker<Dict>('dict'),
  // The conversion of None, False, and empty lists and dicts by `text`, `words` and the kinds whose names begin with
  // `text`: the result is None if that is the default or `nullable`, else an empty text or list. A collection that the
  // kind accepts stays.
  /** Any value, as `str()` writes it. */
  text: maker<string>('text'),
  /** Any value, by its truth. */
  flag: maker<boolean>('flag'),
  /** Any value, as Salt's `is_true` reads it: of texts only `true` and positive numbers count. */
  isTrue: maker<boolean>('isTrue'),
  /** A list of any values, or one text with commas between the words. */
  words: maker<string[]>('words'),
  /** A whole number, or a text or float of one. */
  count: maker<number>('count'),
  /** A name or a number, such as an owner or a mode; other values become text. */
  textOrNumber: maker<TextOrNumber>('textOrNumber'),
  /** A text or a list, such as a target; other values become text. */
  textOrList: maker<string | Value[]>('textOrList'),
  /** A text, a list or a dict, such as the variables of an environment; other values become text. */
  textListOrDict: maker<string | Value[] | Dict>('textListOrDict'),
  /** A value of any type; the body distinguishes the types, and the parameter's `doc` explains them. */
  any: maker<Value>('any'),
  /** Gathers further positional arguments. */
  rest: (doc) => ({ kind: 'rest', doc }),
  /** Accepts further keywords, on purpose. */
  open: (doc) => ({ kind: 'open', doc }),
  /** Accept further keywords, as Salt does, without any effect. A name similar to a parameter causes a warning. */
  ignored: (doc = 'Ignored') => ({ kind: 'open', doc, ignored: true }),
}

/** Declare a text that may be left out. */
export const optionalText = (doc: string): Arg<string | null> => arg.text(doc, { optional: true })

export type Args = Readonly<Record<string, Arg<unknown>>>

/** The parameters of a function without any. */
export type NoArgs = Readonly<Record<never, Arg<unknown>>>

/** The values that a body gets for the declared parameters. */
export type Bound<A extends Args> = { [K in keyof A]: A[K] extends Arg<infer T> ? T : never }
