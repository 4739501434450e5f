// Python's range object. Its numbers may be beyond 2^53, so they are ints of either kind.
import { equals } from './compare.ts'
import { PyError, typeError, valueError } from './errors.ts'
import { indexError, sliceRange } from './sequence.ts'
import { int, isNumeric, PyObject, tuple, typeName, type Value } from './value.ts'

export class PyRange extends PyObject {
  readonly typeName = 'range'
  readonly start: bigint
  readonly stop: bigint
  readonly step: bigint
  /** The number of members; `len` fails beyond the maximum of Python's length. */
  readonly size: bigint

  constructor(start: bigint, stop: bigint, step: bigint) {
    super()
    this.start = start
    this.stop = stop
    this.step = step
    const distance = step > 0n ? stop - start : start - stop
    const stride = step > 0n ? step : -step
    this.size = distance <= 0n ? 0n : (distance + stride - 1n) / stride
  }

  /** `range(stop)`, `range(start, stop)` or `range(start, stop, step)`. */
  static of(...args: Value[]): PyRange {
    if (args.length === 0) throw typeError('range expected at least 1 argument, got 0')
    if (args.length > 3) throw typeError(`range expected at most 3 arguments, got ${args.length}`)
    const [first, second, third] = args.map(integer)
    if (second === undefined) return new PyRange(0n, first!, 1n)
    if (third === 0n) throw valueError('range() arg 3 must not be zero')
    return new PyRange(first!, second, third ?? 1n)
  }

  override repr(): string {
    const step = this.step === 1n ? '' : `, ${this.step}`
    return `range(${this.start}, ${this.stop}${step})`
  }

  override len(): number {
    if (this.size > 9223372036854775807n) {
      throw new PyError('OverflowError', 'Python int too large to convert to C ssize_t')
    }
    return Number(this.size)
  }

  override truthy(): boolean {
    return this.size > 0n
  }

  override *iterate(): Generator<Value> {
    const last = this.at(this.size)
    if (typeof last === 'bigint' || typeof int(this.start) === 'bigint') {
      for (let i = 0n; i < this.size; i++) yield this.at(i)
      return
    }
    const step = Number(this.step)
    const size = Number(this.size)
    for (let i = 0, n = Number(this.start); i < size; i++, n += step) yield n
  }

  private at(index: bigint): number | bigint {
    return int(this.start + index * this.step)
  }

  /** Return the index of a value in the range; undefined if it is not a member. */
  indexOf(item: Value): bigint | undefined {
    if (!isNumeric(item)) {
      return undefined
    }
    const n = typeof item === 'object' ? item.value : Number(item)
    if (typeof item !== 'bigint' && !Number.isInteger(n)) return undefined
    const distance = BigInt(typeof item === 'bigint' ? item : n) - this.start
    if (distance % this.step !== 0n) return undefined
    const index = distance / this.step
    return index >= 0n && index < this.size ? index : undefined
  }

  override contains(item: Value): boolean {
    if (item instanceof PyObject) {
      for (const member of { [Symbol.iterator]: () => this.iterate() }) if (equals(member, item)) return true
      return false
    }
    return this.indexOf(item) !== undefined
  }

  override getItem(key: Value): Value {
    if (!isNumeric(key) || (typeof key === 'number' ? !Number.isInteger(key) : typeof key === 'object')) {
      throw typeError(`range indices must be integers or slices, not ${typeName(key)}`)
    }
    const wanted = BigInt(key as number | bigint | boolean)
    const index = wanted < 0n ? wanted + this.size : wanted
    if (index < 0n || index >= this.size) throw indexError('range object index out of range')
    return this.at(index)
  }

  override getSlice(start: Value, stop: Value, step: Value): PyRange {
    const part = sliceRange(Number(this.size), start, stop, step)
    const by = this.step * BigInt(part.step)
    const from = this.start + BigInt(part.start) * this.step
    const edge = sliceEnd(Number(this.size), stop, part.step)
    return new PyRange(from, this.start + BigInt(edge) * this.step, by)
  }

  override equals(other: Value): boolean {
    if (!(other instanceof PyRange) || other.size !== this.size) return false
    if (this.size === 0n) return true
    return this.start === other.start && (this.size === 1n || this.step === other.step)
  }

  override key(): Value {
    const first = this.size > 0n ? int(this.start) : null
    return tuple([this.typeName, int(this.size), first, this.size > 1n ? int(this.step) : null])
  }

  override getAttr(name: string): Value | undefined {
    switch (name) {
      case 'start':
        return int(this.start)
      case 'stop':
        return int(this.stop)
      case 'step':
        return int(this.step)
      default:
        return undefined
    }
  }

  override attrNames(): string[] {
    return ['start', 'stop', 'step']
  }
}

/** Return the position of a slice's stop, also before the start. */
function sliceEnd(length: number, stop: Value, step: number): number {
  if (stop === null) return step < 0 ? -1 : length
  const { start } = sliceRange(length, stop, null, step)
  return start
}

function integer(value: Value): bigint {
  if (typeof value === 'bigint' || typeof value === 'boolean') return BigInt(value)
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
}
