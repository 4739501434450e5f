// The methods and attributes of int (bool included) and float.
import {
  bitLength,
  float,
  int,
  isIterable,
  iterate,
  PyError,
  Tuple,
  textOf,
  toDouble,
  truthy,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { countArgument, namedTextArgument } from './arguments.ts'
import { method, methodTable } from './builtin.ts'

type Int = number | bigint | boolean

const magnitude = (n: Int): bigint => {
  const big = BigInt(n)
  return big < 0n ? -big : big
}

function byteOrder(name: string, order: Value): 'big' | 'little' {
  const text = namedTextArgument(order, `${name}() argument 'byteorder'`)
  if (text !== 'big' && text !== 'little') throw valueError("byteorder must be either 'little' or 'big'")
  return text
}

function toBytes(n: Int, length: Value = 1, order: Value = 'big', signed: Value = false): Uint8Array {
  const size = countArgument(length)
  const endian = byteOrder('to_bytes', order)
  if (size < 0) throw valueError('length argument must be non-negative')
  const big = BigInt(n)
  const withSign = truthy(signed)
  if (big < 0n && !withSign) throw new PyError('OverflowError', "can't convert negative int to unsigned")
  const bits = withSign ? size * 8 - 1 : size * 8
  if (bitLength(big < 0n ? -big - 1n : big) > Math.max(bits, 0)) {
    throw new PyError('OverflowError', 'int too big to convert')
  }
  const hex =
    size === 0
      ? ''
      : BigInt.asUintN(size * 8, big)
          .toString(16)
          .padStart(size * 2, '0')
  const bytes = new Uint8Array(Buffer.from(hex, 'hex'))
  return endian === 'big' ? bytes : bytes.reverse()
}

function fromBytes(source: Value, order: Value = 'big', signed: Value = false): number | bigint {
  const endian = byteOrder('from_bytes', order)
  if (textOf(source) !== undefined || !isIterable(source)) {
    throw typeError(`cannot convert '${typeName(source)}' object to bytes`)
  }
  const bytes = Uint8Array.from([...iterate(source)].map((item) => byteOf(item)))
  if (endian === 'little') bytes.reverse()
  const n = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  return int(truthy(signed) ? BigInt.asIntN(bytes.length * 8, n) : n)
}

function byteOf(item: Value): number {
  const byte = countArgument(item)
  if (byte < 0 || byte > 255) throw valueError('bytes must be in range(0, 256)')
  return byte
}

export const INT_METHODS = methodTable('int', {
  as_integer_ratio: method('', (_rt, n: Int) => Tuple.of<Value>(int(BigInt(n)), 1)),
  bit_count: method('', (_rt, n: Int) => magnitude(n).toString(2).replaceAll('0', '').length),
  bit_length: method('', (_rt, n: Int) => bitLength(magnitude(n))),
  conjugate: method('', (_rt, n: Int) => int(BigInt(n))),
  from_bytes: method(
    'bytes byteorder? signed?',
    (_rt, _n, source, order, signed) => fromBytes(source, order, signed),
    'keywords',
  ),
  to_bytes: method(
    'length? byteorder? signed?',
    (_rt, n, length, order, signed) => toBytes(n, length, order, signed),
    'keywords',
  ),
})

/** A float as an exact ratio of ints, the denominator a power of two. */
function ratio(x: number): Tuple {
  if (Number.isNaN(x)) throw valueError('cannot convert NaN to integer ratio')
  if (!Number.isFinite(x)) throw new PyError('OverflowError', 'cannot convert Infinity to integer ratio')
  let denominator = 1n
  let numerator = x
  while (!Number.isInteger(numerator)) {
    numerator *= 2
    denominator *= 2n
  }
  return Tuple.of<Value>(int(BigInt(numerator)), int(denominator))
}

function hex(x: number): string {
  if (Number.isNaN(x)) return 'nan'
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf'
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const sign = bits >> 63n ? '-' : ''
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0')
  if (x === 0) return `${sign}0x0.0p+0`
  const power = exponent === 0 ? -1022 : exponent - 1023
  return `${sign}0x${exponent === 0 ? 0 : 1}.${fraction}p${power < 0 ? '' : '+'}${power}`
}

const HEX_FLOAT = /^\s*([+-]?)(?:0x)?([\da-f]*)(?:\.([\da-f]*))?(?:p([+-]?\d+))?\s*$/i

function fromHex(source: Value): Value {
  const text = textOf(source)
  if (text === undefined) throw typeError('bad argument type for built-in operation')
  const special = /^\s*([+-]?)(inf|infinity|nan)\s*$/i.exec(text)
  if (special !== null) {
    if (special[2]!.toLowerCase() === 'nan') return Number.NaN
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  const match = HEX_FLOAT.exec(text)
  const digits = match === null ? '' : match[2]! + (match[3] ?? '')
  if (match === null || digits === '') throw valueError('invalid hexadecimal floating-point string')
  const power = Number(match[4] ?? 0) - 4 * (match[3] ?? '').length
  const size = Number(BigInt(`0x${digits}`)) * 2 ** power
  if (!Number.isFinite(size)) {
    throw new PyError('OverflowError', 'hexadecimal value too large to represent as a float')
  }
  return float(match[1] === '-' ? -size : size)
}

export const FLOAT_METHODS = methodTable('float', {
  as_integer_ratio: method('', (_rt, x) => ratio(toDouble(x))),
  conjugate: method('', (_rt, x: Value) => x),
  fromhex: method('string', (_rt, _x, text) => fromHex(text)),
  hex: method('', (_rt, x) => hex(toDouble(x))),
  is_integer: method('', (_rt, x) => Number.isInteger(toDouble(x))),
})

/** `real`, `imag`, and of ints `numerator` and `denominator`. */
export function numberAttribute(value: Value, isInt: boolean, name: string): Value | undefined {
  switch (name) {
    case 'real':
      return typeof value === 'boolean' ? Number(value) : value
    case 'imag':
      return isInt ? 0 : float(0)
    case 'numerator':
      return isInt ? int(BigInt(value as Int)) : undefined
    case 'denominator':
      return isInt ? 1 : undefined
    default:
      return undefined
  }
}
