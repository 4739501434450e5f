// Timestamps like PyYAML's safe constructor: a date alone, or a time with or without a zone.
import { PyDate, PyDatetime, PyError } from '../../data/mod.ts'

const TIMESTAMP =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::(\d\d))?))?)?\n?$/

export function timestampFromScalar(text: string): PyDate {
  const match = TIMESTAMP.exec(text)
  if (!match) throw new PyError('AttributeError', "'NoneType' object has no attribute 'groupdict'")
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (match[4] === undefined) return new PyDate(year, month, day)
  return new PyDatetime(year, month, day, {
    hour: Number(match[4]),
    minute: Number(match[5]),
    second: Number(match[6]),
    microsecond: Number((match[7] ?? '').slice(0, 6).padEnd(6, '0')),
    offset: zoneOffset(match),
  })
}

function zoneOffset(match: RegExpExecArray): number | undefined {
  if (match[8] === undefined) return undefined
  if (match[9] === undefined) return 0
  const seconds = Number(match[10]) * 3600 + Number(match[11] ?? 0) * 60
  return match[9] === '-' ? -seconds : seconds
}
