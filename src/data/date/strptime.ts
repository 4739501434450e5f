// Times in names, read as Python's `datetime.strptime` does in the C locale.
import { PyError } from '../errors.ts'

export interface ParsedTime {
  year: number
  month: number
  day: number
  hour: number
  /** Seconds since the epoch. */
  epoch: number
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const DAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')

const oneOf = (names: readonly string[]): string => names.join('|')
const short = (names: readonly string[]): string[] => names.map((name) => name.slice(0, 3))

const DIRECTIVES: Readonly<Record<string, string>> = {
  d: '3[0-1]|[1-2]\\d|0[1-9]|[1-9]| [1-9]',
  f: '[0-9]{1,6}',
  H: '2[0-3]|[0-1]\\d|\\d',
  I: '1[0-2]|0[1-9]|[1-9]| [1-9]',
  j: '36[0-6]|3[0-5]\\d|[1-2]\\d\\d|0[1-9]\\d|00[1-9]|[1-9]\\d|0[1-9]|[1-9]',
  m: '1[0-2]|0[1-9]|[1-9]',
  M: '[0-5]\\d|\\d',
  S: '6[0-1]|[0-5]\\d|\\d',
  y: '\\d\\d',
  Y: '\\d\\d\\d\\d',
  w: '[0-6]',
  u: '[1-7]',
  U: '5[0-3]|[0-4]\\d|\\d',
  W: '5[0-3]|[0-4]\\d|\\d',
  z: '[+-]\\d\\d:?[0-5]\\d(?::?[0-5]\\d(?:\\.\\d{1,6})?)?|Z',
  Z: 'utc|gmt',
  p: 'am|pm',
  A: oneOf(DAYS),
  a: oneOf(short(DAYS)),
  B: oneOf(MONTHS),
  b: oneOf(short(MONTHS)),
}

/** Directives that expand to several. */
const COMPOSED: Readonly<Record<string, string>> = { c: '%a %b %d %H:%M:%S %Y', x: '%m/%d/%y', X: '%H:%M:%S' }

function patternOf(format: string): RegExp {
  const whole = format.replace(/%([cxX])/g, (_, letter: string) => COMPOSED[letter]!)
  const escaped = whole.replace(/[\\.^$*+?(){}[\]|]/g, '\\$&').replace(/\s+/g, '\\s+')
  const source = escaped.replace(/%(.?)/g, (_, letter: string) => {
    if (letter === '%') return '%'
    const pattern = DIRECTIVES[letter]
    if (pattern === undefined) {
      const message =
        letter === '' ? `stray % in format '${format}'` : `'${letter}' is a bad directive in format '${format}'`
      throw new PyError('ValueError', message)
    }
    return `(?<${letter}>${pattern})`
  })
  return new RegExp(`^${source}$`, 'i')
}

function yearOf(groups: Readonly<Record<string, string | undefined>>): number {
  if (groups['Y'] !== undefined) return Number(groups['Y'])
  if (groups['y'] === undefined) return 1900
  const year = Number(groups['y'])
  return year <= 68 ? year + 2000 : year + 1900
}

function monthOf({ m, B, b }: Readonly<Record<string, string | undefined>>): number {
  if (m !== undefined) return Number(m)
  if (B !== undefined) return MONTHS.indexOf(B.toLowerCase()) + 1
  return b === undefined ? 1 : short(MONTHS).indexOf(b.toLowerCase()) + 1
}

function hourOf({ H, I, p }: Readonly<Record<string, string | undefined>>): number {
  if (H !== undefined) return Number(H)
  if (I === undefined) return 0
  return (Number(I) % 12) + (p?.toLowerCase() === 'pm' ? 12 : 0)
}

/** Return the time in a name; undefined if there is none. As in Salt, an invalid format matches no name. */
export function parseTime(name: string, format: string): ParsedTime | undefined {
  let groups: Readonly<Record<string, string | undefined>>
  try {
    const match = patternOf(format).exec(name)
    if (!match) return undefined
    groups = match.groups ?? {}
  } catch (error) {
    if (error instanceof PyError || error instanceof SyntaxError) return undefined
    throw error
  }
  const year = yearOf(groups)
  const byDayOfYear = groups['j'] === undefined ? undefined : new Date(Date.UTC(year, 0, Number(groups['j'])))
  const month = byDayOfYear ? byDayOfYear.getUTCMonth() + 1 : monthOf(groups)
  const day = byDayOfYear ? byDayOfYear.getUTCDate() : Number(groups['d'] ?? 1)
  const hour = hourOf(groups)
  const date = new Date(Date.UTC(year, month - 1, day))
  if (year < 1 || date.getUTCMonth() !== month - 1) return undefined
  date.setUTCFullYear(year)
  const fraction = Number(`0.${groups['f'] ?? 0}`)
  const epoch =
    date.getTime() / 1000 + hour * 3600 + Number(groups['M'] ?? 0) * 60 + Number(groups['S'] ?? 0) + fraction
  return { year, month, day, hour, epoch }
}
