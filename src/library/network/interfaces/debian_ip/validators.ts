// The options of an interface in Debian's configuration, and their validators. A value that is invalid for one address
// family is left to the other.
import { BrineError, isA, recover } from '../../../../base/mod.ts'
import {
  float,
  floatFromText,
  ipAddress,
  ipNetwork,
  isList,
  splitWords,
  str,
  type Value,
} from '../../../../data/mod.ts'

export type Family = 'inet' | 'inet6'

/** Return the value to store, or undefined if it is invalid. */
type Validator = (value: Value) => Value | undefined

function succeeds(attempt: () => unknown): boolean {
  return recover(isA(BrineError), false, () => {
    attempt()
    return true
  })
}

const anything: Validator = (value) => value
const address =
  (version: 4 | 6): Validator =>
  (value) => {
    if (typeof value !== 'string') return undefined
    const [ip = '', mask = version === 4 ? '32' : '128', ...more] = value.split('/')
    const fits = /^\d+$/.test(mask) && Number(mask) >= 1 && Number(mask) <= (version === 4 ? 32 : 128)
    return more.length === 0 && fits && succeeds(() => ipAddress(ip, version)) ? value : undefined
  }
const quad = address(4)
const ipv6 = address(6)
const mac: Validator = (value) =>
  /^(?:[0-9A-F]{1,2}([-:.]))(?:[0-9A-F]{1,2}\1){4}[0-9A-F]{1,2}$/i.test(str(value)) ? value : undefined
const integer: Validator = (value) => (/^\s*[+-]?\d+\s*$/.test(str(value)) ? Number(str(value)) : undefined)
const decimal: Validator = (value) =>
  succeeds(() => floatFromText(str(value))) ? float(Number(str(value))) : undefined
const netmask: Validator = (value) => {
  const bits = integer(value)
  if (bits !== undefined && Number(bits) >= 0 && Number(bits) <= 32) return bits
  return typeof value === 'string' && succeeds(() => ipNetwork(`0.0.0.0/${value}`)) ? value : undefined
}
const prefix: Validator = (value) => {
  const bits = integer(value)
  return bits !== undefined && Number(bits) >= 0 && Number(bits) <= 128 ? bits : undefined
}
const within =
  (...words: string[]): Validator =>
  (value) =>
    words.includes(str(value)) ? str(value) : undefined
const numbers =
  (...wanted: number[]): Validator =>
  (value) =>
    wanted.includes(Number(integer(value) ?? -1)) ? integer(value) : undefined
const spaced: Validator = (value) => {
  const words = typeof value === 'string' ? splitWords(value) : value
  return isList(words) && words.length > 0 ? words : undefined
}

const MODES = within('gre', 'GRE', 'ipip', 'IPIP', '802.3ad')

const COMMON: Readonly<Record<string, Validator>> = {
  addresses: anything,
  hwaddress: mac,
  mtu: integer,
  mode: MODES,
  endpoint: quad,
  local: quad,
  ttl: integer,
  slaves: anything,
  'dns-nameservers': spaced,
  'dns-search': spaced,
  'vlan-raw-device': anything,
  test: anything,
  enable_ipv4: anything,
  enable_ipv6: anything,
  'wireless-essid': anything,
  'wireless-mode': anything,
  'wpa-ap-scan': numbers(0, 1, 2),
  'wpa-conf': anything,
  'wpa-driver': anything,
  'wpa-group': anything,
  'wpa-key-mgmt': anything,
  'wpa-pairwise': anything,
  'wpa-psk': anything,
  'wpa-proto': anything,
  'wpa-roam': anything,
  'wpa-ssid': anything,
}

const VALIDATORS: Readonly<Record<Family, Readonly<Record<string, Validator>>>> = {
  inet: {
    ...COMMON,
    proto: within('bootp', 'dhcp', 'static', 'manual', 'loopback', 'ppp'),
    address: quad,
    netmask,
    broadcast: quad,
    metric: integer,
    gateway: quad,
    pointopoint: quad,
    scope: within('global', 'link', 'host'),
    hostname: anything,
    leasehours: integer,
    leasetime: integer,
    vendor: anything,
    client: anything,
    bootfile: anything,
    server: quad,
    hwaddr: mac,
    dstaddr: quad,
    provider: anything,
    unit: integer,
    options: anything,
    network: anything,
  },
  inet6: {
    ...COMMON,
    proto: within('auto', 'loopback', 'static', 'manual', 'dhcp', 'v4tunnel', '6to4'),
    address: ipv6,
    netmask: prefix,
    broadcast: ipv6,
    gateway: ipv6,
    scope: within('global', 'site', 'link', 'host'),
    privext: numbers(0, 1, 2),
    dhcp: numbers(0, 1),
    media: anything,
    accept_ra: numbers(0, 1, 2),
    autoconf: numbers(0, 1),
    'preferred-lifetime': integer,
    'dad-attempts': integer,
    'dad-interval': decimal,
  },
}

export const isOption = (name: string): boolean => name in VALIDATORS.inet || name in VALIDATORS.inet6

export const validated = (name: string, value: Value, family: Family): Value | undefined =>
  VALIDATORS[family][name]?.(value)
