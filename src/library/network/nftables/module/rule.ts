// Builder of nft rules from the arguments of states.
import { lookup } from '../../../../base/mod.ts'
import { intFromText, keyError, str, type Value } from '../../../../data/mod.ts'
import { INTERNAL_KEYWORDS } from '../../../../sdk/mod.ts'

const FAMILIES: Readonly<Record<string, string>> = lookup({
  ipv4: 'ip',
  ip4: 'ip',
  ip: 'ip',
  ipv6: 'ip6',
  ip6: 'ip6',
  inet: 'inet',
  arp: 'arp',
  bridge: 'bridge',
  netdev: 'netdev',
})

export function familyOf(family: string): string {
  const found = FAMILIES[family]
  if (found === undefined) throw keyError(family)
  return found
}

export const ALL_FAMILIES = [...new Set(Object.values(FAMILIES))]

const set = (items: string): string => `{ ${items} }`
const range = (value: Value): string => str(value).replaceAll(':', '-')

/** Return ports in descending order, as older versions of nft list them. */
const ports = (value: Value): string => {
  const numbers = str(value)
    .split(',')
    .map((port) => Number(intFromText(port, 10)))
  return numbers.sort((a, b) => b - a).join(', ')
}

/** Parts of a rule before its verdict, in order. */
const MATCHES: readonly (readonly [names: readonly string[], words: (value: Value, family: string) => string])[] = [
  [['if'], (value) => `meta iifname ${str(value)}`],
  [['of'], (value) => `meta oifname ${str(value)}`],
  [['connstate'], (value) => `ct state ${set(str(value))}`],
  [['icmp-type'], (value) => `icmp type ${set(str(value))}`],
  [['icmpv6-type'], (value) => `icmpv6 type ${set(str(value))}`],
  [['pkttype'], (value) => `meta pkttype ${set(str(value))}`],
  [['counter'], () => 'counter'],
  [['saddr', 'source'], (value, family) => `${family} saddr ${str(value)}`],
  [['daddr', 'destination'], (value, family) => `${family} daddr ${str(value)}`],
  [['dport'], (value) => `dport ${set(range(value))}`],
  [['sport'], (value) => `sport ${set(range(value))}`],
  [['dports'], (value) => `dport ${set(ports(value))}`],
  [['sports'], (value) => `sport ${set(ports(value))}`],
]

const VERDICTS: readonly (readonly [names: readonly string[], words: (value: Value) => string])[] = [
  [['jump'], str],
  [['j'], str],
  [['redirect-to', 'to-port'], (value) => `redirect to ${str(value)}`],
  [['to-ports'], (value) => `--to-ports ${str(value)}`],
  [['to-source'], str],
  [['to-destination'], str],
  [['reject-with'], (value) => `reject with ${str(value)}`],
]

export function ruleText(given: ReadonlyMap<string, Value>, family: string): string {
  const options = new Map(given)
  const target = options.get('target')
  if (target !== undefined) options.set('jump', target)
  for (const name of INTERNAL_KEYWORDS) options.delete(name)
  const words = [...MATCHES, ...VERDICTS].flatMap(([names, build]) => {
    const value = names.map((name) => options.get(name)).find((found) => found !== undefined)
    return value === undefined ? [] : [build(value, family)]
  })
  const protocol = str(options.get('proto') ?? '')
  return words.join(' ').trim().replaceAll('dport', `${protocol} dport`).replaceAll('sport', `${protocol} sport`)
}
