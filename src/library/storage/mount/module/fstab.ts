// The tables /etc/fstab and /etc/vfstab, which has other columns. Invalid lines are kept, and so are entries that equal the
// wanted one, whatever the order of the options.
import { type Dict, failure, isList, SaltError, splitWords, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, textAt } from '../../../../sdk/mod.ts'

type Entry = Readonly<Record<string, string>>

interface Table {
  readonly keys: readonly string[]
  /** Minimum number of columns. */
  readonly least: number
  /** File systems that are identified by their mount point, because they have no device. */
  readonly special: ReadonlySet<string>
  readonly line: (entry: Entry) => string
}

const FSTAB: Table = {
  keys: ['device', 'name', 'fstype', 'opts', 'dump', 'pass_num'],
  least: 4,
  special: new Set(
    'none tmpfs sysfs proc fusectl debugfs securityfs devtmpfs cgroup nfs nfs4 glusterfs btrfs ceph'.split(' '),
  ),
  line: (e) => `${e['device']}\t\t${e['name']}\t${e['fstype']}\t${e['opts']}\t${e['dump']} ${e['pass_num']}\n`,
}

const VFSTAB: Table = {
  keys: ['device', 'device_fsck', 'name', 'fstype', 'pass_fsck', 'mount_at_boot', 'opts'],
  least: 7,
  special: new Set('devfs proc ctfs objfs sharefs fs tmpfs'.split(' ')),
  line: (e) => {
    const widths = [11, 3, 19, 8, 3, 6, 0]
    return `${VFSTAB.keys.map((key, at) => (e[key] ?? '').padEnd(widths[at]!)).join(' ')}\n`
  },
}

const tableOf = (ctx: FunctionContext): Table => (ctx.grains.get('kernel') === 'SunOS' ? VFSTAB : FSTAB)

function parseLine(table: Table, line: string): Entry | undefined {
  const words = splitWords(line)
  if (line.startsWith('#') || words.length < table.least || words.length > table.keys.length) return undefined
  return Object.fromEntries(table.keys.map((key, at) => [key, words[at] ?? '0']))
}

const sortedOptions = (text: string): string => text.split(',').sort().join(',')

const agrees = (found: Entry, wanted: Entry): boolean =>
  Object.entries(wanted).every(([key, value]) =>
    key === 'opts' ? sortedOptions(found[key] ?? '') === sortedOptions(value) : found[key] === value,
  )

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Return all entries by mount point; underscores are appended to duplicates. */
export async function readTable(ctx: FunctionContext, config: string): Promise<Dict> {
  const found: Dict = new Map()
  const table = tableOf(ctx)
  for (const line of linesOf((await textAt(ctx.host, config)) ?? '')) {
    const entry = parseLine(table, line)
    if (entry === undefined) continue
    const { name = '', opts = '', ...rest } = entry
    let key = name
    while (found.has(key)) key += '_'
    const facts = table.keys
      .filter((column) => column !== 'name')
      .map((column): [Value, Value] => {
        if (column === 'opts') return ['opts', opts.split(',')]
        return [column === 'pass_num' ? 'pass' : column, rest[column]!]
      })
    found.set(key, new Map(facts))
  }
  return found
}

async function textOf(ctx: FunctionContext, config: string): Promise<string> {
  try {
    return Buffer.from(await ctx.host.read(config)).toString()
  } catch (error) {
    if (!isHostError(error)) throw error
    throw new SaltError('CommandExecutionError', `Couldn't read from ${config}: ${error.message}`, { cause: error })
  }
}

async function put(ctx: FunctionContext, config: string, text: string, refusal: (why: string) => string) {
  try {
    await ctx.host.write(config, text)
  } catch (error) {
    if (!isHostError(error) || error.code === 'ReadOnlyHost') throw error
    throw new SaltError('CommandExecutionError', refusal(error.message), { cause: error })
  }
}

export async function removeEntry(ctx: FunctionContext, name: string, device: Value, config: string): Promise<boolean> {
  const table = tableOf(ctx)
  const wanted: Record<string, string> = { name }
  if (device !== null) wanted['device'] = str(device)
  const lines = linesOf(await textOf(ctx, config))
  const kept = lines.filter((line) => {
    const entry = parseLine(table, line)
    return entry === undefined || !agrees(entry, wanted)
  })
  if (kept.length < lines.length) {
    await put(ctx, config, kept.join(''), (why) => `Couldn't write to ${config}: ${why}`)
  }
  return true
}

export interface TableRequest {
  entry: Readonly<Record<string, Value>>
  config: string
  /** Whether to write nothing. */
  dry: boolean
  match_on: Value
  not_change: boolean
}

/** Set an entry; return `present`, `change` or `new`. */
export async function setEntry(ctx: FunctionContext, kind: 'fstab' | 'vfstab', request: TableRequest): Promise<string> {
  const table = kind === 'fstab' ? FSTAB : VFSTAB
  const entry: Entry = Object.fromEntries(Object.entries(request.entry).map(([key, value]) => [key, str(value)]))
  const keys = matchKeys(table, entry, request.match_on)
  const criteria: Entry = Object.fromEntries(keys.map((key) => [key, entry[key]!]))
  if ((await ctx.host.stat(request.config))?.type !== 'file') {
    throw failure(`Bad config file "${request.config}"`)
  }
  let outcome: string | undefined
  const lines = linesOf(await textOf(ctx, request.config)).map((line) => {
    const found = parseLine(table, line)
    if (found === undefined || !agrees(found, criteria)) return line
    const settled = agrees(found, entry) || request.not_change
    outcome = settled ? 'present' : 'change'
    return settled ? line : table.line(entry)
  })
  if (outcome === undefined) {
    const last = lines.at(-1)
    if (last !== undefined && !last.endsWith('\n')) lines.push('\n')
    lines.push(table.line(entry))
    outcome = 'new'
  }
  if (outcome !== 'present' && !request.dry) {
    await put(ctx, request.config, lines.join(''), () => `File not writable ${request.config}`)
  }
  return outcome
}

function matchKeys(table: Table, entry: Entry, given: Value): string[] {
  if (!isList(given) && typeof given !== 'string') {
    throw failure('match_on must be a string or list of strings')
  }
  if (given === 'auto') return [table.special.has(entry['fstype'] ?? '') ? 'name' : 'device']
  const keys = isList(given) ? given.map(str) : [given]
  const unknown = keys.filter((key) => !(key in entry))
  if (unknown.length === 0) return keys
  throw failure(`Unrecognized keys in match_on: "${unknown.join(', ')}"`)
}
