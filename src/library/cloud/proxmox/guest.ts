// Machines in the API: their location, their configuration, and their addresses.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import type { CloudNode } from '../../../sdk/mod.ts'
import { sortedAddresses } from '../common/addresses.ts'
import { at } from '../common/rest.ts'
import { type ProxmoxApi, rowsIn } from './api.ts'
import { configError, type GuestType } from './parameters.ts'

/** The location of a machine. */
export interface Guest {
  node: string
  type: GuestType
  vmid: string
}

/** Return the path of a machine. Node names come from settings, so they are checked. */
export function pathOf({ node, type, vmid }: Guest): string {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(node)) throw configError(`'${node}' is no name of a node`)
  if (!/^\d+$/.test(vmid)) throw configError(`'${vmid}' is no id of a machine`)
  return `/nodes/${node}/${type}/${vmid}`
}

/** Return the machines and templates of all nodes. */
export async function guestRows(api: ProxmoxApi): Promise<Dict[]> {
  const rows = rowsIn(await api.get('/cluster/resources?type=vm'))
  return rows.filter((row) => row.get('type') === 'qemu' || row.get('type') === 'lxc')
}

export const guestOf = (row: Dict): Guest => ({
  node: str(row.get('node') ?? null),
  type: row.get('type') === 'lxc' ? 'lxc' : 'qemu',
  vmid: str(row.get('vmid') ?? null),
})

export const isTemplate = (row: Dict): boolean => truthy(row.get('template') ?? null)

export async function configOf(api: ProxmoxApi, guest: Guest): Promise<Dict | undefined> {
  const config = await api.find(`${pathOf(guest)}/config`)
  return config !== undefined && isDict(config) ? config : undefined
}

/** Return the addresses that the configuration of a machine gives it, without their prefixes. */
export function configuredAddresses(type: GuestType, config: Dict): string[] {
  const found: string[] = []
  for (const [key, value] of config) {
    if (!(type === 'lxc' ? /^net\d+$/ : /^ipconfig\d+$/).test(str(key))) continue
    for (const [, address] of str(value).matchAll(/(?:^|,)\s*ip6?=([^,/]+)/g)) {
      // the words dhcp, auto and manual are no addresses
      if (/[.:]/.test(address!)) found.push(address!)
    }
  }
  return found
}

/** Whether the machine can report its addresses while it runs. */
export const canTell = (type: GuestType, config: Dict): boolean =>
  type === 'lxc' || /^(1|.*\benabled=1)/.test(str(config.get('agent') ?? ''))

/** Return the addresses that a running machine reports; empty while it cannot. */
export async function toldAddresses(api: ProxmoxApi, guest: Guest): Promise<string[]> {
  if (guest.type === 'lxc') {
    const rows = rowsIn(await api.tryGet(`${pathOf(guest)}/interfaces`))
    return rows
      .filter((row) => row.get('name') !== 'lo')
      .flatMap((row) => [row.get('inet'), row.get('inet6')])
      .flatMap((text) => (typeof text === 'string' ? [text.replace(/\/\d+$/, '')] : []))
  }
  const answer = await api.tryGet(`${pathOf(guest)}/agent/network-get-interfaces`)
  return rowsIn(at(answer ?? null, 'result'))
    .filter((row) => row.get('hardware-address') !== '00:00:00:00:00:00')
    .flatMap((row) => rowsIn(row.get('ip-addresses')))
    .map((row) => str(row.get('ip-address') ?? null))
}

/** Return a machine as queries show it. */
export async function nodeOf(api: ProxmoxApi, row: Dict, isThorough = true): Promise<CloudNode | undefined> {
  const guest = guestOf(row)
  const config = await configOf(api, guest)
  if (config === undefined) return undefined
  const state = str(row.get('status') ?? 'unknown')
  const configured = configuredAddresses(guest.type, config)
  const asks = isThorough && configured.length === 0 && state === 'running' && canTell(guest.type, config)
  const addresses = asks ? await toldAddresses(api, guest) : configured
  const details: Dict = new Map<Value, Value>([...row, ['config', config]])
  return {
    name: str(row.get('name') ?? config.get('name') ?? config.get('hostname') ?? guest.vmid),
    id: guest.vmid,
    image: guest.vmid,
    size: row.get('disk') === undefined ? null : str(row.get('disk')!),
    state,
    ...sortedAddresses(addresses),
    details,
  }
}

/** Process many items, a few at a time, and return the results in their order. */
export async function inTurns<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index]!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return results
}
