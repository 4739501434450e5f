// Floating addresses of Neutron. An address allocated for a machine has the token of its creation in its description,
// by which it is released with the machine.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import type { CloudContext } from '../../../sdk/mod.ts'
import { at, exit, type RestCloud } from '../common/rest.ts'
import { idOf, listed, networkId, networks } from './lookup.ts'
import { CREATION_KEY } from './server.ts'
import type { OpenStackSession } from './session.ts'
import type { MachineSettings } from './settings.ts'

export const markOf = (token: string): string => `${CREATION_KEY}: ${token}`

interface FloatingRequest {
  name: string
  /** Id of the server. */
  server: string
  settings: MachineSettings
  token: string
  /** Whether the machine has a public address without a floating one. */
  hasPublic: boolean
}

const all = (neutron: RestCloud, query: string): Promise<Dict[]> =>
  listed(neutron, `/floatingips${query}`, 'floatingips')

/** Give floating addresses to a machine, as its settings say. */
export async function giveAddresses(
  ctx: CloudContext,
  session: OpenStackSession,
  request: FloatingRequest,
): Promise<void> {
  const { name, settings, hasPublic } = request
  const { ips, ip_pool, auto_ip } = settings
  if (ips.length === 0 && ip_pool === null && (!auto_ip || hasPublic)) return
  const neutron = await session.service('network')
  if (ips.length > 0) {
    for (const wanted of ips) {
      const [found] = await all(neutron, `?floating_ip_address=${encodeURIComponent(wanted)}`)
      if (found === undefined) throw exit(`OpenStack has no floating address ${wanted} for ${name}`)
      const used = found.get('port_id')
      if (used) throw exit(`The floating address ${wanted} for ${name} is used by another machine`)
      await lead(neutron, found, await portOf(neutron, session, request))
    }
    return
  }
  const pools =
    ip_pool === null
      ? (await networks(session, '?router%3Aexternal=true')).map(idOf)
      : [await networkId(session, ip_pool)]
  if (pools.length === 0) return
  await giveOne(ctx, session, neutron, pools, request)
}

async function giveOne(
  ctx: CloudContext,
  session: OpenStackSession,
  neutron: RestCloud,
  pools: readonly string[],
  request: FloatingRequest,
): Promise<void> {
  const { settings, token, name } = request
  const port = await portOf(neutron, session, request)
  if (settings.reuse_ips) {
    const free = (await all(neutron, '?status=DOWN')).find(
      (one) => !one.get('port_id') && pools.includes(str(one.get('floating_network_id') ?? null)),
    )
    if (free !== undefined) return lead(neutron, free, port)
  }
  let problem = ''
  for (const pool of pools) {
    const body = { floatingip: { floating_network_id: pool, port_id: port, description: markOf(token) } }
    const answer = await neutron.reply('POST', '/floatingips', body)
    if (answer.status < 300) return
    problem = neutron.refusal('POST /floatingips', answer).message
    // 404: no router leads from this pool to the machine
    if (answer.status !== 404) break
  }
  if (settings.ip_pool !== null || !/status 404/.test(problem))
    throw exit(`${name} gets no floating address: ${problem}`)
  ctx.log('debug', `${name} gets no floating address: ${problem}`)
}

/** Return the port of a machine that a floating address leads to. */
async function portOf(neutron: RestCloud, session: OpenStackSession, request: FloatingRequest): Promise<string> {
  const { name, server, settings } = request
  const ports = await listed(neutron, `/ports?device_id=${encodeURIComponent(server)}`, 'ports')
  const wanted = settings.nat_destination === null ? null : await networkId(session, settings.nat_destination)
  const isIpv4 = (port: Dict): boolean => {
    const addresses = port.get('fixed_ips') ?? []
    return Array.isArray(addresses) && addresses.some((one: Value) => str(at(one, 'ip_address')).includes('.'))
  }
  const found = ports.find((port) => isIpv4(port) && (wanted === null || port.get('network_id') === wanted))
  if (found === undefined) throw exit(`${name} has no port that a floating address can lead to`)
  return idOf(found)
}

async function lead(neutron: RestCloud, floating: Dict, port: string): Promise<void> {
  await neutron.ask('PUT', `/floatingips/${idOf(floating)}`, { floatingip: { port_id: port } })
}

/** Release the addresses that were allocated for a machine: those of a creation, or those assigned to it. */
export async function releaseAddresses(session: OpenStackSession, isMeant: (floating: Dict) => boolean): Promise<void> {
  const neutron = await session.service('network')
  for (const one of await all(neutron, '')) {
    const isOurs = str(one.get('description') ?? '').startsWith(`${CREATION_KEY}: `)
    if (isOurs && isMeant(one)) await neutron.find('DELETE', `/floatingips/${idOf(one)}`)
  }
}
