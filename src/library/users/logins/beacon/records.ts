// Login records of utmp files: parsing, and the users and times of day that the beacon watches.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import { type BeaconContext, type BeaconDeclaration, defineBeacon, dictOption } from '../../../../sdk/mod.ts'

const SIZE = 384

interface Logins {
  name: 'btmp' | 'wtmp'
  doc: string
  /** Fields added to a record. */
  judge?(event: Dict, ctx: BeaconContext): void
}

function recordOf(bytes: Buffer): Dict {
  const text = (start: number, length: number): string =>
    bytes.toString('utf8', start, start + length).replace(/^\0+|\0+$/g, '')
  return new Map<Value, Value>([
    ['type', bytes.readInt16LE(0)],
    ['PID', bytes.readInt32LE(4)],
    ['line', text(8, 32)],
    ['inittab', text(40, 4)],
    ['user', text(44, 32)],
    ['hostname', text(76, 256)],
    ['exit_status', bytes.readInt16LE(332)],
    ['session', bytes.readInt32LE(336)],
    ['time', bytes.readInt32LE(340)],
    ['addr', bytes.readInt32LE(348)],
  ])
}

/** Return the records since the last look; the first look only finds the end. */
async function newRecords(ctx: BeaconContext, file: string): Promise<Dict[]> {
  const size = (await ctx.host.stat(file))?.size ?? 0
  const before = ctx.memory.get('offset') as number | undefined
  if (before === undefined || size < before) {
    ctx.memory.set('offset', size)
    return []
  }
  const count = Math.floor((size - before) / SIZE)
  ctx.memory.set('offset', before + count * SIZE)
  if (count === 0) return []
  const bytes = Buffer.from(await ctx.host.read(file, { offset: before, length: count * SIZE }))
  return Array.from({ length: count }, (_, index) => recordOf(bytes.subarray(index * SIZE, (index + 1) * SIZE)))
}

/** Parse a time such as `8am` or `16:30` into minutes of the day. */
function minutesOf(text: string): number | undefined {
  const found = /^\s*(\d{1,2})(?::(\d{2}))?\s*(am|pm)?\s*$/i.exec(text)
  if (!found) return undefined
  const hour = Number(found[1])
  const half = found[3]?.toLowerCase()
  return (half ? (hour % 12) + (half === 'pm' ? 12 : 0) : hour) * 60 + Number(found[2] ?? 0)
}

function isInTime(range: Value, now: Date): boolean {
  if (!isDict(range)) return true
  const [start, end] = ['start', 'end'].map((name) => minutesOf(str(range.get(name) ?? '')))
  const minutes = now.getHours() * 60 + now.getMinutes()
  return start !== undefined && end !== undefined && start <= minutes && minutes <= end
}

async function usersOf(ctx: BeaconContext, config: Dict): Promise<Dict> {
  const users = new Map(dictOption(config, 'users'))
  for (const [group, options] of dictOption(config, 'groups')) {
    const info = await ctx.call('group.info', [group])
    const members = isDict(info) ? (info.get('members') ?? null) : null
    if (!isList(members)) ctx.log('warning', `Group ${str(group)} does not exist, ignoring.`)
    else for (const member of members) if (!users.has(member)) users.set(member, options)
  }
  return users
}

/** Check the time ranges of a configuration. */
function validate(name: string, config: Dict): string | undefined {
  for (const [option, label] of [
    ['users', 'User'],
    ['groups', 'Group'],
  ] as const) {
    if (!config.has(option)) continue
    const given = config.get(option)!
    if (!isDict(given)) return `${label} configuration for ${name} beacon must be a dictionary.`
    for (const options of given.values()) {
      const problem = isDict(options) ? rangeProblem(name, options) : undefined
      if (problem !== undefined) return problem
    }
  }
  if (!config.has('defaults')) return undefined
  const defaults = config.get('defaults')!
  if (!isDict(defaults)) return `Defaults configuration for ${name} beacon must be a dictionary.`
  return rangeProblem(name, defaults)
}

function rangeProblem(name: string, options: Dict): string | undefined {
  const range = options.get('time_range') ?? null
  if (!truthy(range)) return undefined
  const isWhole = isDict(range) && range.has('start') && range.has('end')
  if (isWhole) return undefined
  return isDict(range)
    ? `The time_range parameter for ${name} beacon must contain start & end options.`
    : `The time_range parameter for ${name} beacon must be a dictionary.`
}

export function loginBeacon({ name, doc, judge }: Logins): BeaconDeclaration {
  const file = `/var/log/${name}`
  return defineBeacon({
    name,
    doc,
    when: async (ctx) => (await ctx.host.stat(file))?.type === 'file' || `${file} does not exist.`,
    validate: (config) => validate(name, config),
    beacon: async (ctx, config) => {
      const events = await newRecords(ctx, file)
      if (events.length === 0) return []
      const users = await usersOf(ctx, config)
      const always = dictOption(config, 'defaults').get('time_range') ?? null
      return events.filter((event) => {
        judge?.(event, ctx)
        const options = users.get(event.get('user')!) ?? null
        if (users.size > 0 && !users.has(event.get('user')!)) return false
        const own = isDict(options) ? (options.get('time_range') ?? null) : null
        return isInTime(truthy(own) ? own : always, new Date())
      })
    },
  })
}
