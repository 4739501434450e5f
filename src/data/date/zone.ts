// Fixed offsets from UTC, the only time zones that data carries.
import { PyObject, type Value } from '../value.ts'
import { PyTimedelta } from './timedelta.ts'

const two = (n: number): string => String(n).padStart(2, '0')

/** Return `+05:30`, with seconds if there are any. */
export function offsetText(offset: number, separator = ':'): string {
  const size = Math.abs(offset)
  const seconds = size % 60 === 0 ? '' : separator + two(size % 60)
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 3600))}${separator}${two(Math.floor(size / 60) % 60)}${seconds}`
}

export const zoneName = (offset: number): string => (offset === 0 ? 'UTC' : `UTC${offsetText(offset)}`)

/** `datetime.timezone`. */
export class PyTimezone extends PyObject {
  readonly typeName = 'datetime.timezone'
  /** Seconds east of UTC. */
  readonly offset: number

  constructor(offset: number) {
    super()
    this.offset = offset
  }

  override str(): string {
    return zoneName(this.offset)
  }

  override repr(): string {
    return this.offset === 0
      ? 'datetime.timezone.utc'
      : `datetime.timezone(${PyTimedelta.ofSeconds(this.offset).repr()})`
  }

  override equals(other: Value): boolean {
    return other instanceof PyTimezone && other.offset === this.offset
  }
}
