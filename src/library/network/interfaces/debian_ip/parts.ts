// Settings of an interface beside its addresses: hardware, bonds, bridges and dial-up connections.
import { lookup } from '../../../../base/mod.ts'
import { isList, keyError, PyError, splitWords, str, type Value } from '../../../../data/mod.ts'

export type Settings = Map<string, Value>
export type Part = Map<string, Value>

const YES: readonly Value[] = ['yes', 'on', 'true', '1', true]
const NO: readonly Value[] = ['no', 'off', 'false', '0', false]
const YES_OR_NO = [...YES, ...NO]

export const isYes = (value: Value): boolean => YES.includes(value)
export const isNo = (value: Value): boolean => NO.includes(value)

export const misused = (message: string): PyError => new PyError('AttributeError', message)

export const invalid = (iface: string, option: Value, expected: readonly Value[]): PyError => {
  const list = expected.map((value) => str(value)).join('|')
  return misused(`Invalid option -- Interface: ${iface}, Option: ${str(option)}, Expected: [${list}]`)
}

/** Return the word of the configuration for a switch. */
export function switched(opts: Settings, iface: string, name: string, on: string, off: string): string | undefined {
  const value = opts.get(name)
  if (value === undefined) return undefined
  if (isYes(value)) return on
  if (isNo(value)) return off
  throw invalid(iface, name, YES_OR_NO)
}

const OFFLOADS = ['rx', 'tx', 'sg', 'tso', 'ufo', 'gso', 'gro', 'lro']

/** Return the hardware settings by their names in the file. */
export function hardware(opts: Settings, iface: string): Part {
  const part: Part = new Map()
  const autoneg = switched(opts, iface, 'autoneg', 'on', 'off')
  if (autoneg !== undefined) part.set('ethernet-autoneg', autoneg)
  const duplex = opts.get('duplex')
  if (duplex !== undefined) {
    if (duplex !== 'full' && duplex !== 'half') throw invalid(iface, 'duplex', ['full', 'half'])
    part.set('link-duplex', duplex)
  }
  const speed = opts.get('speed')
  if (speed !== undefined) {
    const speeds = ['10', '100', '1000', '10000']
    if (!speeds.includes(str(speed))) throw invalid(iface, speed, speeds)
    part.set('link-speed', speed)
  }
  for (const name of OFFLOADS) {
    const value = switched(opts, iface, name, 'on', 'off')
    if (value !== undefined) part.set(`offload-${name}`, value)
  }
  return part
}

/** Bond modes: their names and settings. */
const MODES: readonly { name: string; takes: readonly string[] }[] = [
  { name: 'balance-rr', takes: ['arp'] },
  { name: 'active-backup', takes: ['link', 'primary', 'carrier'] },
  { name: 'balance-xor', takes: ['arp', 'hash'] },
  { name: 'broadcast', takes: ['link', 'carrier'] },
  { name: '802.3ad', takes: ['link', 'lacp', 'carrier', 'hash'] },
  { name: 'balance-tlb', takes: ['link', 'carrier', 'primary'] },
  { name: 'balance-alb', takes: ['link', 'carrier', 'primary'] },
]

const DEFAULTS: Readonly<Record<string, string>> = lookup({
  miimon: '100',
  arp_interval: '250',
  downdelay: '200',
  updelay: '0',
  lacp_rate: '0',
  ad_select: '0',
})

const isInteger = (value: Value): boolean => /^\s*[+-]?\d+\s*$/.test(str(value))

function arpTargets(opts: Settings, iface: string): string {
  const targets = opts.get('arp_ip_target') ?? null
  if (isList(targets) && targets.length >= 1 && targets.length <= 16) return targets.map(str).join(',')
  throw invalid(iface, 'arp_ip_target', ['list of ips (up to 16)'])
}

export function bond(opts: Settings, iface: string, withoutCarrier: boolean): Part {
  const given = opts.get('mode')
  if (given === undefined) throw keyError('mode')
  const mode = MODES.findIndex(({ name }, at) => given === name || given === String(at))
  const found = MODES[mode]
  if (!found) throw invalid(iface, 'mode', [...MODES.map((_, at) => String(at)), ...MODES.map(({ name }) => name)])
  const part: Part = new Map([['mode', String(mode)]])
  const number = (name: string, expected: string[] = ['integer']): void => {
    const value = opts.get(name) ?? DEFAULTS[name]!
    if (!isInteger(value)) throw invalid(iface, name, expected)
    part.set(name, value)
  }
  const take: Readonly<Record<string, () => void>> = {
    arp: () => {
      part.set('arp_ip_target', arpTargets(opts, iface))
      number('arp_interval')
    },
    link: () => ['miimon', 'downdelay', 'updelay'].forEach((name) => void number(name)),
    lacp: () => {
      const rate = opts.get('lacp_rate')
      if (rate === 'fast' || rate === 'slow') opts.set('lacp_rate', rate === 'fast' ? '1' : '0')
      number('lacp_rate', ['fast', '1', 'slow', '0'])
      number('ad_select')
    },
    primary: () => {
      if (opts.has('primary')) part.set('primary', opts.get('primary')!)
    },
    carrier: () => {
      if (withoutCarrier && mode === 1) return
      part.set('use_carrier', switched(opts, iface, 'use_carrier', '1', '0') ?? 'on')
    },
    hash: () => {
      const policy = opts.get('hashing-algorithm')
      if (policy === undefined) return
      const valid = ['layer2', 'layer2+3', 'layer3+4']
      if (!valid.includes(str(policy))) throw invalid(iface, 'hashing-algorithm', valid)
      part.set('xmit_hash_policy', policy)
    },
  }
  for (const setting of found.takes) take[setting]!()
  return part
}

export function bridge(opts: Settings, iface: string): Part {
  const part: Part = new Map()
  const ports = opts.get('ports')
  if (ports !== undefined) part.set('ports', isList(ports) ? ports.map(str).join(' ') : ports)
  const checked = (names: string[], expected: string, fits: (value: Value) => boolean): void => {
    for (const name of names.filter((key) => opts.has(key))) {
      if (!fits(opts.get(name)!)) throw invalid(iface, name, [expected])
      part.set(name, opts.get(name)!)
    }
  }
  checked(
    ['ageing', 'fd', 'gcint', 'hello', 'maxage'],
    'float',
    (value) => str(value).trim() !== '' && !Number.isNaN(Number(str(value))),
  )
  checked(['bridgeprio', 'maxwait'], 'integer', (value) => typeof value === 'number')
  checked(['hw'], 'valid MAC address', (value) => /^[0-9a-f]{2}([-:])[0-9a-f]{2}(\1[0-9a-f]{2}){4}$/i.test(str(value)))
  for (const name of ['pathcost', 'portprio'].filter((key) => opts.has(key))) {
    const words = splitWords(str(opts.get(name)!))
    if (words.length !== 2 || !isInteger(words[1]!)) throw invalid(iface, name, ['interface integer'])
    part.set(name, words.join(' '))
  }
  const stp = switched(opts, iface, 'stp', 'on', 'off')
  if (stp !== undefined) part.set('stp', stp)
  const wait = opts.get('waitport')
  if (wait !== undefined) {
    const words = splitWords(str(wait))
    if (typeof wait !== 'number' && !(/^\d+$/.test(words[0] ?? '') && words.length > 1)) {
      throw invalid(iface, 'waitport', ['integer [interfaces]'])
    }
    part.set('waitport', typeof wait === 'number' ? wait : words.join(' '))
  }
  return part
}

const DIAL_UP =
  'user password provider pppoe_iface noipdefault usepeerdns defaultroute holdoff maxfail hide-password ' +
  'lcp-echo-interval lcp-echo-failure connect noauth persist mtu noaccomp linkname'
const DIAL_UP_SWITCHES = ['noipdefault', 'usepeerdns', 'defaultroute', 'hide-password', 'noauth', 'persist', 'noaccomp']

export function dialUp(opts: Settings, iface: string): Part {
  const part: Part = new Map()
  for (const name of DIAL_UP.split(' ')) if (opts.has(name)) part.set(name, opts.get(name)!)
  if (opts.has('provider') && !opts.get('provider')) throw invalid(iface, 'provider', YES_OR_NO)
  for (const name of DIAL_UP_SWITCHES) {
    const value = switched(opts, iface, name, 'True', 'False')
    if (value !== undefined) part.set(name, value)
  }
  return part
}
