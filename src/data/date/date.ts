// Python's `datetime.date` and `datetime.datetime`: the values of timestamps in data, with CPython's texts and range
// errors.
import { PyError, typeError, valueError } from '../errors.ts'
import { type BinaryOp, PyObject, type Value } from '../value.ts'
import { dateOf, daysIn, ordinalOf, weekdayOf } from './calendar.ts'
import { type CalendarMoment, strftime } from './strftime.ts'
import { assertTime, CLOCK_ATTRIBUTES, clockArguments, clockAttribute, clockText, type TimeOfDay } from './time.ts'
import { PyTimedelta } from './timedelta.ts'

const LAST_ORDINAL = 3652059
const DAY = 86_400_000_000n
const MIDNIGHT: TimeOfDay = { hour: 0, minute: 0, second: 0, microsecond: 0, offset: undefined }

const outOfRange = (): PyError => new PyError('OverflowError', 'date value out of range')

export class PyDate extends PyObject {
  readonly typeName: string = 'datetime.date'
  readonly year: number
  readonly month: number
  readonly day: number

  constructor(year: number, month: number, day: number) {
    super()
    if (year < 1 || year > 9999) throw valueError(`year ${year} is out of range`)
    if (month < 1 || month > 12) throw valueError('month must be in 1..12')
    if (day < 1 || day > daysIn(year, month)) throw valueError('day is out of range for month')
    this.year = year
    this.month = month
    this.day = day
  }

  static fromOrdinal(ordinal: number): PyDate {
    if (ordinal < 1 || ordinal > LAST_ORDINAL) throw outOfRange()
    return new PyDate(...dateOf(ordinal))
  }

  /** Days since the day before 1 January of year 1. */
  get ordinal(): number {
    return ordinalOf(this.year, this.month, this.day)
  }

  /** 0 for Monday. */
  get weekday(): number {
    return weekdayOf(this.ordinal)
  }

  /** All fields, midnight standing for the time of a date. */
  get moment(): CalendarMoment {
    return { year: this.year, month: this.month, day: this.day, ...MIDNIGHT }
  }

  isoformat(): string {
    return `${String(this.year).padStart(4, '0')}-${String(this.month).padStart(2, '0')}-${String(this.day).padStart(2, '0')}`
  }

  strftime(format: string): string {
    return strftime(format, this.moment)
  }

  override str(): string {
    return this.isoformat()
  }

  override repr(): string {
    return `datetime.date(${this.year}, ${this.month}, ${this.day})`
  }

  override format(spec: string): string {
    return spec === '' ? this.str() : this.strftime(spec)
  }

  override equals(other: Value): boolean {
    return other instanceof PyDate && !(other instanceof PyDatetime) && other.ordinal === this.ordinal
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof PyDate)) return undefined
    if (other instanceof PyDatetime) throw typeError("can't compare datetime.datetime to datetime.date")
    return Math.sign(this.ordinal - other.ordinal)
  }

  override binary(op: BinaryOp, other: Value, reversed: boolean): Value | undefined {
    if (other instanceof PyTimedelta && (op === '+' || (op === '-' && !reversed))) {
      return PyDate.fromOrdinal(this.ordinal + (op === '+' ? other.days : -other.days))
    }
    if (op !== '-' || reversed || !(other instanceof PyDate) || other instanceof PyDatetime) return undefined
    return new PyTimedelta(BigInt(this.ordinal - other.ordinal) * DAY)
  }

  override getAttr(name: string): Value | undefined {
    return name === 'year' || name === 'month' || name === 'day' ? this[name] : undefined
  }

  override attrNames(): string[] {
    return ['year', 'month', 'day']
  }
}

export class PyDatetime extends PyDate {
  override readonly typeName = 'datetime.datetime'
  readonly time: TimeOfDay

  constructor(year: number, month: number, day: number, time: TimeOfDay) {
    super(year, month, day)
    assertTime(time)
    this.time = time
  }

  /** The datetime that many microseconds of wall clock after the start of year 1's calendar (ordinal 0). */
  static fromWall(micros: bigint, offset: number | undefined): PyDatetime {
    const rest = ((micros % DAY) + DAY) % DAY
    const ordinal = Number((micros - rest) / DAY)
    if (ordinal < 1 || ordinal > LAST_ORDINAL) throw outOfRange()
    const seconds = Number(rest / 1_000_000n)
    return new PyDatetime(...dateOf(ordinal), {
      hour: Math.floor(seconds / 3600),
      minute: Math.floor(seconds / 60) % 60,
      second: seconds % 60,
      microsecond: Number(rest % 1_000_000n),
      offset,
    })
  }

  override get moment(): CalendarMoment {
    return { year: this.year, month: this.month, day: this.day, ...this.time }
  }

  override isoformat(separator = 'T', timespec = 'auto'): string {
    return `${super.isoformat()}${separator}${clockText(this.time, timespec)}`
  }

  override str(): string {
    return this.isoformat(' ')
  }

  override repr(): string {
    return `datetime.datetime(${[this.year, this.month, this.day, ...clockArguments(this.time)].join(', ')})`
  }

  override equals(other: Value): boolean {
    return other instanceof PyDatetime && this.isAware === other.isAware && this.instant === other.instant
  }

  override sharedForm(): string {
    return `datetime ${this.isAware} ${this.instant}`
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof PyDate)) return undefined
    if (!(other instanceof PyDatetime)) throw typeError("can't compare datetime.datetime to datetime.date")
    if (this.isAware !== other.isAware) throw typeError("can't compare offset-naive and offset-aware datetimes")
    return this.instant < other.instant ? -1 : this.instant > other.instant ? 1 : 0
  }

  override binary(op: BinaryOp, other: Value, reversed: boolean): Value | undefined {
    if (other instanceof PyTimedelta && (op === '+' || (op === '-' && !reversed))) {
      return PyDatetime.fromWall(this.wall + (op === '+' ? other.total : -other.total), this.time.offset)
    }
    if (op !== '-' || reversed || !(other instanceof PyDatetime)) return undefined
    if (this.isAware !== other.isAware) throw typeError("can't subtract offset-naive and offset-aware datetimes")
    return new PyTimedelta(this.instant - other.instant)
  }

  override getAttr(name: string): Value | undefined {
    return super.getAttr(name) ?? clockAttribute(this.time, name)
  }

  override attrNames(): string[] {
    return [...super.attrNames(), ...CLOCK_ATTRIBUTES]
  }

  /** Whether it has a zone. */
  get isAware(): boolean {
    return this.time.offset !== undefined
  }

  /** Microseconds of wall clock since ordinal 0. */
  get wall(): bigint {
    const { hour, minute, second, microsecond } = this.time
    return BigInt(this.ordinal) * DAY + BigInt((hour * 3600 + minute * 60 + second) * 1_000_000 + microsecond)
  }

  /** The same in UTC, for comparing; of a datetime without zone just the wall clock. */
  private get instant(): bigint {
    return this.wall - BigInt(this.time.offset ?? 0) * 1_000_000n
  }
}
