// One account of EC2 in one region, as a provider of salt-cloud. All resources of a creation have a tag with its token,
// by which they are found after a failure.
import { type Dict, dictFrom, SaltError, str, type Value } from '../../../../data/mod.ts'
import {
  awaitReady,
  type CloudAccount,
  type CloudContext,
  type CloudNode,
  type CloudSteps,
  type MachineRequest,
  type UnfinishedMachine,
} from '../../../../sdk/mod.ts'
import type { AwsAnswer } from '../../common/answer.ts'
import { AwsCaller } from '../../common/caller.ts'
import { EC2_PAGES, filtersOf, tagsOf } from '../../common/ec2.ts'
import { unlessFault } from '../../common/errors.ts'
import type { Parameters } from '../../common/form.ts'
import { interfaceOf, settleInterfaces } from './interfaces.ts'
import { dictsOf, type Launch, launchOf } from './launch.ts'
import { type machine, type ProviderSettings, regionOf } from './settings.ts'
import { addVolumes, awaitVolume, tagDevices, volumeState } from './volumes.ts'

/** Requests of many machines at once are throttled: EC2 lets few through each second. */
const ATTEMPTS = 14

export const CREATION_TAG = 'salt-cloud:creation'

const GONE = new Set(['shutting-down', 'terminated'])

type Request = MachineRequest<typeof machine>

export class Ec2Account implements CloudAccount<typeof machine> {
  readonly ctx: CloudContext
  readonly settings: ProviderSettings

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    this.ctx = ctx
    this.settings = settings
  }

  /** Return a caller of a region; that of the provider unless one is given. */
  ec2(location: string | null = null): AwsCaller {
    const { id, key, role_arn, service_url, endpoint, verify_ssl, ca_bundle } = this.settings
    const region = location ?? regionOf(this.settings)
    const own = endpoint ?? (service_url === 'amazonaws.com' ? null : `ec2.${region}.${service_url}`)
    const profile = new Map<Value, Value>([
      ['region', region],
      ['keyid', id],
      ['key', key],
      ['role_arn', role_arn],
      ['endpoint_url', own === null || own.includes('://') ? own : `https://${own}`],
      ['verify_ssl', verify_ssl],
      ['ca_bundle', ca_bundle],
    ])
    const caller = AwsCaller.of(this.ctx, 'ec2', { profile })
    caller.attempts = ATTEMPTS
    return caller
  }

  async instances(parameters: Parameters = {}, location: string | null = null): Promise<AwsAnswer[]> {
    const rows = await this.ec2(location).rows('DescribeInstances', parameters, 'reservationSet', EC2_PAGES)
    return rows.flatMap((reservation) => reservation.rows('instancesSet'))
  }

  async nodes(): Promise<CloudNode[]> {
    const nodes = (await this.instances()).map(nodeOf)
    const living = new Set(nodes.filter(({ state }) => !GONE.has(state)).map(({ name }) => name))
    return nodes.filter(({ name, state }) => !GONE.has(state) || !living.has(name))
  }

  /** Return a machine by its id. */
  async instance(id: string, location: string | null = null): Promise<AwsAnswer> {
    const [found] = await this.instances({ InstanceId: [id] }, location)
    if (found === undefined) throw new SaltError('SaltCloudNotFound', `EC2 has no instance ${id}`)
    return found
  }

  async create(request: Request, steps: CloudSteps): Promise<CloudNode> {
    const { name, settings, token } = request
    const ec2 = this.ec2(regionOf(settings, regionOf(this.settings)))
    await steps.note(new Map([['location', ec2.region]]))
    const launch = await launchOf(ec2, this.ctx.host, name, settings)
    const wanted = dictsOf(settings.network_interfaces, 'network_interfaces')
    const tagsFor = (kind: string, more: Dict = new Map()): Parameters => tagSpecification(kind, token, more)
    const NetworkInterface: Parameters[] = []
    for (const one of wanted) NetworkInterface.push(await interfaceOf(ec2, one, tagsFor))
    const specification = { ...launch.specification, NetworkInterface }
    await steps.report(
      'requesting',
      new Map([
        ['kwargs', shown(specification)],
        ['location', ec2.region],
      ] as [Value, Value][]),
    )
    const id = await this.launch(ec2, { ...launch, specification }, request, steps)
    await steps.note(new Map([['instance_id', id]]))
    await this.tag(ec2, id, request, steps)
    const instance = await this.awaitAddress(ec2, id, request, steps)
    await settleInterfaces(ec2, wanted, instance)
    await tagDevices(ec2, dictsOf(settings.block_device_mappings, 'block_device_mappings'), instance)
    await this.addVolumes(ec2, instance, request, steps)
    return nodeOf(await this.instance(id, ec2.region))
  }

  private async launch(ec2: AwsCaller, launch: Launch, request: Request, steps: CloudSteps): Promise<string> {
    const { name, token, settings } = request
    const { specification, isSpot } = launch
    if (isSpot) return this.bid(ec2, specification, request, steps)
    const tags = new Map<Value, Value>([...settings.tag, ['Name', name]])
    const answer = await ec2.query('RunInstances', {
      ...specification,
      MinCount: 1,
      MaxCount: 1,
      ClientToken: token,
      DisableApiTermination: settings.termination_protection || null,
      ...tagSpecification('instance', token, tags),
    })
    return answer.rows('instancesSet')[0]?.text('instanceId') ?? ''
  }

  /** Bid for a machine, and wait until the bid is accepted. */
  private async bid(ec2: AwsCaller, specification: Parameters, request: Request, steps: CloudSteps): Promise<string> {
    const { name, token, settings } = request
    const spot = settings.spot_config!
    const { SecurityGroup, SecurityGroupId, ...rest } = specification
    const answer = await ec2.query('RequestSpotInstances', {
      InstanceCount: 1,
      Type: str(spot.get('type') ?? 'one-time'),
      SpotPrice: str(spot.get('spot_price')!),
      ClientToken: token,
      LaunchSpecification: { ...rest, SecurityGroup, SecurityGroupId },
      ...tagSpecification('spot-instances-request', token, new Map()),
    })
    const id = answer.rows('spotInstanceRequestSet')[0]?.text('spotInstanceRequestId') ?? ''
    await steps.note(new Map([['spot_request_id', id]]))
    await steps.report('waiting_for_spot')
    const patience = {
      what: `the bid ${id} for ${name}`,
      timeout: settings.wait_for_spot_timeout,
      interval: settings.wait_for_spot_interval,
      signal: this.ctx.signal,
    }
    return awaitReady(patience, async () => {
      const found = await ec2.query('DescribeSpotInstanceRequests', { SpotInstanceRequestId: [id] })
      const row = found.rows('spotInstanceRequestSet')[0]
      const state = row?.text('state')
      if (state === 'cancelled' || state === 'failed' || state === 'closed') {
        const message = `The bid ${id} for ${name} is ${state}: ${row!.text('status.message') ?? row!.text('fault.message') ?? ''}`
        throw new SaltError('SaltCloudSystemExit', message)
      }
      return state === 'active' ? (row!.text('instanceId') ?? undefined) : undefined
    })
  }

  private async tag(ec2: AwsCaller, id: string, request: Request, steps: CloudSteps): Promise<void> {
    const { name, settings, token } = request
    await steps.report(
      'tagging',
      new Map<Value, Value>([['tags', new Map<Value, Value>([...settings.tag, ['Name', name]])]]),
    )
    if (settings.spot_config === null) return
    const tags = new Map<Value, Value>([...settings.tag, ['Name', name], [CREATION_TAG, token]])
    await ec2.query('CreateTags', { ResourceId: [id], Tag: tagsOf(tags) })
    if (settings.termination_protection) await protect(ec2, id, true)
  }

  private async awaitAddress(ec2: AwsCaller, id: string, request: Request, steps: CloudSteps): Promise<AwsAnswer> {
    const { name, settings } = request
    const { wait_for_ip_timeout: timeout, wait_for_ip_interval: interval, ssh_interface } = settings
    await steps.report('querying', new Map([['instance_id', id]]))
    const field = ssh_interface === 'private_ips' ? 'privateIpAddress' : 'ipAddress'
    return awaitReady({ what: `an address of ${name}`, timeout, interval, signal: this.ctx.signal }, async () => {
      const [instance] = await unlessFault(
        this.instances({ InstanceId: [id] }, ec2.region),
        () => [],
        'InvalidInstanceID.NotFound',
      )
      const state = instance?.text('instanceState.name')
      if (instance && GONE.has(state ?? '')) {
        throw new SaltError(
          'SaltCloudSystemExit',
          `${name} ended while it started: ${instance.text('stateReason.message') ?? state}`,
        )
      }
      return instance?.text(field) && state === 'running' ? instance : undefined
    })
  }

  private async addVolumes(ec2: AwsCaller, instance: AwsAnswer, request: Request, steps: CloudSteps): Promise<void> {
    const { name, settings, token } = request
    const volumes = dictsOf(settings.volumes, 'volumes')
    if (volumes.length === 0) return
    await steps.report('attaching_volumes', new Map([['volumes', volumes]]))
    await addVolumes(ec2, {
      name,
      instance: instance.text('instanceId') ?? '',
      zone: instance.text('placement.availabilityZone') ?? '',
      volumes,
      endsWithMachine: settings.del_all_vols_on_destroy,
      tags: (more) => tagSpecification('volume', token, more),
      signal: this.ctx.signal,
    })
  }

  async destroy(node: CloudNode, _steps: CloudSteps): Promise<Dict> {
    const { name } = node
    const id = str(node.id)
    const ec2 = this.ec2()
    if (await isProtected(ec2, id)) {
      throw new SaltError(
        'SaltCloudSystemExit',
        `This instance has been protected from being destroyed. Use the following command to disable protection:\n\nsalt-cloud -a disable_term_protect ${name}`,
      )
    }
    const instance = await this.instance(id)
    const answer: Dict = new Map()
    if (this.settings.rename_on_destroy) {
      const newname = `${name}-DEL${crypto.randomUUID().replaceAll('-', '')}`
      await ec2.query('CreateTags', { ResourceId: [id], Tag: [{ Key: 'Name', Value: newname }] })
      answer.set('newname', newname)
    }
    const ended = await ec2.query('TerminateInstances', { InstanceId: [id] })
    for (const [key, value] of (ended.rows('instancesSet')[0]?.shaped() ?? new Map()) as Dict) answer.set(key, value)
    const spot = instance.text('spotInstanceRequestId')
    if (spot !== null) {
      const cancelled = await ec2.query('CancelSpotInstanceRequests', { SpotInstanceRequestId: [spot] })
      answer.set('spotInstance', cancelled.rows('spotInstanceRequestSet')[0]?.shaped() ?? null)
    }
    const token = instance.pairs('tagSet').get(CREATION_TAG)
    if (token !== undefined) await this.release(ec2, str(token))
    return answer
  }

  /** Remove everything with the token of a creation. */
  async undo({ token, noted }: UnfinishedMachine, _steps: CloudSteps): Promise<void> {
    const ec2 = this.ec2(noted.has('location') ? str(noted.get('location')!) : null)
    const ours = filtersOf([[`tag:${CREATION_TAG}`, token]])
    const ids = new Set<string>()
    // the tag finds a bid that was made and could not be noted any more
    const bids = (await ec2.query('DescribeSpotInstanceRequests', ours)).rows('spotInstanceRequestSet')
    const spots = new Set(bids.map((row) => row.text('spotInstanceRequestId') ?? ''))
    if (noted.has('spot_request_id')) spots.add(str(noted.get('spot_request_id')!))
    for (const spot of spots) {
      const bid = await ec2.query('CancelSpotInstanceRequests', { SpotInstanceRequestId: [spot] })
      const found = await ec2.query('DescribeSpotInstanceRequests', { SpotInstanceRequestId: [spot] })
      for (const row of [...bid.rows('spotInstanceRequestSet'), ...found.rows('spotInstanceRequestSet')]) {
        const id = row.text('instanceId')
        if (id !== null) ids.add(id)
      }
    }
    for (const instance of await this.instances(ours, ec2.region)) {
      if (!GONE.has(instance.text('instanceState.name') ?? '')) ids.add(instance.text('instanceId') ?? '')
    }
    for (const id of ids) await this.end(ec2, id)
    await this.release(ec2, token)
    for (const volume of await ec2.rows('DescribeVolumes', ours, 'volumeSet', EC2_PAGES)) {
      await this.removeVolume(ec2, volume.text('volumeId') ?? '')
    }
  }

  /** Terminate a machine, protected or not, and wait until it lets go of its interfaces and volumes. */
  private async end(ec2: AwsCaller, id: string): Promise<void> {
    if (await isProtected(ec2, id)) await protect(ec2, id, false)
    await ec2.query('TerminateInstances', { InstanceId: [id] })
    const patience = { what: `${id} to end`, timeout: 600, interval: 2, signal: this.ctx.signal }
    await awaitReady(patience, async () => {
      const [found] = await unlessFault(
        this.instances({ InstanceId: [id] }, ec2.region),
        () => [],
        'InvalidInstanceID.NotFound',
      )
      return found === undefined || found.text('instanceState.name') === 'terminated' ? true : undefined
    })
  }

  private async removeVolume(ec2: AwsCaller, id: string): Promise<void> {
    const state = await unlessFault(volumeState(ec2, id), () => null, 'InvalidVolume.NotFound')
    if (state === null) return
    if (state === 'in-use') {
      await ec2.query('DetachVolume', { VolumeId: id })
      await awaitVolume(ec2, id, 'available', this.ctx.signal)
    }
    await unlessFault(ec2.query('DeleteVolume', { VolumeId: id }), () => null, 'InvalidVolume.NotFound')
  }

  /** Release the public addresses and free interfaces that were made for a machine. */
  private async release(ec2: AwsCaller, token: string): Promise<void> {
    const ours = filtersOf([[`tag:${CREATION_TAG}`, token]])
    const addresses = await ec2.query('DescribeAddresses', ours)
    for (const address of addresses.rows('addressesSet')) {
      const association = address.text('associationId')
      if (association !== null) {
        await unlessFault(
          ec2.query('DisassociateAddress', { AssociationId: association }),
          () => null,
          'InvalidAssociationID.NotFound',
        )
      }
      await ec2.query('ReleaseAddress', { AllocationId: address.text('allocationId') })
    }
    for (const one of await ec2.rows('DescribeNetworkInterfaces', ours, 'networkInterfaceSet', EC2_PAGES)) {
      if (one.text('status') !== 'available') continue
      const gone = ec2.query('DeleteNetworkInterface', { NetworkInterfaceId: one.text('networkInterfaceId') })
      await unlessFault(gone, () => null, 'InvalidNetworkInterfaceID.NotFound')
    }
  }

  async locations(): Promise<Dict> {
    const answer = await this.ec2().query('DescribeRegions')
    const rows = answer
      .rows('regionInfo')
      .map((row): [Value, Value] => [
        row.text('regionName'),
        dictFrom({ name: row.text('regionName'), endpoint: row.text('regionEndpoint') }),
      ])
    return new Map(rows)
  }

  async images(): Promise<Dict> {
    const Owner = [this.settings.owner].flat().map((one) => str(one as Value))
    const rows = await this.ec2().rows('DescribeImages', { Owner }, 'imagesSet', EC2_PAGES)
    return new Map(rows.map((row): [Value, Value] => [row.text('imageId'), row.shaped()]))
  }

  async sizes(): Promise<Dict> {
    const rows = await this.ec2().rows('DescribeInstanceTypes', {}, 'instanceTypeSet', EC2_PAGES)
    const facts = rows.map((row): [Value, Value] => [
      row.text('instanceType'),
      new Map<Value, Value>([
        ['id', row.text('instanceType')],
        ['cores', row.number('vCpuInfo.defaultVCpus')],
        ['ram', `${row.text('memoryInfo.sizeInMiB') ?? '?'} MiB`],
        ['disk', row.text('instanceStorageInfo.totalSizeInGB') ?? 'EBS'],
      ]),
    ])
    return new Map(facts.sort(([one], [other]) => (str(one) < str(other) ? -1 : 1)))
  }
}

export async function isProtected(ec2: AwsCaller, id: string): Promise<boolean> {
  const answer = await ec2.query('DescribeInstanceAttribute', { InstanceId: id, Attribute: 'disableApiTermination' })
  return answer.flag('disableApiTermination.value')
}

export async function protect(ec2: AwsCaller, id: string, isOn: boolean): Promise<void> {
  await ec2.query('ModifyInstanceAttribute', { InstanceId: id, DisableApiTermination: { Value: isOn } })
}

/** Return the tags of a new resource. */
function tagSpecification(kind: string, token: string, tags: Dict): Parameters {
  const all = new Map<Value, Value>([...tags, [CREATION_TAG, token]])
  return { TagSpecification: [{ ResourceType: kind, Tag: tagsOf(all) }] }
}

/** Return the parameters of a request for its event; the text that the machine reads stays out of it. */
function shown({ UserData: _secret, ...parameters }: Parameters): Dict {
  const flat: Dict = new Map()
  const add = (prefix: string, value: unknown): void => {
    if (value === null || value === undefined) return
    if (typeof value !== 'object') flat.set(prefix, value as Value)
    else
      for (const [key, item] of Object.entries(value))
        add(prefix === '' ? key : `${prefix}.${Array.isArray(value) ? Number(key) + 1 : key}`, item)
  }
  add('', parameters)
  return flat
}

/** Return a machine as queries show it, under the name of its tag. */
export function nodeOf(instance: AwsAnswer): CloudNode {
  const name = instance.pairs('tagSet').get('Name')
  const ips = (field: string): string[] => (instance.text(field) === null ? [] : [instance.text(field)!])
  return {
    name: name ? str(name) : (instance.text('instanceId') ?? ''),
    id: instance.text('instanceId'),
    image: instance.text('imageId'),
    size: instance.text('instanceType'),
    state: instance.text('instanceState.name') ?? 'unknown',
    private_ips: ips('privateIpAddress'),
    public_ips: ips('ipAddress'),
    details: instance.shaped() as Dict,
  }
}
