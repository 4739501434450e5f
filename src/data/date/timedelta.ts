// Python's `datetime.timedelta`: a number of microseconds, shown in days, seconds and microseconds.
import { PyError } from '../errors.ts'
import { div, floordiv } from '../numbers.ts'
import { type BinaryOp, Float, int, PyObject, type Value } from '../value.ts'

const SECOND = 1_000_000n
const DAY = 86_400n * SECOND
const MOST_DAYS = 999_999_999n

export class PyTimedelta extends PyObject {
  readonly typeName = 'datetime.timedelta'
  readonly total: bigint
  readonly days: number
  readonly seconds: number
  readonly microseconds: number

  constructor(total: bigint) {
    super()
    const days = floor(total, DAY)
    if (days > MOST_DAYS || days < -MOST_DAYS) {
      throw new PyError('OverflowError', `days=${days}; must have magnitude <= ${MOST_DAYS}`)
    }
    const rest = total - days * DAY
    this.total = total
    this.days = Number(days)
    this.seconds = Number(rest / SECOND)
    this.microseconds = Number(rest % SECOND)
  }

  static ofSeconds(seconds: number): PyTimedelta {
    return new PyTimedelta(BigInt(seconds) * SECOND)
  }

  override repr(): string {
    const parts = [
      ...(this.days === 0 ? [] : [`days=${this.days}`]),
      ...(this.seconds === 0 ? [] : [`seconds=${this.seconds}`]),
      ...(this.microseconds === 0 ? [] : [`microseconds=${this.microseconds}`]),
    ]
    return `datetime.timedelta(${parts.join(', ') || '0'})`
  }

  override str(): string {
    const two = (n: number): string => String(n).padStart(2, '0')
    const days = this.days === 0 ? '' : `${this.days} day${Math.abs(this.days) === 1 ? '' : 's'}, `
    const clock = `${Math.floor(this.seconds / 3600)}:${two(Math.floor(this.seconds / 60) % 60)}:${two(this.seconds % 60)}`
    const fraction = this.microseconds === 0 ? '' : `.${String(this.microseconds).padStart(6, '0')}`
    return days + clock + fraction
  }

  totalSeconds(): Value {
    return div(int(this.total), 1_000_000)
  }

  override truthy(): boolean {
    return this.total !== 0n
  }

  override equals(other: Value): boolean {
    return other instanceof PyTimedelta && other.total === this.total
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof PyTimedelta)) return undefined
    return this.total < other.total ? -1 : this.total > other.total ? 1 : 0
  }

  override getAttr(name: string): Value | undefined {
    switch (name) {
      case 'days':
        return this.days
      case 'seconds':
        return this.seconds
      case 'microseconds':
        return this.microseconds
      default:
        return undefined
    }
  }

  override attrNames(): string[] {
    return ['days', 'seconds', 'microseconds']
  }

  override unary(op: '-' | '+'): Value {
    return new PyTimedelta(op === '-' ? -this.total : this.total)
  }

  override abs(): Value {
    return new PyTimedelta(this.total < 0n ? -this.total : this.total)
  }

  override binary(op: BinaryOp, other: Value, reversed: boolean): Value | undefined {
    if (other instanceof PyTimedelta) return reversed ? undefined : this.withDelta(op, other.total)
    const factor = ratio(other)
    if (factor === undefined || (reversed && op !== '*')) return undefined
    const [top, bottom] = factor
    switch (op) {
      case '*':
        return new PyTimedelta(nearest(this.total * top, bottom))
      case '/':
        if (top === 0n) throw divisionByZero(other)
        return new PyTimedelta(nearest(this.total * bottom, top))
      case '//':
        if (bottom !== 1n || other instanceof Float) return undefined
        if (top === 0n) throw divisionByZero(other)
        return new PyTimedelta(floor(this.total, top))
      default:
        return undefined
    }
  }

  private withDelta(op: BinaryOp, other: bigint): Value | undefined {
    switch (op) {
      case '+':
        return new PyTimedelta(this.total + other)
      case '-':
        return new PyTimedelta(this.total - other)
      case '/':
        return div(int(this.total), int(other))
      case '//':
        return floordiv(int(this.total), int(other))
      case '%':
        if (other === 0n) throw new PyError('ZeroDivisionError', 'integer modulo by zero')
        return new PyTimedelta(this.total - floor(this.total, other) * other)
      default:
        return undefined
    }
  }
}

const divisionByZero = (by: Value): PyError =>
  new PyError('ZeroDivisionError', by instanceof Float ? 'division by zero' : 'integer division or modulo by zero')

/** A finite int or float as an exact fraction. */
function ratio(value: Value): [top: bigint, bottom: bigint] | undefined {
  if (typeof value === 'bigint' || typeof value === 'boolean') return [BigInt(value), 1n]
  let n = value instanceof Float ? value.value : value
  if (typeof n !== 'number' || !Number.isFinite(n)) return undefined
  let bottom = 1n
  while (!Number.isInteger(n)) {
    n *= 2
    bottom *= 2n
  }
  return [BigInt(n), bottom]
}

function floor(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom
  return top % bottom !== 0n && top < 0n !== bottom < 0n ? quotient - 1n : quotient
}

/** The nearest integer, halves to even. */
function nearest(top: bigint, bottom: bigint): bigint {
  const low = floor(top, bottom)
  const twice = (top - low * bottom) * 2n
  const size = bottom < 0n ? -bottom : bottom
  const rest = twice < 0n ? -twice : twice
  return rest > size || (rest === size && (low & 1n) === 1n) ? low + 1n : low
}
