// Python's operators. Ints stay exact: a result beyond 2^53 becomes a bigint, and a smaller one a number again; an
// integral float result is boxed. The case of two numbers comes first, because templates rarely use others. As in
// Python, results that would fill the memory raise MemoryError.
import { toDouble } from './double.ts'
import { PyError, typeError } from './errors.ts'
import { formatPercent } from './format/percent.ts'
import { bitLength, powDoubles, scale } from './power.ts'
import {
  type BinaryOp,
  Float,
  float,
  int,
  isNumeric,
  PyObject,
  PyStr,
  Tuple,
  tuple,
  typeName,
  type Value,
} from './value.ts'

type Numeric = number | bigint | Float | boolean

export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (!Number.isInteger(a) || !Number.isInteger(b)) return float(sum)
    return Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b)
  }
  return typeof a === 'string' && typeof b === 'string' ? a + b : addSlow(a, b)
}

export function sub(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (!Number.isInteger(a) || !Number.isInteger(b)) return float(difference)
    return Number.isSafeInteger(difference) ? difference : BigInt(a) - BigInt(b)
  }
  return subSlow(a, b)
}

export function mul(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (!Number.isInteger(a) || !Number.isInteger(b)) return float(product)
    // adding 0 converts JavaScript's -0 to the only int zero
    return Number.isSafeInteger(product) ? product + 0 : BigInt(a) * BigInt(b)
  }
  return mulSlow(a, b)
}

export function div(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number' && b !== 0) return float(a / b)
  return divSlow(a, b)
}

export function floordiv(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number' && b !== 0 && Number.isInteger(a) && Number.isInteger(b)) {
    // the remainder is exact where the quotient may have been rounded up to an integer
    const rest = a % b
    return (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0) + 0
  }
  return floordivSlow(a, b)
}

export function mod(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number' && b !== 0 && Number.isInteger(a) && Number.isInteger(b)) {
    const rest = a % b
    return (rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest) + 0
  }
  return modSlow(a, b)
}

export function pow(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number' && b >= 0 && Number.isInteger(a) && Number.isInteger(b)) {
    const power = a ** b
    return Number.isSafeInteger(power) ? power + 0 : bigPow(BigInt(a), BigInt(b))
  }
  return powSlow(a, b)
}

export function neg(a: Value): Value {
  if (typeof a === 'number') return 0 - a
  if (typeof a === 'bigint') return int(-a)
  if (typeof a === 'boolean') return a ? -1 : 0
  if (a instanceof Float) return new Float(-a.value)
  return unaryHook('-', a)
}

export function pos(a: Value): Value {
  if (typeof a === 'boolean') return a ? 1 : 0
  return isNumeric(a) ? a : unaryHook('+', a)
}

/** `abs(a)`. */
export function abs(a: Value): Value {
  if (typeof a === 'number') return Math.abs(a)
  if (typeof a === 'bigint') return a < 0n ? -a : a
  if (typeof a === 'boolean') return a ? 1 : 0
  if (a instanceof Float) return new Float(Math.abs(a.value))
  if (a instanceof PyObject && a.abs) return a.abs()
  throw typeError(`bad operand type for abs(): '${typeName(a)}'`)
}

const isFloating = (a: Numeric): a is number | Float =>
  typeof a === 'number' ? !Number.isInteger(a) : a instanceof Float

const toBig = (a: Numeric): bigint => BigInt(a as number | bigint | boolean)

/** The most bits an int may grow to; no file of a person needs more, and every operation below stays fast. */
const MOST_BITS = 1 << 20
const BIGGEST = 1n << BigInt(MOST_BITS)

function bounded(n: bigint): number | bigint {
  if (n > BIGGEST || n < -BIGGEST) throw new PyError('MemoryError', '')
  return int(n)
}

function addSlow(a: Value, b: Value): Value {
  if (isNumeric(a) && isNumeric(b)) {
    return isFloating(a) || isFloating(b) ? float(toDouble(a) + toDouble(b)) : bounded(toBig(a) + toBig(b))
  }
  const answer = binaryHook('+', a, b)
  if (answer !== undefined) return answer
  if (typeof a === 'string') {
    if (b instanceof PyStr) return a + b.value
    throw typeError(`can only concatenate str (not "${typeName(b)}") to str`)
  }
  if (Array.isArray(a)) return joinItems(a, b)
  if (a instanceof Uint8Array) {
    if (b instanceof Uint8Array) return new Uint8Array(Buffer.concat([a, b]))
    throw typeError(`can't concat ${typeName(b)} to bytes`)
  }
  throw unsupported('+', a, b)
}

function joinItems(a: Value[], b: Value): Value {
  if (Array.isArray(b) && a instanceof Tuple === b instanceof Tuple) {
    return a instanceof Tuple ? tuple([...a, ...b]) : a.concat(b)
  }
  throw typeError(`can only concatenate ${typeName(a)} (not "${typeName(b)}") to ${typeName(a)}`)
}

function subSlow(a: Value, b: Value): Value {
  if (isNumeric(a) && isNumeric(b)) {
    return isFloating(a) || isFloating(b) ? float(toDouble(a) - toDouble(b)) : bounded(toBig(a) - toBig(b))
  }
  return binaryHook('-', a, b) ?? fail('-', a, b)
}

function mulSlow(a: Value, b: Value): Value {
  if (isNumeric(a) && isNumeric(b)) {
    return isFloating(a) || isFloating(b) ? float(toDouble(a) * toDouble(b)) : bounded(toBig(a) * toBig(b))
  }
  const answer = binaryHook('*', a, b)
  if (answer !== undefined) return answer
  if (isSequence(a)) return repeat(a, b)
  if (isSequence(b)) return repeat(b, a)
  throw unsupported('*', a, b)
}

type Sequence = string | Uint8Array | Value[]

const isSequence = (a: Value): a is Sequence => typeof a === 'string' || Array.isArray(a) || a instanceof Uint8Array

const MOST_CHARS = 1 << 28
const MOST_ITEMS = 1 << 25

function repeat(sequence: Sequence, by: Value): Value {
  if (!isNumeric(by) || isFloating(by)) {
    throw typeError(`can't multiply sequence by non-int of type '${typeName(by)}'`)
  }
  const big = toBig(by)
  if (BigInt.asIntN(64, big) !== big) {
    throw new PyError('OverflowError', "cannot fit 'int' into an index-sized integer")
  }
  const times = big < 0n ? 0 : Number(big)
  const most = Array.isArray(sequence) ? MOST_ITEMS : MOST_CHARS
  if (sequence.length * times > most) throw new PyError('MemoryError', '')
  if (typeof sequence === 'string') return sequence.repeat(times)
  if (sequence instanceof Uint8Array) return repeatBytes(sequence, times)
  const items: Value[] = sequence instanceof Tuple ? new Tuple() : []
  for (let i = 0; sequence.length > 0 && i < times; i++) for (const item of sequence) items.push(item)
  return items
}

function repeatBytes(unit: Uint8Array, times: number): Uint8Array {
  const bytes = new Uint8Array(unit.length * times)
  for (let at = 0; at < bytes.length; at += unit.length) bytes.set(unit, at)
  return bytes
}

function divSlow(a: Value, b: Value): Value {
  if (isNumeric(a) && isNumeric(b)) {
    if (isFloating(a) || isFloating(b)) {
      const [x, y] = [toDouble(a), toDouble(b)]
      if (y === 0) throw new PyError('ZeroDivisionError', 'float division by zero')
      return float(x / y)
    }
    return float(divideInts(toBig(a), toBig(b)))
  }
  return binaryHook('/', a, b) ?? fail('/', a, b)
}

/** The double nearest to a quotient of ints that need not fit doubles themselves. */
function divideInts(a: bigint, b: bigint): number {
  if (b === 0n) throw new PyError('ZeroDivisionError', 'division by zero')
  const negative = a < 0n !== b < 0n
  const top = a < 0n ? -a : a
  const bottom = b < 0n ? -b : b
  // Enough quotient bits that the sticky last bit decides every rounding, then a scaling that is exact.
  const shift = bitLength(bottom) - bitLength(top) + 66
  let quotient = shift >= 0 ? (top << BigInt(shift)) / bottom : top / (bottom << BigInt(-shift))
  const exact = shift >= 0 ? quotient * bottom === top << BigInt(shift) : quotient * (bottom << BigInt(-shift)) === top
  if (!exact) quotient |= 1n
  const size = scale(quotient, shift)
  if (!Number.isFinite(size)) {
    throw new PyError('OverflowError', 'integer division result too large for a float')
  }
  return negative ? -size : size
}

/** Python's floor division and modulo of floats, which agree with each other in sign and rounding. */
function divmodFloats(x: number, y: number): [quotient: number, rest: number] {
  let rest = x % y
  let quotient = (x - rest) / y
  if (rest === 0) rest = y < 0 ? -0 : 0
  else if (y < 0 !== rest < 0) {
    rest += y
    quotient -= 1
  }
  if (quotient === 0) return [x / y < 0 || Object.is(x / y, -0) ? -0 : 0, rest]
  const floor = Math.floor(quotient)
  return [quotient - floor > 0.5 ? floor + 1 : floor, rest]
}

function floorBig(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

function floordivSlow(a: Value, b: Value): Value {
  if (isNumeric(a) && isNumeric(b)) {
    if (isFloating(a) || isFloating(b)) {
      const [x, y] = [toDouble(a), toDouble(b)]
      if (y === 0) throw new PyError('ZeroDivisionError', 'float floor division by zero')
      return float(divmodFloats(x, y)[0])
    }
    const bottom = toBig(b)
    if (bottom === 0n) throw new PyError('ZeroDivisionError', 'integer division or modulo by zero')
    return int(floorBig(toBig(a), bottom))
  }
  return binaryHook('//', a, b) ?? fail('//', a, b)
}

function modSlow(a: Value, b: Value): Value {
  if (isNumeric(a) && isNumeric(b)) {
    if (isFloating(a) || isFloating(b)) {
      const [x, y] = [toDouble(a), toDouble(b)]
      if (y === 0) throw new PyError('ZeroDivisionError', 'float modulo')
      return float(divmodFloats(x, y)[1])
    }
    const [top, bottom] = [toBig(a), toBig(b)]
    if (bottom === 0n) throw new PyError('ZeroDivisionError', 'integer modulo by zero')
    return int(top - floorBig(top, bottom) * bottom)
  }
  if (typeof a === 'string') return formatPercent(a, b)
  const answer = binaryHook('%', a, b)
  if (answer !== undefined) return answer
  return a instanceof PyStr ? formatPercent(a.value, b) : fail('%', a, b)
}

function powSlow(a: Value, b: Value): Value {
  if (isNumeric(a) && isNumeric(b)) {
    if (isFloating(a) || isFloating(b)) return float(powDoubles(toDouble(a), toDouble(b)))
    const exponent = toBig(b)
    return exponent < 0n ? float(powDoubles(toDouble(a), toDouble(b))) : bigPow(toBig(a), exponent)
  }
  return binaryHook('**', a, b) ?? fail('**', a, b)
}

function bigPow(base: bigint, exponent: bigint): number | bigint {
  if (base === 0n || base === 1n) return exponent === 0n ? 1 : Number(base)
  if (base === -1n) return exponent % 2n === 0n ? 1 : -1
  const size = base < 0n ? -base : base
  if (BigInt(bitLength(size) - 1) * exponent > BigInt(MOST_BITS)) throw new PyError('MemoryError', '')
  return bounded(base ** exponent)
}

function binaryHook(op: BinaryOp, a: Value, b: Value): Value | undefined {
  if (a instanceof PyObject && a.binary) {
    const answer = a.binary(op, b, false)
    if (answer !== undefined) return answer
  }
  return b instanceof PyObject ? b.binary?.(op, a, true) : undefined
}

function unaryHook(op: '-' | '+', a: Value): Value {
  if (a instanceof PyObject && a.unary) return a.unary(op)
  throw typeError(`bad operand type for unary ${op}: '${typeName(a)}'`)
}

function unsupported(op: BinaryOp, a: Value, b: Value): PyError {
  const shown = op === '**' ? '** or pow()' : op
  return typeError(`unsupported operand type(s) for ${shown}: '${typeName(a)}' and '${typeName(b)}'`)
}

function fail(op: BinaryOp, a: Value, b: Value): never {
  throw unsupported(op, a, b)
}
