// One project of OpenStack as a provider of salt-cloud. Resources of a creation have its token in their metadata or
// description, by which they are found after a failure.
import { type Dict, isDict, str, type Value } from '../../../data/mod.ts'
import {
  awaitReady,
  type CloudAccount,
  type CloudContext,
  type CloudNode,
  type CloudSteps,
  type MachineRequest,
  type UnfinishedMachine,
} from '../../../sdk/mod.ts'
import { usableAddresses, usableFirst } from '../common/addresses.ts'
import { noteMade, reportRequest } from '../common/machine.ts'
import { at, byField, exit } from '../common/rest.ts'
import { giveAddresses, markOf, releaseAddresses } from './floating.ts'
import { flavors, idOf, listed, networkId } from './lookup.ts'
import { addressesNamed, Names, nodeOf } from './node.ts'
import { bootDevice, CREATION_KEY, faultOf, type WantedServer, wantedServer } from './server.ts'
import { OpenStackSession } from './session.ts'
import type { MachineSettings, machine, ProviderSettings } from './settings.ts'
import { attachVolumes, removeVolumes, volumeOfImage } from './volumes.ts'

/** Seconds until a server must be gone. */
const END_TIMEOUT = 600

type Request = MachineRequest<typeof machine>

export class OpenStackAccount implements CloudAccount<typeof machine> {
  readonly session: OpenStackSession
  private readonly ctx: CloudContext
  /** A lock: two creations of this process must not take the same free address. */
  private giving: Promise<unknown> = Promise.resolve()

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    this.ctx = ctx
    this.session = new OpenStackSession(ctx, settings)
  }

  private async servers(query = ''): Promise<Dict[]> {
    return listed(await this.session.service('compute'), `/servers/detail${query}`, 'servers')
  }

  async nodes(): Promise<CloudNode[]> {
    const names = new Names(this.session)
    const nodes: CloudNode[] = []
    for (const server of await this.servers()) nodes.push(await nodeOf(server, names))
    return nodes
  }

  async create(request: Request, steps: CloudSteps): Promise<CloudNode> {
    const { name, settings, token } = request
    usableAddresses([], settings)
    const wanted = await wantedServer(this.ctx, this.session, request)
    await reportRequest(steps, name, { size: settings.size ?? settings.flavor, image: settings.image })
    if (wanted.volumeImage !== null) {
      const volume = await volumeOfImage(this.ctx, this.session, wanted.volumeImage, request, steps)
      wanted.server['block_device_mapping_v2'] = [
        bootDevice(volume, settings),
        ...((wanted.server['block_device_mapping_v2'] ?? []) as []),
      ]
    }
    const id = await this.request(wanted, steps)
    const active = await this.awaitActive(name, id, settings)
    await attachVolumes(this.ctx, this.session, id, request, steps)
    const hasPublic = active.public_ips.length > 0
    const give = (): Promise<void> =>
      giveAddresses(this.ctx, this.session, { name, server: id, settings, token, hasPublic })
    const turn = this.giving.then(give, give)
    this.giving = turn.catch(() => undefined)
    await turn
    return this.awaitAddress(name, id, settings)
  }

  private async request({ server, hints }: WantedServer, steps: CloudSteps): Promise<string> {
    const nova = await this.session.service('compute')
    const made = await nova.ask('POST', '/servers', {
      server,
      ...(Object.keys(hints).length > 0 && { 'os:scheduler_hints': hints }),
    })
    const id = idOf(at(made, 'server'))
    await noteMade(steps, 'server', id)
    return id
  }

  /** Return a server by its id; undefined when it is gone. */
  async server(id: Value): Promise<Dict | undefined> {
    const nova = await this.session.service('compute')
    const found = (await nova.find('GET', `/servers/${encodeURIComponent(str(id))}`))?.get('server')
    return found !== undefined && isDict(found) ? found : undefined
  }

  private awaitServer<T>(
    name: string,
    id: string,
    settings: MachineSettings,
    look: (server: Dict) => Promise<T | undefined>,
  ): Promise<T> {
    const { wait_for_ip_timeout: timeout, wait_for_ip_interval: interval } = settings
    return awaitReady({ what: `an address of ${name}`, timeout, interval, signal: this.ctx.signal }, async () => {
      const server = await this.server(id)
      if (server === undefined) throw exit(`${name} is gone while it starts`)
      if (server.get('status') === 'ERROR') throw faultOf(name, server)
      return server.get('status') === 'ACTIVE' ? look(server) : undefined
    })
  }

  private awaitActive(name: string, id: string, settings: MachineSettings): Promise<CloudNode> {
    return this.awaitServer(name, id, settings, (server) => nodeOf(server, new Names(this.session)))
  }

  private awaitAddress(name: string, id: string, settings: MachineSettings): Promise<CloudNode> {
    const { ssh_interface, wait_for_metadata } = settings
    return this.awaitServer(name, id, settings, async (server) => {
      for (const [key, value] of wait_for_metadata) {
        if (str(at(server, 'metadata', str(key))) !== str(value)) return undefined
      }
      const node = usableFirst(await nodeOf(server, new Names(this.session)), settings)
      const named = addressesNamed(node, ssh_interface)
      const usable = usableAddresses(named, settings)
      if (usable.length === 0) return undefined
      if (/^(floating|fixed)_ips$/.test(ssh_interface)) {
        node.details?.set(ssh_interface, [...usable, ...named.filter((one) => !usable.includes(one))])
      }
      return node
    })
  }

  async destroy(node: CloudNode): Promise<boolean> {
    const id = str(node.id)
    const ports = await this.portsOf(id)
    await this.remove(id)
    await releaseAddresses(
      this.session,
      // one with another target was assigned to another machine meanwhile
      (floating) => {
        const port = floating.get('port_id')
        return port ? ports.includes(str(port)) : isFor(floating, node)
      },
    )
    return true
  }

  /** Return the ports of a server: floating addresses of these ports are its own. */
  private async portsOf(id: string): Promise<string[]> {
    const neutron = await this.session.service('network')
    return (await listed(neutron, `/ports?device_id=${encodeURIComponent(id)}`, 'ports')).map(idOf)
  }

  /** Delete a server, and wait until it is gone. */
  private async remove(id: string): Promise<void> {
    const nova = await this.session.service('compute')
    await nova.find('DELETE', `/servers/${encodeURIComponent(id)}`)
    const { signal } = this.ctx
    await awaitReady({ what: `the end of the server ${id}`, timeout: END_TIMEOUT, signal }, async () => {
      const server = await this.server(id)
      return server === undefined || server.get('status') === 'DELETED' ? true : undefined
    })
  }

  async undo({ name, token, noted }: UnfinishedMachine): Promise<void> {
    const exact = `?name=${encodeURIComponent(`^${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`)}`
    for (const server of await this.servers(exact)) {
      if (at(server, 'metadata', CREATION_KEY) === token) await this.remove(idOf(server))
    }
    await releaseAddresses(this.session, (floating) => floating.get('description') === markOf(token))
    if (noted.has('has_volume')) await removeVolumes(this.ctx, this.session, token)
  }

  async locations(): Promise<Dict> {
    const answer = await (await this.session.service('compute')).ask('GET', '/os-availability-zone')
    const zones = at(answer, 'availabilityZoneInfo')
    return byField(Array.isArray(zones) ? zones.filter(isDict) : [], 'zoneName')
  }

  async images(): Promise<Dict> {
    return byField(await listed(await this.session.service('image'), '/images', 'images', 'next'), 'name', 'id')
  }

  async sizes(): Promise<Dict> {
    return byField(await flavors(this.session), 'name')
  }

  async subnets(network: string): Promise<Dict[]> {
    const id = await networkId(this.session, network)
    return listed(await this.session.service('network'), `/subnets?network_id=${encodeURIComponent(id)}`, 'subnets')
  }

  async keyPairs(): Promise<Dict> {
    const answer = await (await this.session.service('compute')).ask('GET', '/os-keypairs')
    const pairs = at(answer, 'keypairs')
    return byField((Array.isArray(pairs) ? pairs : []).map((one) => at(one, 'keypair')).filter(isDict), 'name')
  }

  async act(node: CloudNode, body: Record<string, Record<string, string> | null>): Promise<boolean> {
    await (await this.session.service('compute')).ask(
      'POST',
      `/servers/${encodeURIComponent(str(node.id))}/action`,
      body,
    )
    return true
  }
}

/** Whether a floating address belongs to a machine. */
const isFor = (floating: Dict, { details }: CloudNode): boolean => {
  const known = details?.get('floating_ips')
  return Array.isArray(known) && known.includes(floating.get('floating_ip_address') ?? null)
}
