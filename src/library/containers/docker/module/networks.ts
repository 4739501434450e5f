// Options of networks: the names in Salt, and the flags of `docker network create` with the same meaning.
import { lookup } from '../../../../base/mod.ts'
import { isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import { listed } from './options.ts'

const TEXTS: Readonly<Record<string, string>> = lookup({
  driver: '--driver',
  scope: '--scope',
  ipam_driver: '--ipam-driver',
})
const SWITCHES: Readonly<Record<string, string>> = lookup({
  internal: '--internal',
  attachable: '--attachable',
  enable_ipv6: '--ipv6',
  ingress: '--ingress',
})
const PAIRS: Readonly<Record<string, string>> = lookup({
  options: '--opt',
  driver_opts: '--opt',
  driver_opt: '--opt',
  labels: '--label',
  ipam_opts: '--ipam-opt',
  aux_addresses: '--aux-address',
  aux_address: '--aux-address',
})
const POOL: Readonly<Record<string, string>> = lookup({
  subnet: '--subnet',
  Subnet: '--subnet',
  iprange: '--ip-range',
  ip_range: '--ip-range',
  IPRange: '--ip-range',
  gateway: '--gateway',
  Gateway: '--gateway',
})

function pairs(value: Value): string[] {
  const dicts = isDict(value) ? [value] : isList(value) ? value.filter(isDict) : []
  if (dicts.length === 0) return listed(value)
  return dicts.flatMap((dict) => [...dict].map(([key, inner]) => `${str(key)}=${str(inner)}`))
}

function poolWords(pool: Value): string[] {
  if (!isDict(pool)) return []
  return [...pool].flatMap(([key, value]) => optionWords(str(key), value))
}

function optionWords(name: string, value: Value): string[] {
  if (value === null) return []
  const text = TEXTS[name] ?? POOL[name]
  if (text !== undefined) return [`${text}=${str(value)}`]
  const flag = SWITCHES[name]
  if (flag !== undefined) return truthy(value) ? [flag] : []
  const pair = PAIRS[name]
  if (pair !== undefined) return pairs(value).map((item) => `${pair}=${item}`)
  if (name === 'ipam_pools' && isList(value)) return value.flatMap(poolWords)
  if (name === 'ipam' && isDict(value)) {
    const driver = value.get('Driver') ?? null
    const pools = value.get('Config') ?? []
    const words = isList(pools) ? pools.flatMap(poolWords) : []
    return [...(truthy(driver) ? [`--ipam-driver=${str(driver)}`] : []), ...words]
  }
  return []
}

export const networkWords = (options: ReadonlyMap<string, Value>): string[] =>
  [...options].flatMap(([name, value]) => optionWords(name, value))
