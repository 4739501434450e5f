// The results of `schedule.list` and `beacons.list` in a common form. Pure, for tests.

export interface Entry {
  name: string
  isEnabled: boolean
  /** The options of the entry, without options that have their usual value. */
  options: Readonly<Record<string, unknown>>
}

export interface Listed {
  /** Whether the schedule, or the beacons, as a whole are enabled. */
  isEnabled: boolean
  entries: Entry[]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Options of a beacon may be a list of mappings. */
const merged = (value: unknown): Record<string, unknown> =>
  Array.isArray(value) ? Object.assign({}, ...value.filter(isObject)) : isObject(value) ? value : { value }

/** Options that have their usual value. */
const USUAL: Readonly<Record<string, unknown>> = { enabled: true, jid_include: true, maxrunning: 1 }

/** Parse a result; a text, such as an error, has no entries. */
export function listed(answer: unknown): Listed {
  if (!isObject(answer)) return { isEnabled: true, entries: [] }
  const entries = Object.entries(answer)
    .filter(([name]) => name !== 'enabled')
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, value]): Entry => {
      const all = merged(value)
      const told = Object.entries(all).filter(([key, each]) => key !== 'name' && USUAL[key] !== each)
      return { name, isEnabled: all['enabled'] !== false, options: Object.fromEntries(told) }
    })
  return { isEnabled: answer['enabled'] !== false, entries }
}

const TIMES = ['seconds', 'minutes', 'hours', 'days'] as const

/** When a job of a schedule runs, in words. */
export function whenText(options: Readonly<Record<string, unknown>>): string {
  const every = TIMES.filter((unit) => options[unit] !== undefined).map((unit) => `${options[unit]} ${unit}`)
  if (every.length > 0) return `every ${every.join(' ')}`
  const named = ['cron', 'when', 'once'].find((key) => options[key] !== undefined)
  if (named === undefined) return options['run_on_start'] ? 'at start' : '–'
  const value = options[named]
  return `${named === 'cron' ? 'cron ' : ''}${Array.isArray(value) ? value.join(', ') : String(value)}`.slice(0, 200)
}
