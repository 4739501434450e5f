// The settings of an interface of Red Hat's network scripts: validated, and with the words of its files.
import { lookup } from '../../../../base/mod.ts'
import {
  dumpJson,
  isDict,
  isList,
  iterate,
  keyError,
  type PyError,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { invalid, isNo, isYes, misused, type Settings, switched } from '../debian_ip/parts.ts'
import { validated } from '../debian_ip/validators.ts'

const isInteger = (value: Value): boolean => /^\s*[+-]?\d+\s*$/.test(str(value))

const ADVERTISED = (
  '0x001 0x002 0x004 0x008 0x010 0x020 0x20000 0x8000 0x1000 0x40000 0x80000 0x200000 0x400000 0x800000 0x1000000 ' +
  '0x2000000 0x4000000'
).split(' ')

function oneOf(
  opts: Settings,
  iface: string,
  name: string,
  valid: readonly string[],
  shown: Value = name,
): Value | undefined {
  const value = opts.get(name)
  if (value === undefined || valid.includes(str(value))) return value
  throw invalid(iface, shown, valid)
}

/** Return the ethtool option for the numbers of queues. */
function channels(opts: Settings, iface: string, processors: number): string[] {
  const wanted = opts.get('channels')
  if (wanted === undefined || !isDict(wanted)) return []
  const words = ['rx', 'tx', 'other', 'combined'].flatMap((name) => {
    const count = wanted.get(name)
    if (count === undefined) return []
    if (typeof count !== 'number' || count < 1 || count > processors) {
      throw invalid(
        iface,
        count,
        Array.from({ length: processors }, (_, at) => at + 1),
      )
    }
    return [`${name} ${count}`]
  })
  return words.length > 0 ? [`-L ${iface.trim()} ${words.join(' ')}`] : []
}

function hardware(opts: Settings, iface: string, processors: number): string {
  const words: string[] = []
  const add = (name: string, value: Value | undefined): void =>
    void (value !== undefined && words.push(`${name} ${str(value)}`))
  add('autoneg', switched(opts, iface, 'autoneg', 'on', 'off'))
  add('duplex', oneOf(opts, iface, 'duplex', ['full', 'half']))
  add('speed', oneOf(opts, iface, 'speed', ['10', '100', '1000', '10000'], opts.get('speed') ?? null))
  add('advertise', oneOf(opts, iface, 'advertise', ADVERTISED))
  words.push(...channels(opts, iface, processors))
  for (const name of ['rx', 'tx', 'sg', 'tso', 'ufo', 'gso', 'gro', 'lro']) {
    add(name, switched(opts, iface, name, 'on', 'off'))
  }
  return words.join(' ')
}

/** Bond modes, and their settings besides link monitoring. */
const MODES: readonly { name: string; takes: readonly string[] }[] = [
  { name: 'balance-rr', takes: ['arp'] },
  { name: 'active-backup', takes: ['primary'] },
  { name: 'balance-xor', takes: ['arp', 'hash'] },
  { name: 'broadcast', takes: [] },
  { name: '802.3ad', takes: ['lacp', 'hash'] },
  { name: 'balance-tlb', takes: ['primary'] },
  { name: 'balance-alb', takes: ['primary'] },
]

function linkMonitoring(opts: Settings, iface: string, part: Map<string, Value>): void {
  for (const name of ['miimon', 'downdelay', 'updelay']) {
    const value = opts.get(name)
    if (value === undefined) continue
    if (!isInteger(value)) throw invalid(iface, name, ['integer'])
    part.set(name, value)
  }
  const miimon = opts.get('miimon')
  if (miimon === undefined) return
  if (!opts.has('downdelay')) part.set('downdelay', Number(miimon) * 2)
  if (!truthy(miimon)) throw invalid(iface, 'miimon', ['nonzero integer'])
  for (const name of ['downdelay', 'updelay']) {
    if (part.has(name) && Number(part.get(name)) % Number(miimon) !== 0) {
      throw invalid(iface, name, [`0 or a multiple of miimon (${str(miimon)})`])
    }
  }
  part.set('use_carrier', switched(opts, iface, 'use_carrier', '1', '0') ?? '0')
}

function arpMonitoring(opts: Settings, iface: string, part: Map<string, Value>): void {
  const interval = opts.get('arp_interval')
  if (interval === undefined) return
  if (!isInteger(interval)) throw invalid(iface, 'arp_interval', ['integer'])
  part.set('arp_interval', interval)
  const targets = opts.get('arp_ip_target') ?? null
  if (!isList(targets) || targets.length < 1 || targets.length > 16) {
    throw invalid(iface, 'arp_ip_target', ['list of ips (up to 16)'])
  }
  part.set('arp_ip_target', targets.map(str).join(','))
}

function aggregation(opts: Settings, iface: string, part: Map<string, Value>): void {
  const rate = oneOf(opts, iface, 'lacp_rate', ['fast', '1', 'slow', '0'])
  part.set('lacp_rate', rate === 'fast' ? '1' : rate === 'slow' ? '0' : (rate ?? '0'))
  const select = opts.get('ad_select') ?? '0'
  if (!isInteger(select)) throw invalid(iface, 'ad_select', ['integer'])
  part.set('ad_select', select)
}

function bond(opts: Settings, iface: string, release: number): string {
  const given = opts.get('mode')!
  const mode = MODES.findIndex(({ name }, at) => given === name || given === String(at))
  const found = MODES[mode]
  if (!found) throw invalid(iface, 'mode', [...MODES.map((_, at) => String(at)), ...MODES.map(({ name }) => name)])
  const part = new Map<string, Value>([['mode', String(mode)]])
  linkMonitoring(opts, iface, part)
  const asks = found.takes.includes('arp')
  if (asks) arpMonitoring(opts, iface, part)
  if (asks && !opts.has('miimon') && !opts.has('arp_interval')) {
    throw invalid(iface, 'miimon or arp_interval', ['at least one of these is required'])
  }
  if (!asks && !opts.has('miimon')) throw invalid(iface, 'miimon', ['integer'])
  if (found.takes.includes('lacp')) aggregation(opts, iface, part)
  if (found.takes.includes('primary') && opts.has('primary')) part.set('primary', opts.get('primary')!)
  if (found.takes.includes('hash')) {
    const plain = ['layer2', 'layer2+3', 'layer3+4']
    const more = mode === 4 ? ['encap2+3', 'encap3+4', ...(release < 8 ? [] : ['vlan+srcmac'])] : []
    const policy = oneOf(opts, iface, 'hashing-algorithm', [...plain, ...more])
    if (policy !== undefined) part.set('xmit_hash_policy', policy)
  }
  return [...part].map(([key, value]) => `${key}=${str(value)}`).join(' ')
}

interface Request {
  iface: string
  type: string
  enabled: boolean
  processors: number
  release: number
  /** Hardware address of the interface on the machine. */
  address: Value | undefined
}

const TYPES: Readonly<Record<string, string>> = lookup({
  eth: 'Ethernet',
  bridge: 'Bridge',
  ipip: 'IPIP',
  ib: 'InfiniBand',
})
const COPIED = [
  'ipaddr',
  'master',
  'srcaddr',
  'delay',
  'domain',
  'gateway',
  'uuid',
  'nickname',
  'zone',
  'ipv6addr',
  'ipv6gateway',
]
const LAST = ['ipaddr_start', 'ipaddr_end', 'clonenum_start', 'hwaddr', 'macaddr', 'enable_ipv6']
const SWITCHES = (
  'onparent peerdns peerroutes slave vlan defroute stp ipv6_peerdns ipv6_defroute ipv6_peerroutes ipv6_autoconf ' +
  'ipv4_failure_fatal dhcpv6c userctl nm_controlled'
).split(' ')
const YES_OR_NO: readonly Value[] = ['yes', 'on', 'true', '1', true, 'no', 'off', 'false', '0', false]

/** Set what the type of an interface requires. */
function ofType(found: Settings, opts: Settings, request: Request): void {
  const { iface, type } = request
  const data = (name: string): void => void (opts.has(name) && found.set(name, dumpJson(opts.get(name)!)))
  if (type !== 'bridge') {
    const words = hardware(opts, iface, request.processors)
    if (words !== '') found.set('ethtool', words)
  }
  if (type === 'slave') found.set('proto', 'none')
  if (type === 'team') {
    found.set('devicetype', 'Team')
    data('team_config')
  }
  if (type === 'teamport') {
    found.set('devicetype', 'TeamPort').set('team_master', opts.get('team_master') ?? '')
    data('team_port_config')
  }
  if (type === 'bond') found.set('bonding', bond(opts, iface, request.release)).set('devtype', 'Bond')
  if (type === 'vlan') {
    if (opts.has('reorder_hdr') && !YES_OR_NO.includes(opts.get('reorder_hdr')!))
      throw invalid(iface, 'reorder_hdr', YES_OR_NO)
    if (opts.has('vlan_id') && !(Number(opts.get('vlan_id')) > 0)) throw invalid(iface, 'vlan_id', ['Positive integer'])
    if (opts.has('phys_dev') && !truthy(opts.get('phys_dev')!)) throw invalid(iface, 'phys_dev', ['Non-empty string'])
    const given = ['reorder_hdr', 'vlan_id', 'phys_dev'].filter((name) => opts.has(name))
    if (given.length > 0) found.set('devtype', 'Vlan')
    for (const name of given) found.set(name, opts.get(name)!)
  }
  if (TYPES[type] !== undefined) found.set('devtype', TYPES[type])
  if (type === 'ipip') {
    for (const name of ['my_inner_ipaddr', 'my_outer_ipaddr']) {
      if (!opts.has(name)) throw invalid(iface, name, ['1.2.3.4'])
      found.set(name, opts.get(name)!)
    }
  }
  if (type !== 'bridge' && opts.has('bridge')) found.set('bridge', opts.get('bridge')!)
}

function hardwareAddress(found: Settings, opts: Settings, { iface, type, address }: Request): void {
  if (['bond', 'team', 'vlan', 'bridge', 'ipip'].includes(type)) return
  const given = opts.get('hwaddr')
  if (
    given !== undefined &&
    validated('hwaddress', given, 'inet') === undefined &&
    given !== 'auto' &&
    given !== 'none'
  ) {
    throw invalid(iface, given, ['AA:BB:CC:DD:EE:FF', 'auto', 'none'])
  }
  if ((given === undefined || given === 'auto') && type !== 'slave' && address !== undefined)
    found.set('hwaddr', address)
}

function addresses(found: Settings, opts: Settings): void {
  if (opts.has('prefix') && opts.has('netmask')) throw misused('Cannot use prefix and netmask together')
  for (const name of ['prefix', 'netmask']) if (opts.has(name)) found.set(name, opts.get(name)!)
  const check = (name: string, family: 'inet' | 'inet6', problem: string): Value[] | undefined => {
    const list = opts.get(name)
    if (list === undefined) return undefined
    const all = [...iterate(list)]
    if (all.some((item) => validated('address', item, family) === undefined)) throw misused(problem)
    return all
  }
  const v4 = check('ipaddrs', 'inet', 'ipv4 CIDR is invalid')
  if (v4) {
    const pairs = v4.map((item) =>
      str(item)
        .split('/')
        .map((part) => part.trim()),
    )
    found.set(
      'ipaddrs',
      pairs.map(([ipaddr = '', prefix = '']): Value => [ipaddr, prefix]),
    )
  }
  const v6 = check('ipv6addrs', 'inet6', 'ipv6 CIDR is invalid')
  if (v6) found.set('ipv6addrs', v6)
}

export function interfaceSettings(opts: Settings, request: Request): Settings {
  const { iface, enabled } = request
  const found: Settings = new Map([['name', iface]])
  const proto = opts.get('proto')
  if (proto !== undefined) {
    const valid = ['none', 'bootp', 'dhcp']
    if (!valid.includes(str(proto))) throw invalid(iface, proto, valid)
    found.set('proto', proto)
  }
  if (opts.has('dns')) found.set('dns', opts.get('dns')!).set('peerdns', 'yes')
  if (opts.has('mtu')) {
    if (!isInteger(opts.get('mtu')!)) throw invalid(iface, 'mtu', ['integer'])
    found.set('mtu', Number(str(opts.get('mtu')!)))
  }
  if (opts.has('hwaddr') && opts.has('macaddr')) {
    throw misused('Cannot pass both hwaddr and macaddr. Must use either hwaddr or macaddr')
  }
  ofType(found, opts, request)
  hardwareAddress(found, opts, request)
  addresses(found, opts)
  for (const name of COPIED) if (opts.has(name)) found.set(name, opts.get(name)!)
  found
    .set('userctl', 'no')
    .set('nm_controlled', 'no')
    .set('onboot', enabled ? 'yes' : 'no')
  for (const name of SWITCHES) {
    const value = opts.get(name)
    if (value === undefined) continue
    if (!isYes(value) && !isNo(value)) throw invalid(iface, value, YES_OR_NO)
    found.set(name, isYes(value) ? 'yes' : 'no')
  }
  if (opts.has('arpcheck') && isNo(opts.get('arpcheck')!)) found.set('arpcheck', 'no')
  for (const name of LAST) if (opts.has(name)) found.set(name, opts.get(name)!)
  return found
}

const quoteOf = (value: Value): string => /^(['"])(.*)\1$/s.exec(str(value))?.[1] ?? ''
const unquoted = (value: Value): Value =>
  typeof value === 'string' ? (/^(['"])(.*)\1$/s.exec(value)?.[2] ?? value) : value

const wrong = (setting: string, expected: readonly Value[]): PyError => {
  const list = expected.map((value) => str(value)).join('|')
  return misused(`Invalid network setting -- Setting: ${setting}, Expected: [${list}]`)
}

/** Return the global settings; values get the quotes of the existing values. */
export function networkSettings(given: Settings, current: Settings): Settings {
  const lower = (settings: Settings): Settings =>
    new Map([...settings].map(([key, value]) => [key.toLowerCase(), value]))
  const [opts, before] = [lower(given), lower(current)]
  const found: Settings = truthy(opts.get('retain_settings') ?? false) ? before : new Map()
  const known = before.get('networking')
  if (!opts.has('enabled') && known === undefined) throw keyError('networking')
  const networking = opts.get('enabled') ?? known!
  const quote = opts.has('enabled') ? '' : quoteOf(networking)
  const flag = (name: string, value: Value): string => {
    if (!isYes(value) && !isNo(value)) throw wrong(name, YES_OR_NO)
    return `${quote}${isYes(value) ? 'yes' : 'no'}${quote}`
  }
  found.set('networking', flag('networking', unquoted(networking)))
  const hostname = opts.get('hostname') ?? before.get('hostname') ?? null
  if (!truthy(hostname)) throw wrong('hostname', ['server1.example.com'])
  found.set('hostname', `${quote}${str(unquoted(hostname))}${quote}`)
  if (opts.has('nozeroconf')) found.set('nozeroconf', flag('nozeroconf', unquoted(opts.get('nozeroconf')!)))
  for (const [name, value] of opts) {
    if (['networking', 'hostname', 'nozeroconf'].includes(name)) continue
    found.set(name, `${quote}${str(unquoted(value))}${quote}`)
  }
  return found
}
