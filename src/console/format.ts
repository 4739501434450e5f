// Formats of numbers, times and texts.

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const COUNT = new Intl.NumberFormat()
const DECIMAL = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

export const count = (value: number): string => COUNT.format(value)
export const decimal = (value: number): string => DECIMAL.format(value)

/** A noun with its number: `1 minion`, `3 minions`. */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : plural}`

/** A time of today as a clock, an older one as a date and a clock. */
export function shortTime(iso: string, now = new Date()): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  return time.toDateString() === now.toDateString() ? CLOCK.format(time) : `${DATE.format(time)}, ${CLOCK.format(time)}`
}

/** A time with its day, zone and the exact value as the server sent it. */
export function exactTime(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? iso : `${EXACT.format(time)} (${iso})`
}

const UNITS: ReadonlyArray<[seconds: number, name: string]> = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** Return the age of a time: `3 min ago`. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1000)
  if (Number.isNaN(seconds)) return iso
  if (seconds < 2) return 'now'
  const [length, name] = UNITS.find(([unit]) => seconds >= unit) ?? [1, 's']
  return `${Math.floor(seconds / length)} ${name} ago`
}

/** A duration in milliseconds: `340 ms`, `2.1 s`, `3 min 4 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${decimal(ms / 1000)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

const SIZES = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** A number of bytes: `1.4 MB`. */
export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(value) / 10))
  return `${decimal(value / 1024 ** power)} ${SIZES[power]}`
}

/** A word for a shell, quoted where it needs quotes. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** A value of an argument as it is written on the command line of `salt`. */
export const shellValue = (value: unknown): string =>
  shellWord(
    typeof value === 'string' ? value : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value),
  )
