// Reader and writer of /etc/network/interfaces and its further files.
import { lookup } from '../../../../base/mod.ts'
import { isList, splitLines, splitWords, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, textAt } from '../../../../sdk/mod.ts'
import { misused, type Part } from './parts.ts'
import { type Family, isOption, validated } from './validators.ts'

export const MAIN_FILE = '/etc/network/interfaces'
export const FOLDER = '/etc/network/interfaces.d/'

export interface Stanza {
  options: Map<string, Value>
  ethtool: Part
  bonding: Part
  bridging: Part
}

export interface Adapter {
  enabled?: boolean
  hotplug?: boolean
  stanzas: Map<Family, Stanza>
  /** Other files that are included; only of the adapter `source`. */
  sources?: string[]
}

export const emptyStanza = (): Stanza => ({
  options: new Map(),
  ethtool: new Map(),
  bonding: new Map(),
  bridging: new Map(),
})

const ETHTOOL = new Set(
  (
    'link-speed link-duplex ethernet-autoneg ethernet-port ethernet-wol driver-message-level ethernet-pause-rx ' +
    'ethernet-pause-tx ethernet-pause-autoneg offload-rx offload-tx offload-sg offload-tso offload-ufo offload-gso ' +
    'offload-lro offload-gro hardware-irq-coalesce-adaptive-rx hardware-irq-coalesce-adaptive-tx ' +
    'hardware-irq-coalesce-rx-usecs hardware-irq-coalesce-rx-frames hardware-dma-ring-rx hardware-dma-ring-rx-mini ' +
    'hardware-dma-ring-rx-jumbo hardware-dma-ring-tx'
  ).split(' '),
)
const COMMANDS = new Set(['up', 'pre-up', 'post-up', 'down', 'pre-down', 'post-down'])

function readOption({ options, ethtool, bonding, bridging }: Stanza, line: string, family: Family): void {
  const [name = ''] = splitWords(line)
  const value = line.trim().slice(name.length).trimStart()
  if (isOption(name)) {
    const key = name.replaceAll('-', '_')
    const kept = validated(name, value, family) ?? value
    if (key === 'address' && options.has('address')) {
      options.set('addresses', [...((options.get('addresses') ?? []) as Value[]), kept])
    } else options.set(key, kept)
  } else if (ETHTOOL.has(name)) ethtool.set(name, value)
  else if (/^bond.*?[_-]/.test(name)) bonding.set(name.replace(/^.*?[_-]/, ''), value)
  else if (/^bridge.*?[_-]/.test(name)) bridging.set(name.replace(/^.*?[_-]/, ''), value)
  else if (COMMANDS.has(name)) {
    const key = `${name.replaceAll('-', '_')}_cmds`
    options.set(key, [...((options.get(key) ?? []) as Value[]), value])
  }
}

function parseInterfaces(texts: readonly string[]): Map<string, Adapter> {
  const adapters = new Map<string, Adapter>()
  const adapter = (name: string): Adapter => {
    const known = adapters.get(name) ?? { stanzas: new Map() }
    adapters.set(name, known)
    return known
  }
  for (const text of texts) {
    let stanza = emptyStanza()
    let family: Family = 'inet'
    for (const line of splitLines(text)) {
      const words = splitWords(line)
      const [keyword = '', ...names] = words
      if (keyword === '' || keyword.startsWith('#')) continue
      if (line.startsWith('iface')) {
        if (words.length !== 4) {
          throw misused(`Interface file malformed: [${words.map((word) => `'${word}'`).join(', ')}].`)
        }
        family = names[1] as Family
        const { stanzas } = adapter(names[0]!)
        stanza = stanzas.get(family) ?? emptyStanza()
        stanzas.set(family, stanza)
        stanza.options.set('addrfam', family).set('proto', names[2]!)
      } else if (/^\s/.test(line)) readOption(stanza, line, family)
      else if (line.startsWith('auto')) for (const name of names) adapter(name).enabled = true
      else if (line.startsWith('allow-hotplug')) for (const name of names) adapter(name).hotplug = true
      else if (line.startsWith('source')) {
        const source = adapter('source')
        source.sources = [...(source.sources ?? []), names[0] ?? '']
      }
    }
  }
  for (const [name, { stanzas }] of adapters) if (name !== 'source' && stanzas.size === 0) adapters.delete(name)
  return adapters
}

export async function readInterfaces(ctx: FunctionContext): Promise<Map<string, Adapter>> {
  const paths = [MAIN_FILE, ...(await namesIn(ctx.host, FOLDER)).map((name) => FOLDER + name)]
  const texts = await Promise.all(paths.map((path) => textAt(ctx.host, path)))
  return parseInterfaces(texts.filter((text) => text !== undefined))
}

/** Options in writing order. */
const WRITTEN = (
  'autoconf privext dhcp hwaddress hwaddr vlan_raw_device address addresses netmask metric gateway pointopoint scope ' +
  'hostname media leasehours leasetime vendor client bootfile server mode endpoint dstaddr local ttl mtu provider unit ' +
  'options master dns_nameservers wireless_mode wpa_ap_scan wpa_conf wpa_driver wpa_group wpa_key_mgmt wpa_pairwise ' +
  'wpa_proto wpa_psk wpa_roam wpa_ssid accept_ra up_cmds down_cmds pre_up_cmds post_up_cmds pre_down_cmds post_down_cmds'
).split(' ')

const SPELLED: Readonly<Record<string, string>> = lookup({
  addresses: 'address',
  hwaddr: 'hwaddress',
  up_cmds: 'up',
  down_cmds: 'down',
  pre_up_cmds: 'pre-up',
  post_up_cmds: 'post-up',
  pre_down_cmds: 'pre-down',
  post_down_cmds: 'post-down',
  master: 'bond-master',
  accept_ra: 'accept_ra',
})

function optionLines(options: ReadonlyMap<string, Value>): string[] {
  return WRITTEN.flatMap((option) => {
    const value = options.get(option) ?? null
    if (!truthy(value)) return []
    const name = SPELLED[option] ?? option.replaceAll('_', '-')
    if (!isList(value)) return [`    ${name} ${str(value)}`]
    if (option === 'dns_nameservers') return [`    ${name} ${value.map(str).join(' ')}`]
    return value.map((item) => `    ${name} ${str(item)}`)
  })
}

/** Return the lines of a part. Numbers are not written, because Salt's template writes only texts and lists. */
const partLines = (part: Part, prefix: string): string[] =>
  [...part.keys()].sort().flatMap((key) => {
    const value = part.get(key)!
    if (typeof value === 'string') return [`    ${prefix}${key} ${value}`]
    return isList(value) ? [`    ${prefix}${key} ${value.map(str).join(' ')}`] : []
  })

/** Return the lines of an adapter in the file. */
export function adapterText(name: string, adapter: Adapter): string {
  if (adapter.sources) return adapter.sources.map((source) => `\nsource ${source}\n`).join('')
  const lines: string[] = []
  if (adapter.enabled) lines.push(`auto ${name}`)
  if (adapter.hotplug) lines.push(`allow-hotplug ${name}`)
  for (const family of ['inet', 'inet6'] as const) {
    const stanza = adapter.stanzas.get(family)
    const proto = stanza?.options.get('proto') ?? null
    if (!stanza || stanza.options.get('addrfam') !== family || !truthy(proto)) continue
    lines.push(`iface ${name} ${family} ${str(proto)}`, ...optionLines(stanza.options))
    lines.push(
      ...partLines(stanza.ethtool, ''),
      ...partLines(stanza.bonding, 'bond-'),
      ...partLines(stanza.bridging, 'bridge_'),
    )
  }
  return lines.map((line) => `${line}\n`).join('')
}

/** Return the lines of a text as the functions of `ip` do: with line ends, and one more line. */
export const linesOf = (text: string): string[] => text.split('\n').map((line) => `${line}\n`)
