// The values every Salt file is made of, with Python's meaning.
//
//   None → null            int → number, bigint beyond 2^53       float → number when fractional, inf or nan,
//   bool → boolean         str → string                                   else Float, so that 1.0 stays 1.0
//   bytes → Uint8Array     list → Array   tuple → Tuple           dict → Map (OrderedDict where Python shows one)
//   set → PySet            everything else → a PyObject
//
// `undefined` is never a value.

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Uint8Array
  | Value[]
  | Map<Value, Value>
  | PyObject

export type Dict = Map<Value, Value>

/** A float with an integral value (`1.0`, `-0.0`); every other float is a plain number. */
export class Float {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** The float that `n` is: boxed when a plain number would read as an int. */
export function float(n: number): number | Float {
  return Number.isInteger(n) ? new Float(n) : n
}

/** The int that `n` is: a number when it is safe, else a bigint. */
export function int(n: bigint): number | bigint {
  return n >= -9007199254740991n && n <= 9007199254740991n ? Number(n) : n
}

/**
 * A Python tuple: an array that prints with parentheses and may be a key. Create one with `tuple`, `pair` or
 * `Tuple.of`: they set the length and fill by index, which is many times faster in V8 than other ways.
 */
export class Tuple<T extends Value = Value> extends Array<T> {
  // map, filter and slice of a tuple give plain arrays
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  static override of<T>(...items: T[]): T[] {
    const result: T[] = new Tuple(items.length) as unknown as T[]
    for (let i = 0; i < items.length; i++) result[i] = items[i]!
    return result
  }
}

export function tuple(items: Iterable<Value>): Tuple {
  const result = new Tuple(Array.isArray(items) ? items.length : 0)
  let i = 0
  for (const item of items) result[i++] = item
  return result
}

export function pair(first: Value, second: Value): Tuple {
  const result = new Tuple(2)
  result[0] = first
  result[1] = second
  return result
}

/** `collections.OrderedDict`: a dict that shows its type when printed. */
export class OrderedDict extends Map<Value, Value> {}

/** A dict with a class name, such as Salt's wrappers of options and pillar; only error texts show the class. */
export class NamedDict extends Map<Value, Value> {
  readonly typeName: string
  readonly module: string

  constructor(module: string, typeName: string, entries?: Iterable<readonly [Value, Value]>) {
    super(entries)
    this.module = module
    this.typeName = typeName
  }
}

/** The base class of all values that are not plain data. Templates see only what a subclass provides here. */
export abstract class PyObject {
  /** The type's name as Python's messages show it. */
  abstract readonly typeName: string
  /** The Python module of a type that is not built in; Jinja's texts show it before the name. */
  declare readonly module?: string

  repr(): string {
    return `<${this.typeName} object>`
  }

  str(): string {
    return this.repr()
  }

  truthy(): boolean {
    return this.len === undefined ? true : this.len() > 0
  }

  equals(other: Value): boolean {
    return this === other
  }

  /** A number below, at or above 0, NaN for "neither" (sets), undefined for "cannot be ordered". */
  compare(_other: Value): number | undefined {
    return undefined
  }

  /** Return the form of this value as a key: a plain value, `this` for identity, undefined for unhashable. */
  key(): Value | undefined {
    return this
  }

  /** Return a text that this value shares with all equal values; undefined if there is none. */
  sharedForm(): string | undefined {
    return undefined
  }

  /** Return an attribute; undefined if it does not exist. */
  getAttr(_name: string): Value | undefined {
    return undefined
  }

  /** Names for "did you mean"; only attributes that getAttr returns. */
  attrNames(): Iterable<string> {
    return []
  }

  iterate?(): Iterator<Value>
  len?(): number
  /** An item, or undefined for a missing one; throws for a key of the wrong type. */
  getItem?(key: Value): Value | undefined
  /** `this[start:stop:step]`, with null for a part that was left out. */
  getSlice?(start: Value, stop: Value, step: Value): Value
  contains?(item: Value): boolean
  /** `this op other`, or `other op this` when reversed; undefined leaves the answer to the other operand. */
  binary?(op: BinaryOp, other: Value, reversed: boolean): Value | undefined
  unary?(op: '-' | '+'): Value
  abs?(): Value
  /** `format(this, spec)`; without it only an empty specification is fine. */
  format?(spec: string): string
}

export type BinaryOp = '+' | '-' | '*' | '/' | '//' | '%' | '**' | '&' | '|' | '^'

/** The base of subclasses of str, such as Jinja's Markup. */
export abstract class PyStr extends PyObject {
  readonly value: string
  constructor(value: string) {
    super()
    this.value = value
  }

  override str(): string {
    return this.value
  }

  override truthy(): boolean {
    return this.value.length > 0
  }

  override equals(other: Value): boolean {
    return other === this.value || (other instanceof PyStr && other.value === this.value)
  }

  override key(): Value {
    return this.value
  }
}

export function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'bigint'
}

export function isFloat(value: Value): value is number | Float {
  return typeof value === 'number' ? !Number.isInteger(value) : value instanceof Float
}

/** int, float or bool. */
export function isNumeric(value: Value): value is number | bigint | Float | boolean {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' || value instanceof Float
}

export function isDict(value: Value): value is Dict {
  return value instanceof Map
}

export function isList(value: Value): value is Value[] {
  return Array.isArray(value) && !(value instanceof Tuple)
}

/** The text of a str or of a subclass of it, else undefined. */
export function textOf(value: Value): string | undefined {
  return typeof value === 'string' ? value : value instanceof PyStr ? value.value : undefined
}

/** The number behind an int, float or bool as a JavaScript number, else undefined. */
export function numberOf(value: Value): number | undefined {
  switch (typeof value) {
    case 'number':
      return value
    case 'boolean':
    case 'bigint':
      return Number(value)
    default:
      return value instanceof Float ? value.value : undefined
  }
}

/** The name of a value's Python type. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'str'
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    default:
      if (value === null) return 'NoneType'
      if (Array.isArray(value)) return value instanceof Tuple ? 'tuple' : 'list'
      if (value instanceof NamedDict) return value.typeName
      if (value instanceof Map) return value instanceof OrderedDict ? 'collections.OrderedDict' : 'dict'
      if (value instanceof Float) return 'float'
      if (value instanceof Uint8Array) return 'bytes'
      return (value as PyObject).typeName
  }
}

const classes = new WeakMap<object, string>()

/** Give a dict a class name for error texts; its identity stays the same. */
export function nameClass(dict: Dict, qualified: string): void {
  classes.set(dict, qualified)
}

/** The type as Jinja's texts name it: with its module, unless it is built in. */
export function qualifiedTypeName(value: Value): string {
  const named = value instanceof Map ? classes.get(value) : undefined
  if (named !== undefined) return named
  const module = value instanceof NamedDict || value instanceof PyObject ? value.module : undefined
  return module === undefined ? typeName(value) : `${module}.${typeName(value)}`
}
