// The functions of JMESPath with the argument checks of the Python library: types are compared by name, so a tuple
// is no array, and an array may be held to one type of elements.
import { compare } from '../compare.ts'
import { dictUpdate } from '../dict-update.ts'
import { PyError, typeError, valueError } from '../errors.ts'
import { dumpJson } from '../json/mod.ts'
import { floatFromText, intFromText } from '../number-text.ts'
import { abs, add, div } from '../numbers.ts'
import { contains, len } from '../protocol.ts'
import { quote, str } from '../repr.ts'
import { sortItems } from '../sequence.ts'
import { type Dict, Float, float, int, isList, PyStr, textOf, typeName, type Value } from '../value.ts'
import type { ExpressionReference } from './evaluate.ts'

/** Type names of Python by JMESPath type. */
const PYTHON_TYPES: Readonly<Record<string, readonly string[]>> = {
  boolean: ['bool'],
  array: ['list'],
  object: ['dict', 'OrderedDict'],
  null: ['NoneType'],
  string: ['str'],
  number: ['float', 'int'],
  expref: ['_Expression'],
}

const pythonType = (value: Value): string => typeName(value).replace(/^.*\./, '')

function typeOf(value: Value): string {
  const name = pythonType(value)
  for (const [type, names] of Object.entries(PYTHON_TYPES)) if (names.includes(name)) return type
  return 'unknown'
}

interface Spec {
  /** For each parameter the types it may have; none means any. `array-string` is an array of strings. */
  params: ReadonlyArray<readonly string[]>
  variadic?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: the declared types have been checked before the call
  run: (...args: any[]) => Value
}

function wrongType(name: string, value: Value, wanted: readonly string[], received: string): PyError {
  const types = `[${wanted.map(quote).join(', ')}]`
  return valueError(
    `In function ${name}(), invalid type for value: ${str(value)}, expected one of: ${types}, received: "${received}"`,
  )
}

function checkType(name: string, value: Value, wanted: readonly string[]): void {
  const bases = wanted.map((type) => type.split('-')[0]!)
  if (!bases.includes(typeOf(value))) throw wrongType(name, value, wanted, typeOf(value))
  const elementTypes = wanted.map((type) => type.split('-')[1]).filter((type) => type !== undefined)
  if (elementTypes.length === 0 || !isList(value) || value.length === 0) return
  // where several types are allowed, the first element decides for all
  const allowed = elementTypes.length === 1 ? elementTypes : elementTypes.filter((type) => type === typeOf(value[0]!))
  for (const element of value) {
    if (!allowed.includes(typeOf(element))) throw wrongType(name, element, wanted, pythonType(element))
  }
}

function checkCount(name: string, { params, variadic }: Spec, given: number): void {
  if (variadic ? given >= params.length : given === params.length) return
  const noun = params.length === 1 ? 'argument' : 'arguments'
  const least = variadic ? 'at least ' : ''
  throw valueError(`Expected ${least}${params.length} ${noun} for function ${name}(), received ${given}`)
}

const sum = (numbers: Value[]): Value => numbers.reduce((total, number) => add(total, number), 0)

/** The extreme element by its key; the first one among equals. */
function extreme(op: '<' | '>', elements: Value[], keyOf: (element: Value) => Value = (element) => element): Value {
  let best: Value = null
  let bestKey: Value | undefined
  for (const element of elements) {
    const key = keyOf(element)
    if (bestKey !== undefined && !compare(op, key, bestKey)) continue
    best = element
    bestKey = key
  }
  return best
}

/** Evaluates the expression on an element and refuses a result of another type. */
function keyFunction(name: string, { run }: ExpressionReference, allowed: readonly string[]) {
  return (element: Value): Value => {
    const key = run(element)
    if (!allowed.includes(typeOf(key))) throw wrongType(name, key, allowed, typeOf(key))
    return key
  }
}

function sortBy(elements: Value[], expression: ExpressionReference): Value {
  if (elements.length === 0) return elements
  const type = typeOf(expression.run(elements[0]!))
  if (type !== 'number' && type !== 'string') {
    throw wrongType('sort_by', elements[0]!, ['string', 'number'], type)
  }
  return sortItems([...elements], keyFunction('sort_by', expression, [type]))
}

function round(direction: 'ceil' | 'floor', value: number | bigint | Float): Value {
  if (typeof value === 'bigint') return value
  const n = value instanceof Float ? value.value : value
  if (Number.isNaN(n)) throw valueError('cannot convert float NaN to integer')
  if (!Number.isFinite(n)) throw new PyError('OverflowError', 'cannot convert float infinity to integer')
  return int(BigInt(Math[direction](n)))
}

function toNumber(value: Value): Value {
  if (value === null || typeof value === 'boolean' || isList(value) || value instanceof Map) return null
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float) return value
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : textOf(value)
  if (text === undefined) {
    const wanted = 'a string, a bytes-like object or a real number'
    throw typeError(`int() argument must be ${wanted}, not '${typeName(value)}'`)
  }
  return parsed(() => intFromText(text)) ?? parsed(() => float(floatFromText(text))) ?? null
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof PyError && error.code === 'ValueError') return undefined
    throw error
  }
}

function merge(...dicts: Value[]): Value {
  const merged: Dict = new Map()
  for (const dict of dicts) dictUpdate(merged, dict)
  return merged
}

function nameOfType(value: Value): Value {
  if (value instanceof PyStr) return 'string'
  if (value instanceof Map) return 'object'
  const type = typeOf(value)
  return type === 'unknown' || type === 'expref' ? null : type
}

const ANY: readonly string[] = []
const ORDERABLE_ARRAYS = [['array-number', 'array-string']]
const BY = [['array'], ['expref']]

const FUNCTIONS: ReadonlyMap<string, Spec> = new Map<string, Spec>([
  ['abs', { params: [['number']], run: abs }],
  ['avg', { params: [['array-number']], run: (list) => (list.length ? div(sum(list), float(list.length)) : null) }],
  ['ceil', { params: [['number']], run: (value) => round('ceil', value) }],
  ['contains', { params: [['array', 'string'], ANY], run: (subject, search) => contains(subject, search) }],
  ['ends_with', { params: [['string'], ['string']], run: (text: string, end: string) => text.endsWith(end) }],
  ['floor', { params: [['number']], run: (value) => round('floor', value) }],
  ['join', { params: [['string'], ['array-string']], run: (separator, texts) => texts.join(separator) }],
  ['keys', { params: [['object']], run: (dict: Dict) => [...dict.keys()] }],
  ['length', { params: [['string', 'array', 'object']], run: len }],
  [
    'map',
    {
      params: [['expref'], ['array']],
      run: (expression: ExpressionReference, list: Value[]) => list.map((element) => expression.run(element)),
    },
  ],
  ['max', { params: ORDERABLE_ARRAYS, run: (list) => extreme('>', list) }],
  ['max_by', { params: BY, run: (list, key) => extreme('>', list, keyFunction('max_by', key, ['number', 'string'])) }],
  ['merge', { params: [['object']], variadic: true, run: merge }],
  ['min', { params: ORDERABLE_ARRAYS, run: (list) => extreme('<', list) }],
  ['min_by', { params: BY, run: (list, key) => extreme('<', list, keyFunction('min_by', key, ['number', 'string'])) }],
  ['not_null', { params: [ANY], variadic: true, run: (...values) => values.find((value) => value !== null) ?? null }],
  [
    'reverse',
    {
      params: [['array', 'string']],
      run: (value: string | Value[]) =>
        typeof value === 'string' ? Array.from(value).reverse().join('') : value.toReversed(),
    },
  ],
  ['sort', { params: [['array-string', 'array-number']], run: (list: Value[]) => sortItems([...list]) }],
  ['sort_by', { params: BY, run: sortBy }],
  ['starts_with', { params: [['string'], ['string']], run: (text: string, start: string) => text.startsWith(start) }],
  ['sum', { params: [['array-number']], run: sum }],
  ['to_array', { params: [ANY], run: (value: Value) => (isList(value) ? value : [value]) }],
  ['to_number', { params: [ANY], run: toNumber }],
  [
    'to_string',
    {
      params: [ANY],
      run: (value: Value) => textOf(value) ?? dumpJson(value, { separators: [',', ':'], default: str }),
    },
  ],
  ['type', { params: [ANY], run: nameOfType }],
  ['values', { params: [['object']], run: (dict: Dict) => [...dict.values()] }],
])

export function callJmespathFunction(name: string, args: Value[]): Value {
  const spec = FUNCTIONS.get(name)
  if (spec === undefined) throw valueError(`Unknown function: ${name}()`)
  checkCount(name, spec, args.length)
  spec.params.forEach((wanted, i) => {
    if (wanted.length > 0) checkType(name, args[i]!, wanted)
  })
  return spec.run(...args)
}
