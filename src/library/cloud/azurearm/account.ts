// A subscription of Azure as a provider of salt-cloud. The machine, its interface and its public address have a tag
// with the token of their creation. Disks, which get no tag with their machine, are recorded by name before they are
// created.
import { type Dict, dictFrom, isDict, isList, type Plain, str, type Value } from '../../../data/mod.ts'
import type {
  CloudAccount,
  CloudContext,
  CloudNode,
  CloudSteps,
  MachineRequest,
  UnfinishedMachine,
} from '../../../sdk/mod.ts'
import { awaitAddress, reportRequest } from '../common/machine.ts'
import { at, byField, exit, rowsOf } from '../common/rest.ts'
import { allImages } from './images.ts'
import { CREATION_TAG, DISKS, dataDisks, imageReference, osProfile, scriptSettings, tagsOf } from './launch.ts'
import {
  ADDRESSES,
  addressIdsOf,
  checkSubnet,
  configurationsOf,
  ensureAddress,
  INTERFACES,
  interfaceBody,
  networkNames,
} from './network.ts'
import { configError, type machine, type ProviderSettings, volumesSetting } from './settings.ts'
import { groupOf, lastPart, part, Subscription } from './subscription.ts'

type Request = MachineRequest<typeof machine>

const MACHINES = 'Microsoft.Compute/virtualMachines'
const SUFFIX = 8

export class AzureAccount implements CloudAccount<typeof machine> {
  readonly subscription: Subscription
  private readonly ctx: CloudContext

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    this.ctx = ctx
    this.subscription = new Subscription(ctx, settings)
  }

  async nodes(): Promise<CloudNode[]> {
    const { root } = this.subscription
    const machines = await this.subscription.list(`${root}/providers/${MACHINES}`)
    if (machines.length === 0) return []
    const interfaces = await this.subscription.list(`${root}/providers/${INTERFACES}`)
    const addresses = await this.subscription.list(`${root}/providers/${ADDRESSES}`)
    return machines.map((row) => nodeOf(row, byId(interfaces), byId(addresses)))
  }

  /** Return a machine by its id, with its addresses; None if it does not exist. */
  private async look(id: string): Promise<CloudNode | null> {
    const row = await this.subscription.find(id)
    if (!row) return null
    const found = async (ids: string[]): Promise<Dict[]> =>
      (await Promise.all(ids.map((one) => this.subscription.find(one)))).filter((one) => one !== undefined)
    const interfaces = await found(interfaceIdsOf(row))
    return nodeOf(row, byId(interfaces), byId(await found(interfaces.flatMap(addressIdsOf))))
  }

  async create(request: Request, steps: CloudSteps): Promise<CloudNode> {
    const { name, settings, token } = request
    const { subscription } = this
    const { resource_group: group } = settings
    const id = subscription.id(group, MACHINES, name)
    const network = { name, settings, tags: tagsOf(settings.tags, token) }
    const names = networkNames(subscription, network)
    const body = await this.machineBody(request, names.interface)
    const card = interfaceBody(subscription, names, network)
    const script = await scriptSettings(this.ctx, settings)
    await checkSubnet(subscription, names.subnet, settings)
    const existing = await this.checkFree(id, names.interface, body.disks)
    await steps.note(
      dictFrom({ resource_group: group, interface: names.interface, address: names.address, disks: body.disks }),
    )
    await reportRequest(steps, name, settings)
    if (!existing) {
      if (names.address !== null) await ensureAddress(subscription, names.address, network)
      await subscription.put(names.interface, card, `The creation of the interface of ${name}`)
    } else this.ctx.log('info', `${name} gets the interface ${lastPart(names.interface)}, which is there already`)
    await subscription.put(id, body.machine, `The creation of ${name}`)
    if (script !== null) await this.runScript(id, name, settings.location, script)
    await steps.report('querying', new Map([['name', name]]))
    const wanted = settings.bootstrap_interface ?? settings.ssh_interface
    const hasPublic = settings.allocate_public_ip || (existing !== undefined && addressIdsOf(existing).length > 0)
    const ssh_interface = hasPublic ? wanted : 'private_ips'
    return awaitAddress(
      this.ctx,
      name,
      { ...settings, ssh_interface },
      () => this.look(id),
      ({ state }) => {
        return /^succeeded$/i.test(state)
      },
    )
  }

  /** Return the body of the request, and the ids of the disks that it makes. */
  private async machineBody(
    { name, settings, token }: Request,
    card: string,
  ): Promise<{ machine: { [key: string]: Plain }; disks: string[] }> {
    const { resource_group: group, availability_set, os_disk_size_gb, location } = settings
    const { subscription } = this
    // a unique name: the disk of a destroyed machine may still exist
    const osDisk = `${name}-vol0-${token.slice(0, SUFFIX)}`
    const disks = dataDisks(subscription, name, group, await volumesSetting(settings.volumes))
    const properties = {
      hardwareProfile: { vmSize: settings.size },
      storageProfile: {
        imageReference: imageReference(settings.image),
        osDisk: {
          ...{ name: osDisk, createOption: 'FromImage' },
          ...(os_disk_size_gb !== null && { diskSizeGB: os_disk_size_gb }),
        },
        ...(disks.length > 0 && { dataDisks: disks.map(({ body }) => body) }),
      },
      osProfile: await osProfile(this.ctx, name, settings),
      networkProfile: { networkInterfaces: [{ id: card, properties: { primary: true } }] },
      ...(availability_set !== null && {
        availabilitySet: { id: subscription.id(group, 'Microsoft.Compute/availabilitySets', availability_set) },
      }),
    }
    const fresh = [osDisk, ...disks.filter(({ isOld }) => !isOld).map((disk) => disk.name)]
    return {
      machine: { location, tags: tagsOf(settings.tags, token), properties },
      disks: fresh.map((disk) => subscription.id(group, DISKS, disk)),
    }
  }

  /**
   * Throw if a machine or a disk with these names exists: a request would change it. Return the interface, if it exists
   * and is free.
   */
  private async checkFree(id: string, card: string, disks: readonly string[]): Promise<Dict | undefined> {
    if (await this.subscription.find(id)) throw exit(`The machine ${lastPart(id)} exists already`)
    for (const disk of disks) {
      if (await this.subscription.find(disk)) {
        throw configError(
          `The disk ${lastPart(disk)} exists already: write 'attach: True' for it in 'volumes', or delete it`,
        )
      }
    }
    const found = await this.subscription.find(card)
    if (found && at(found, 'properties', 'virtualMachine') !== null) {
      throw exit(`The interface ${lastPart(card)} belongs to another machine`)
    }
    return found
  }

  /** Run a command on a machine. The command is sent as a protected setting, which cannot be read back. */
  private async runScript(id: string, name: string, location: string, script: Plain): Promise<void> {
    await this.subscription.put(
      `${id}/extensions/${part(`${name}_custom_userdata_script`, 'extension')}`,
      {
        location,
        properties: {
          ...{ publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript', typeHandlerVersion: '2.0' },
          ...{ autoUpgradeMinorVersion: true, protectedSettings: script },
        },
      },
      `The userdata of ${name}`,
    )
  }

  async destroy(node: CloudNode): Promise<Dict> {
    const { name } = node
    const row = node.details ?? new Map()
    const { settings } = this.subscription
    const answer: Dict = new Map()
    await this.subscription.remove(idOf(node), `The deletion of ${name}`)
    const storage = at(row, 'properties', 'storageProfile')
    const disk = at(storage, 'osDisk', 'managedDisk', 'id')
    if (settings.cleanup_disks && settings.cleanup_vhds && disk !== null) {
      answer.set('delete_disk', await this.removeDisk(str(disk)))
      answer.set('data', true)
    }
    if (settings.cleanup_disks && settings.cleanup_data_disks) {
      const disks = isDict(storage) ? rowsOf(storage, 'dataDisks') : []
      const ids = disks.map((one) => at(one, 'managedDisk', 'id')).filter((id) => id !== null)
      const removed: Dict = new Map()
      for (const id of ids) removed.set(lastPart(id), await this.removeDisk(str(id)))
      answer.set('data_disks', removed)
    }
    if (settings.cleanup_interfaces) {
      const data: Value[] = []
      for (const id of interfaceIdsOf(row)) data.push(new Map([[lastPart(id), await this.removeInterface(id)]]))
      answer.set(
        'cleanup_network',
        dictFrom({ cleanup_interfaces: true, resource_group: row.get('resource_group') ?? null, data }),
      )
    }
    return answer
  }

  /** Delete a disk, and return the result for users. A disk that a machine uses is an error at once. */
  async removeDisk(id: string): Promise<Dict> {
    const found = await this.subscription.find(id)
    const owner = found && at(found, 'managedBy')
    if (owner) throw exit(`The disk ${lastPart(id)} is attached to ${lastPart(owner)}`)
    await this.subscription.remove(id, `The deletion of the disk ${lastPart(id)}`)
    return dictFrom({ container: 'disks', blob: lastPart(id) })
  }

  /** Delete an interface with its public addresses, and return their names. */
  async removeInterface(id: string): Promise<Value[]> {
    const found = await this.subscription.find(id)
    if (!found) return []
    const addresses = addressIdsOf(found)
    await this.subscription.remove(id, `The deletion of the interface ${lastPart(id)}`)
    for (const one of addresses) {
      await this.subscription.remove(one, `The deletion of the public address ${lastPart(one)}`)
    }
    return addresses.map(lastPart)
  }

  async undo({ name, token, noted }: UnfinishedMachine): Promise<void> {
    const group = noted.get('resource_group')
    if (group === undefined) return
    const { subscription } = this
    const isOurs = async (id: string): Promise<boolean> =>
      at((await subscription.find(id)) ?? null, 'tags', CREATION_TAG) === token
    const machine = subscription.id(str(group), MACHINES, name)
    if (await isOurs(machine)) await subscription.remove(machine, `The deletion of ${name}`)
    for (const key of ['interface', 'address']) {
      const id = noted.get(key) ?? null
      if (id !== null && (await isOurs(str(id)))) await subscription.remove(str(id), `The deletion of ${lastPart(id)}`)
    }
    const disks = noted.get('disks') ?? []
    for (const id of isList(disks) ? disks.map(str) : []) {
      const found = await subscription.find(id)
      // no disk of these names existed before this creation, so a disk that a machine uses belongs to another creation
      if (found && at(found, 'managedBy') === null) await this.removeDisk(id)
    }
  }

  async locations(): Promise<Dict> {
    return byField(await this.subscription.list(`${this.subscription.root}/locations`), 'name')
  }

  async sizes(): Promise<Dict> {
    const path = `${this.subscription.root}/providers/Microsoft.Compute/locations/${this.location()}/vmSizes`
    return byField(await this.subscription.list(path), 'name')
  }

  images(): Promise<Dict> {
    return allImages(this.subscription, this.location())
  }

  private location(): string {
    const { location } = this.subscription.settings
    if (location === null) throw configError(`The provider '${this.ctx.alias}' needs the setting 'location'`)
    return part(location, 'location')
  }

  /** Switch the power of a machine, and wait until that is done. */
  act(node: CloudNode, word: string): Promise<Dict> {
    return this.subscription.act(idOf(node), word, `The action ${word} of ${node.name}`)
  }

  /** Return a machine with Azure's data about its state. */
  async shown(node: CloudNode): Promise<Dict> {
    const view = await this.subscription.get(`${idOf(node)}/instanceView`)
    const { details, ...facts } = node
    return new Map<Value, Value>([...(details ?? []), ...Object.entries(facts), ['instanceView', view]])
  }
}

const idOf = (node: CloudNode): string => str(node.details?.get('id') ?? '')

const byId = (rows: readonly Dict[]): ReadonlyMap<string, Dict> =>
  new Map(rows.map((row) => [str(row.get('id') ?? '').toLowerCase(), row]))

function interfaceIdsOf(row: Dict): string[] {
  const profile = at(row, 'properties', 'networkProfile')
  const interfaces = isDict(profile) ? rowsOf(profile, 'networkInterfaces') : []
  return interfaces.map((one) => str(one.get('id') ?? ''))
}

function imageOf(row: Dict): Value {
  const reference = at(row, 'properties', 'storageProfile', 'imageReference')
  const parts = ['publisher', 'offer', 'sku', 'version'].map((key) => at(reference, key))
  return parts.includes(null) ? at(reference, 'id') : parts.map(str).join('|')
}

function nodeOf(row: Dict, interfaces: ReadonlyMap<string, Dict>, addresses: ReadonlyMap<string, Dict>): CloudNode {
  const own = interfaceIdsOf(row).map((id) => interfaces.get(id.toLowerCase()))
  const configurations = own.flatMap((one) => (one ? configurationsOf(one) : []))
  const publics = own.flatMap((one) => (one ? addressIdsOf(one) : [])).map((id) => addresses.get(id.toLowerCase()))
  const filled = (values: Value[]): string[] => values.filter((value) => value !== null).map(str)
  const id = str(row.get('id') ?? '')
  return {
    name: str(row.get('name') ?? ''),
    id: at(row, 'properties', 'vmId') ?? id,
    image: imageOf(row),
    size: at(row, 'properties', 'hardwareProfile', 'vmSize'),
    state: str(at(row, 'properties', 'provisioningState') ?? 'unknown'),
    private_ips: filled(configurations.map((one) => at(one, 'properties', 'privateIPAddress'))),
    public_ips: filled(publics.map((one) => (one ? at(one, 'properties', 'ipAddress') : null))),
    details: new Map<Value, Value>([...row, ['resource_group', groupOf(id)]]),
  }
}
