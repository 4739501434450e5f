// Sets of addresses, networks and ports for the packet filter, through ipset.
import { lookup } from '../../../base/mod.ts'
import {
  type Dict,
  IpAddress,
  IpNetwork,
  ipAddress,
  ipNetwork,
  isList,
  keyError,
  PyError,
  splitWords,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  outputOf,
  type Result,
  reads,
  runAll,
} from '../../../sdk/mod.ts'

const FAMILIES: Readonly<Record<string, string>> = lookup({ ipv4: 'inet', ip4: 'inet', ipv6: 'inet6', ip6: 'inet6' })
const EXTRAS = ['timeout', 'counters', 'comment', 'skbinfo']
const HASHED = ['hashsize', 'maxelem', ...EXTRAS]
const HASHED_IP = ['family', 'hashsize', 'maxelem', 'netmask', ...EXTRAS]

/** Options that a set can be created with, by set type. */
const CREATE: Readonly<Record<string, readonly string[]>> = lookup({
  'bitmap:ip': ['range', 'netmask', ...EXTRAS],
  'bitmap:ip,mac': ['range', ...EXTRAS],
  'bitmap:port': ['range', ...EXTRAS],
  'hash:ip': HASHED_IP,
  'hash:mac': HASHED,
  'hash:net': HASHED_IP,
  'hash:net,net': HASHED_IP,
  'hash:net,port': HASHED_IP,
  'hash:net,port,net': HASHED_IP,
  'hash:ip,port,ip': HASHED_IP,
  'hash:ip,port,net': HASHED_IP,
  'hash:ip,port': HASHED_IP,
  'hash:ip,mark': ['family', 'markmask', ...HASHED],
  'hash:net,iface': HASHED_IP,
  'list:set': ['size', 'timeout', 'counters', 'comment'],
})
const WITHOUT_VALUE = ['comment', 'counters', 'skbinfo']

/** Options that an entry can have. */
const ADD = ['timeout', 'packets', 'bytes', 'skbmark', 'skbprio', 'skbqueue']

const program = async (ctx: FunctionContext): Promise<string> => (await ctx.host.which('ipset')) ?? 'ipset'

async function ipset(ctx: FunctionContext, ...words: string[]): Promise<string> {
  return outputOf(ctx, [await program(ctx), ...words])
}

/** Return the headers that `ipset list` shows; undefined if the set does not exist. */
async function infoOf(ctx: FunctionContext, name: string): Promise<Map<string, string> | undefined> {
  const { retcode, stdout } = await runAll(ctx, [await program(ctx), 'list', '-t', name])
  return retcode > 0 ? undefined : headers(stdout.split('\n'))
}

function headers(lines: readonly string[]): Map<string, string> {
  const pairs = lines
    .filter((line) => line.includes(':'))
    .map((line): [string, string] => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 2)]
    })
  return new Map(pairs)
}

async function membersOf(ctx: FunctionContext, name: string): Promise<string[]> {
  const { retcode, stdout } = await runAll(ctx, [await program(ctx), 'list', name])
  const lines = stdout.split('\n')
  const at = lines.findIndex((line) => line.includes('Members:'))
  return retcode > 0 || at < 0 ? [] : lines.slice(at + 1)
}

type NewSet = Bound<typeof newSetArgs>

async function newSet(ctx: FunctionContext, { name, set_type, family, comment, kwargs }: NewSet): Promise<Result> {
  const inet = FAMILIES[family]
  if (inet === undefined) throw keyError(family)
  if (!name) return 'Error: Set Name needs to be specified'
  if (!set_type) return 'Error: Set Type needs to be specified'
  const options = CREATE[set_type]
  if (options === undefined) return 'Error: Set Type is invalid'
  if (set_type.startsWith('bitmap:') && !kwargs.has('range')) return 'Error: range is a required argument'
  const words = options
    .filter((option) => kwargs.has(option))
    .flatMap((option) => (WITHOUT_VALUE.includes(option) ? [option] : [option, str(kwargs.get(option)!)]))
  if (options.includes('family')) words.push('family', inet)
  if (comment) words.push('comment')
  return (await ipset(ctx, 'create', name, set_type, ...words)) || true
}

async function add(
  ctx: FunctionContext,
  name: string,
  entry: string,
  options: ReadonlyMap<string, Value>,
): Promise<string> {
  const info = await infoOf(ctx, name)
  if (info === undefined) return noSuchSet(name)
  const header = info.get('Header') ?? ''
  const without = (feature: string): string => `Error: Set ${name} not created with ${feature} support`
  const any = (...keys: string[]): boolean => keys.some((key) => options.has(key))
  if (any('timeout') && !header.includes('timeout')) return without('timeout')
  if (any('packets', 'bytes') && !header.includes('counters')) return without('counters')
  if (any('comment') && !header.includes('comment')) return without('comment')
  if (any('skbmark', 'skbprio', 'skbqueue') && !header.includes('skbinfo')) return without('skbinfo')
  const words = splitWords(entry)
  if (any('comment') && !entry.includes('comment')) words.push('comment', str(options.get('comment')!))
  const type = info.get('Type') ?? ''
  const allowed = type.includes('net') || type === 'hash:ip,port' ? [...ADD, 'nomatch'] : ADD
  for (const option of allowed) if (options.has(option)) words.push(option, str(options.get(option)!))
  if ((await membersOf(ctx, name)).includes(entry)) return `Warn: Entry ${entry} already exists in set ${name}`
  const output = await ipset(ctx, 'add', '-exist', name, ...words)
  return output === '' ? 'Success' : `Error: ${output}`
}

type Part = string | number | IpAddress | IpNetwork

/** Return the network that a range covers exactly. A set has single entries, so no other range can be found in it. */
function rangePart(first: IpAddress, last: IpAddress): IpNetwork | undefined {
  const size = last.value - first.value + 1n
  const bits = size.toString(2).length - 1
  if (size < 1n || size !== 1n << BigInt(bits) || first.value % size !== 0n) return undefined
  return ipNetwork(`${first}/${(first.version === 4 ? 32 : 128) - bits}`)
}

function addressPart(text: string): Part {
  try {
    if (text.includes('/')) return ipNetwork(text, false)
    if (!text.includes('-')) return ipAddress(text)
    const [first = '', last = ''] = text.split('-')
    return rangePart(ipAddress(first), ipAddress(last)) ?? text
  } catch (error) {
    if (error instanceof PyError) return text
    throw error
  }
}

/** Return the parts of an entry with the names of its set type, followed by its options as one text. */
function parts(type: string, entry: string): Part[] {
  const blank = entry.indexOf(' ')
  const fields = (blank < 0 ? entry : entry.slice(0, blank)).split(',')
  const kinds = (type.split(':')[1] ?? '').split(',')
  const found = kinds.map((kind, at): Part => {
    const field = fields[at] ?? ''
    if (kind === 'ip' || kind === 'net') return addressPart(field)
    return kind === 'port' && /^\d+$/.test(field) ? Number(field) : field
  })
  return blank < 0 ? found : [...found, entry.slice(blank + 1)]
}

function covers(member: Part, wanted: Part): boolean {
  if (String(member) === String(wanted)) return true
  if (member instanceof IpAddress) return wanted instanceof IpNetwork && wanted.contains(member)
  return member instanceof IpNetwork && wanted instanceof IpAddress && member.contains(wanted)
}

async function check(ctx: FunctionContext, name: string, entry: Value): Promise<Result> {
  const type = (await infoOf(ctx, name))?.get('Type')
  if (type === undefined) return noSuchSet(name)
  const wanted = (isList(entry) ? entry : [entry]).map((item) => parts(type, str(item)))
  const members = (await membersOf(ctx, name)).map((member) => parts(type, member))
  return members.some((member) =>
    wanted.some((item) => member.length >= item.length && item.every((part, at) => covers(member[at]!, part))),
  )
}

async function rename(ctx: FunctionContext, name: string | null, fresh: string | null): Promise<Result> {
  if (!name) return NO_SET
  if (!fresh) return 'Error: New name for set needs to be specified'
  if ((await infoOf(ctx, name)) === undefined) return 'Error: Set does not exist'
  if ((await infoOf(ctx, fresh)) !== undefined) return 'Error: New Set already exists'
  return (await ipset(ctx, 'rename', name, fresh)) || true
}

const NO_SET = 'Error: Set needs to be specified'
const noSuchSet = (name: string): string => `Error: Set ${name} does not exist`

/** Work on an entry of a set; both must be given. */
function onEntry<E extends Value>(
  name: string | null,
  entry: E | null,
  work: (set: string, entry: E) => Promise<Result>,
): Promise<Result> | string {
  if (!name) return NO_SET
  return entry === null || entry === '' ? 'Error: Entry needs to be specified' : work(name, entry)
}

const name = arg.text('Set name', { optional: true })
const entry = arg.text('Entry, such as 192.168.0.3 or 192.168.0.3,tcp:80', { optional: true })
const family = arg.text('ipv4 or ipv6', { default: 'ipv4' })
const kwargs = arg.open('Options of the set or entry, such as timeout or comment')

const newSetArgs = {
  name,
  set_type: arg.text('Set type, such as hash:ip', { optional: true }),
  family,
  comment: arg.flag('Whether entries can have comments', { default: false }),
  kwargs,
}

export default defineModule({
  name: 'ipset',
  doc: 'Manage sets of addresses for the packet filter.',
  when: async ({ host }) =>
    (await host.which('ipset')) !== undefined ||
    'The ipset execution modules cannot be loaded: ipset binary not in path.',
  functions: {
    version: reads({
      doc: 'Return the version of ipset.',
      run: async (ctx) => splitWords(await ipset(ctx, '--version'))[1],
    }),
    new_set: changes({
      doc: 'Create a set.',
      example: 'ipset.new_set custom_set hash:ip comment=True',
      args: newSetArgs,
      run: newSet,
    }),
    delete_set: changes({
      doc: 'Remove a set.',
      example: 'ipset.delete_set custom_set',
      args: { name, family },
      run: async (ctx, { name }) => (name ? (await ipset(ctx, 'destroy', name)) || true : NO_SET),
    }),
    rename_set: changes({
      doc: 'Rename a set.',
      example: 'ipset.rename_set custom_set new_set=new_set_name',
      args: { name, new_set: arg.text('New name', { optional: true }), family },
      run: (ctx, { name, new_set }) => rename(ctx, name, new_set),
    }),
    list_sets: reads({
      doc: 'Return all sets without their entries.',
      args: { family },
      run: async (ctx) => {
        const blocks = (await ipset(ctx, 'list', '-t')).split('\n\n')
        return blocks.map((block) => headers(block.split('\n')) as Dict)
      },
    }),
    check_set: reads({
      doc: 'Return whether a set exists.',
      example: 'ipset.check_set name',
      args: { name, family },
      run: async (ctx, { name }) => (name ? (await infoOf(ctx, name)) !== undefined : NO_SET),
    }),
    add: changes({
      doc: 'Add an entry to a set.',
      example: 'ipset.add name 192.168.0.3,AA:BB:CC:DD:EE:FF',
      args: { name, entry, family, kwargs },
      run: (ctx, { name, entry, kwargs }) => onEntry(name, entry, (set, item) => add(ctx, set, item, kwargs)),
    }),
    delete: changes({
      doc: 'Remove an entry from a set.',
      example: 'ipset.delete name 192.168.0.3',
      args: { name, entry, family, kwargs },
      run: (ctx, { name, entry }) =>
        onEntry(name, entry, async (set, item) => {
          if ((await infoOf(ctx, set)) === undefined) return noSuchSet(set)
          const output = await ipset(ctx, 'del', set, item)
          return output === '' ? 'Success' : `Error: ${output}`
        }),
    }),
    check: reads({
      doc: 'Return whether a set lists an entry, or an entry that includes it.',
      example: 'ipset.check name 192.168.0.1-192.168.0.15',
      args: {
        name,
        entry: arg.textOrList('Entry, or a list of entries of which one is enough', { optional: true }),
        family,
      },
      run: (ctx, { name, entry }) => onEntry(name, truthy(entry) ? entry : null, (set, item) => check(ctx, set, item)),
    }),
    test: reads({
      doc: 'Return whether the kernel matches an entry in a set.',
      example: 'ipset.test name 192.168.0.3',
      args: { name, entry, family, kwargs },
      run: (ctx, { name, entry }) =>
        onEntry(name, entry, async (set, item) => {
          if ((await infoOf(ctx, set)) === undefined) return noSuchSet(set)
          return (await runAll(ctx, [await program(ctx), 'test', set, item])).retcode === 0
        }),
    }),
    flush: changes({
      doc: 'Remove all entries of a set, or of all sets.',
      example: 'ipset.flush custom_set',
      args: { name, family },
      run: async (ctx, { name }) => (await (name ? ipset(ctx, 'flush', name) : ipset(ctx, 'flush'))) === '',
    }),
  },
})
