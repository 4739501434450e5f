// Changes of the settings of network interfaces. The settings come from `ip`, with the kernel's names.
import { lookup } from '../../../base/mod.ts'
import {
  type Dict,
  decodeBytes,
  dictFrom,
  isDict,
  isList,
  loadJson,
  repr,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption } from '../../../sdk/mod.ts'

const ATTRIBUTES = new Set(
  'family txqlen ipdb_scope index operstate group carrier_changes ipaddr neighbours ifname promiscuity linkmode broadcast address num_tx_queues ipdb_priority kind qdisc mtu num_rx_queues carrier flags ifi_type ports'.split(
    ' ',
  ),
)
/** Names of `ip -json` that differ from the kernel's. */
const NAMES: Readonly<Record<string, string>> = lookup({ ifindex: 'index', link_type: 'ifi_type', addr_info: 'ipaddr' })

type Settings = Map<string, string>

function validate(config: Dict): string | undefined {
  const interfaces = config.get('interfaces') ?? new Map()
  if (isList(interfaces)) return 'interfaces section for network_settings beacon must be a dictionary.'
  for (const attributes of dictOption(config, 'interfaces').values()) {
    if (!isDict(attributes)) return 'Interface attributes for network_settings beacon must be a dictionary.'
    if (![...attributes.keys()].every((name) => ATTRIBUTES.has(str(name)))) {
      return 'Invalid attributes in beacon configuration.'
    }
  }
  return undefined
}

async function settings(ctx: BeaconContext): Promise<Map<string, Settings>> {
  const ran = await ctx.host.run({ argv: ['ip', '-json', '-details', 'addr', 'show'] })
  const links = loadJson(decodeBytes(ran.stdout) || '[]')
  const all = new Map<string, Settings>()
  for (const link of isList(links) ? [...links] : []) {
    if (!isDict(link)) continue
    const own: Settings = new Map()
    for (const [name, value] of link) {
      const known = NAMES[str(name)] ?? str(name)
      if (ATTRIBUTES.has(known)) own.set(known, textOf(known, value))
    }
    all.set(str(link.get('ifname') ?? ''), own)
  }
  return all
}

function textOf(name: string, value: Value): string {
  if (name !== 'ipaddr' || !isList(value)) return typeof value === 'string' ? value : repr(value)
  const addresses = [...value].map((address) =>
    isDict(address) ? `${str(address.get('local') ?? '')}/${str(address.get('prefixlen') ?? '')}` : str(address),
  )
  return addresses.sort().join(', ')
}

/** Return the changes of the watched settings; with `onvalue` only changes to that value. */
function changesOf(watched: Dict, before: Settings, now: Settings): Dict {
  const changes: Dict = new Map()
  for (const [key, options] of watched) {
    const name = str(key)
    const value = now.get(name)
    if (value === undefined || value === before.get(name)) continue
    const wanted = isDict(options) ? options.get('onvalue') : undefined
    if (wanted === undefined || str(wanted) === value) changes.set(name, value)
  }
  return changes
}

export default defineBeacon({
  name: 'network_settings',
  doc: 'Report network interfaces whose settings change.',
  when: async (ctx) =>
    (await ctx.host.access('/usr/sbin/ip', 'execute')) ||
    (await ctx.host.access('/sbin/ip', 'execute')) ||
    'ip is missing.',
  validate,
  beacon: async (ctx, config) => {
    const now = await settings(ctx)
    const before = (ctx.memory.get('last') as Map<string, Settings> | undefined) ?? now
    ctx.memory.set('last', now)
    const changed = new Map<Value, Value>()
    for (const [pattern, watched] of dictOption(config, 'interfaces')) {
      const names = now.has(str(pattern))
        ? [str(pattern)]
        : [...now.keys()].filter((name) => new RegExp(str(pattern)).test(name))
      for (const name of names) {
        const changes = changesOf(isDict(watched) ? watched : new Map(), before.get(name) ?? new Map(), now.get(name)!)
        if (changes.size > 0) changed.set(name, changes)
      }
    }
    if (changed.size === 0) return []
    if (truthy(config.get('coalesce') ?? false)) return [dictFrom({ tag: 'result', changes: changed })]
    return [...changed].map(([name, change]) => dictFrom({ tag: name, interface: name, change }))
  },
})
