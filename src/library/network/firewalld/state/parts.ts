// The parts of a zone that a state manages. Each part is a list: missing items are added, and with the `prune_` argument
// other items are removed.
import { type Dict, isDict, isList, str, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

type PartName = 'block_icmp' | 'ports' | 'port_fwd' | 'services' | 'interfaces' | 'sources' | 'rich_rules'

export interface Part {
  /** Name of the argument of the state; its switch has `prune_` before it. */
  readonly name: PartName
  /** Key in the changes. */
  readonly change: string
  readonly list: string
  /** Functions that add and remove an item, and their positional arguments. */
  readonly add: string
  readonly remove: string
  readonly arguments?: (zone: string, item: Value) => Value[]
  /** Return an item in the form that firewalld shows. */
  readonly normal?: (item: Value) => Value
  /** Function that returns the valid items. */
  readonly valid?: string
}

/** Return `80:8080:tcp:10.0.0.1` as firewalld.list_port_fwd shows it. */
function forward(item: Value): Value {
  if (isDict(item)) return new Map(FORWARD_KEYS.map((key) => [key, item.get(key) ?? '']))
  const [source = '', port = '', protocol = '', address = ''] = str(item).split(':')
  return new Map(FORWARD_KEYS.map((key, at) => [key, [source, port, protocol, address][at]!]))
}

const FORWARD_KEYS = ['Source port', 'Destination port', 'Protocol', 'Destination address']

/** Put the values in a rich rule between double quotes. */
function richRule(item: Value): Value {
  const words = str(item)
    .split(' ')
    .map((word) => {
      const at = word.indexOf('=')
      if (at < 0) return word
      const value = word.slice(at + 1)
      if (value.startsWith('"') || value.endsWith('"')) return word
      const bare = value.startsWith("'") && value.endsWith("'") ? value.slice(1, -1) : value
      return `${word.slice(0, at)}="${bare}"`
    })
  return words.join(' ').trimStart()
}

const list = (name: PartName, list: string, add: string, remove: string, further: Partial<Part> = {}): Part => ({
  name,
  change: name,
  list: `firewalld.${list}`,
  add: `firewalld.${add}`,
  remove: `firewalld.${remove}`,
  ...further,
})

export const ICMP: Part = list('block_icmp', 'list_icmp_block', 'block_icmp', 'allow_icmp', {
  change: 'icmp_types',
  valid: 'firewalld.get_icmp_types',
})

/** In the order of changes. */
export const PARTS: readonly Part[] = [
  list('ports', 'list_ports', 'add_port', 'remove_port'),
  list('port_fwd', 'list_port_fwd', 'add_port_fwd', 'remove_port_fwd', {
    normal: forward,
    arguments: (zone, item) => [zone, ...FORWARD_KEYS.map((key) => (item as Dict).get(key) ?? '')],
  }),
  list('services', 'list_services', 'add_service', 'remove_service', { arguments: (zone, item) => [item, zone] }),
  list('interfaces', 'get_interfaces', 'add_interface', 'remove_interface'),
  list('sources', 'get_sources', 'add_source', 'remove_source'),
  list('rich_rules', 'get_rich_rules', 'add_rich_rule', 'remove_rich_rule', { normal: richRule }),
]

const keyOf = (item: Value): string => (isDict(item) ? [...item.values()].map(str).join(':') : str(item))

const without = (items: readonly Value[], others: readonly Value[]): Value[] => {
  const known = new Set(others.map(keyOf))
  const found = new Map(items.filter((item) => !known.has(keyOf(item))).map((item) => [keyOf(item), item]))
  return [...found.values()]
}

const itemsOf = (value: Value): Value[] => (isList(value) ? value : value === null || value === false ? [] : [value])

/** Add and remove items of one part, and return the change. `current` is empty for a zone that does not exist yet. */
export async function settle(
  ctx: StateContext,
  zone: string,
  part: Part,
  items: Value,
  prune: boolean,
  current: readonly Value[],
): Promise<{ old: Value[]; new: Value[] } | undefined> {
  const normal = part.normal ?? ((item: Value) => item)
  let wanted = itemsOf(items).map(normal)
  const present = current.map(normal)
  if (part.valid !== undefined && wanted.length > 0) {
    const valid = (await ctx.call(part.valid, [], { permanent: true })) as Value[]
    for (const item of without(wanted, valid)) ctx.log('error', `${str(item)} is an invalid ICMP type`)
    wanted = wanted.filter((item) => valid.includes(item))
  }
  const missing = without(wanted, present)
  const unwanted = prune ? without(present, wanted) : []
  if (missing.length + unwanted.length === 0) return undefined
  if (!ctx.test) {
    const argumentsOf = part.arguments ?? ((place: string, item: Value) => [place, item])
    for (const item of missing) await ctx.call(part.add, argumentsOf(zone, item), { permanent: true })
    for (const item of unwanted) await ctx.call(part.remove, argumentsOf(zone, item), { permanent: true })
  }
  return { old: present, new: prune ? wanted : [...present, ...missing] }
}
