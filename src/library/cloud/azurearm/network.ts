// The interface of a machine and its public address. Existing ones, of a destroyed machine with the same name, are used
// unchanged.
import { type Dict, isDict, isList, type Plain, str, type Value } from '../../../data/mod.ts'
import { at, exit, rowsOf } from '../common/rest.ts'
import { configError, type MachineSettings } from './settings.ts'
import type { Subscription } from './subscription.ts'

const NETWORK = 'Microsoft.Network'
export const INTERFACES = `${NETWORK}/networkInterfaces`
export const ADDRESSES = `${NETWORK}/publicIPAddresses`

export interface NetworkRequest {
  name: string
  settings: MachineSettings
  tags: Record<string, string>
}

export interface NetworkNames {
  /** Ids of the interface and of the public address; null where none is wanted. */
  interface: string
  address: string | null
  subnet: string
  /** Name of the configuration of the interface, and of its public address. */
  configuration: string
}

/** Return the ids of a machine's network resources. No request is sent. */
export function networkNames(subscription: Subscription, { name, settings }: NetworkRequest): NetworkNames {
  const { resource_group, network_resource_group, network, subnet } = settings
  const named = settings.iface_name ?? `${name}-iface0`
  const configuration = `${named}-ip`
  return {
    interface: subscription.id(resource_group, INTERFACES, named),
    address: settings.allocate_public_ip ? subscription.id(resource_group, ADDRESSES, configuration) : null,
    subnet: subscription.id(
      ...([network_resource_group ?? resource_group, `${NETWORK}/virtualNetworks`, network] as const),
      ...(['subnets', subnet] as const),
    ),
    configuration,
  }
}

/** Throw if the subnet does not exist. */
export async function checkSubnet(subscription: Subscription, id: string, settings: MachineSettings): Promise<void> {
  if ((await subscription.find(id)) !== undefined) return
  const { network, subnet, network_resource_group, resource_group } = settings
  const group = network_resource_group ?? resource_group
  throw exit(`Azure has no such subnet (Resource Group: "${group}", VNET: "${network}", Subnet: "${subnet}")`)
}

/** Return ids of the pools of load balancers that the interface joins. */
function poolIds(subscription: Subscription, settings: MachineSettings): string[] {
  const { load_balancer, backend_pool, resource_group } = settings
  if ((load_balancer === null) !== (backend_pool === null)) {
    throw configError("'load_balancer' and 'backend_pool' must be given together")
  }
  const pools: [string, string][] = []
  if (load_balancer !== null && backend_pool !== null) pools.push([load_balancer, backend_pool])
  for (const [balancer, listed] of settings.load_balancer_backend_address_pools) {
    for (const pool of isList(listed) ? listed : [listed]) pools.push([str(balancer), str(pool)])
  }
  return pools.map(([balancer, pool]) =>
    subscription.id(resource_group, `${NETWORK}/loadBalancers`, balancer, 'backendAddressPools', pool),
  )
}

/** Return the body of the interface. */
export function interfaceBody(
  subscription: Subscription,
  names: NetworkNames,
  { settings, tags }: NetworkRequest,
): { [key: string]: Plain } {
  const { private_ip_address, security_group, dns_servers, location, resource_group } = settings
  const pools = poolIds(subscription, settings)
  const group =
    security_group === null || security_group.startsWith('/')
      ? security_group
      : subscription.id(resource_group, `${NETWORK}/networkSecurityGroups`, security_group)
  const properties = {
    subnet: { id: names.subnet },
    privateIPAllocationMethod: private_ip_address === null ? 'Dynamic' : 'Static',
    ...(private_ip_address !== null && { privateIPAddress: private_ip_address }),
    ...(names.address !== null && { publicIPAddress: { id: names.address } }),
    ...(pools.length > 0 && { loadBalancerBackendAddressPools: pools.map((id) => ({ id })) }),
  }
  return {
    location,
    tags,
    properties: {
      ipConfigurations: [{ name: names.configuration, properties }],
      ...(group !== null && { networkSecurityGroup: { id: group } }),
      ...(dns_servers.length > 0 && { dnsSettings: { dnsServers: dns_servers } }),
    },
  }
}

/** Create the public address, unless it exists. */
export async function ensureAddress(subscription: Subscription, id: string, { name, settings, tags }: NetworkRequest) {
  const found = await subscription.find(id)
  if (found) {
    if (at(found, 'properties', 'ipConfiguration') === null) return
    throw exit(`The public address ${str(found.get('name') ?? id)} for ${name} is in use`)
  }
  const properties = { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' }
  const body = { location: settings.location, tags, sku: { name: 'Standard' }, properties }
  await subscription.put(id, body, `The creation of the public address for ${name}`)
}

/** Return the configurations of an interface. */
export function configurationsOf(row: Dict): Dict[] {
  const properties = row.get('properties') ?? null
  return isDict(properties) ? rowsOf(properties, 'ipConfigurations') : []
}

/** Return the ids of the public addresses of an interface. */
export const addressIdsOf = (row: Dict): string[] =>
  configurationsOf(row)
    .map((one): Value => at(one, 'properties', 'publicIPAddress', 'id'))
    .filter((id) => id !== null)
    .map(str)
