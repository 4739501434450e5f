// Network interfaces of a machine that is to be made, with their public addresses.
import { type Dict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import type { AwsAnswer } from '../../common/answer.ts'
import type { AwsCaller } from '../../common/caller.ts'
import type { Parameters } from '../../common/form.ts'
import { configError, groupByName, parameterOf, subnetByName } from './launch.ts'

/** Return tags for the resources of a request, so that they are found after a failure. */
export type TagsFor = (kind: string, more?: Dict) => Parameters

const has = (dict: Dict, key: string): boolean => truthy(dict.get(key) ?? null)

/**
 * Return the parameters of an interface. It is created now, unless it has an automatic public address: then EC2 creates
 * it with the machine.
 */
export async function interfaceOf(ec2: AwsCaller, wanted: Dict, tagsFor: TagsFor): Promise<Parameters> {
  const index = wanted.get('DeviceIndex') ?? null
  if (index === null) throw configError("Each entry of 'network_interfaces' needs a DeviceIndex")
  const DeviceIndex = str(index)
  if (has(wanted, 'NetworkInterfaceId'))
    return { DeviceIndex, NetworkInterfaceId: str(wanted.get('NetworkInterfaceId')!) }
  const details = await detailsOf(ec2, wanted)
  if (typeof wanted.get('AssociatePublicIpAddress') === 'boolean') {
    const AssociatePublicIpAddress = wanted.get('AssociatePublicIpAddress') as boolean
    return { DeviceIndex, ...details, AssociatePublicIpAddress, DeleteOnTermination: endsWithMachine(wanted) }
  }
  const made = (
    await ec2.query('CreateNetworkInterface', { ...details, ...tagsFor('network-interface', nameTag(wanted)) })
  ).at('networkInterface')
  const id = made?.text('networkInterfaceId')
  if (!made || !id) throw configError('EC2 made no network interface')
  await addAddresses(ec2, wanted, made, tagsFor)
  return { DeviceIndex, NetworkInterfaceId: id }
}

const nameTag = (wanted: Dict): Dict => new Map(wanted.has('Name') ? [['Name', wanted.get('Name')!]] : [])

/** Return whether an interface is deleted with its machine. */
const endsWithMachine = (wanted: Dict): boolean =>
  truthy(wanted.get('DeleteOnTermination') ?? wanted.get('delete_interface_on_terminate') ?? true)

async function detailsOf(ec2: AwsCaller, wanted: Dict): Promise<Parameters> {
  const groups = wanted.get('SecurityGroupId') ?? null
  const names = wanted.get('securitygroupname') ?? null
  const listed = (value: Value): string[] => (value === null ? [] : isList(value) ? value.map(str) : [str(value)])
  const ids = groups === null ? await Promise.all(listed(names).map((name) => groupByName(ec2, name))) : listed(groups)
  const subnet = has(wanted, 'SubnetId')
    ? str(wanted.get('SubnetId')!)
    : has(wanted, 'subnetname')
      ? await subnetByName(ec2, str(wanted.get('subnetname')!))
      : null
  if (subnet === null)
    throw configError(`The network interface ${str(wanted.get('DeviceIndex')!)} needs SubnetId or subnetname`)
  const plain = ['Description', 'PrivateIpAddress', 'SecondaryPrivateIpAddressCount', 'PrivateIpAddresses']
  const rest = plain.filter((key) => wanted.has(key)).map((key) => [key, parameterOf(wanted.get(key)!)])
  return { SubnetId: subnet, SecurityGroupId: ids, ...Object.fromEntries(rest) }
}

/** Give an interface its requested public addresses: an existing one, a new one, or one for each private address. */
async function addAddresses(ec2: AwsCaller, wanted: Dict, made: AwsAnswer, tagsFor: TagsFor): Promise<void> {
  const id = made.text('networkInterfaceId')
  const associate = (AllocationId: string, PrivateIpAddress: string | null = null) =>
    ec2.query('AssociateAddress', { NetworkInterfaceId: id, AllocationId, PrivateIpAddress })
  const allocate = async (): Promise<string> => {
    const answer = await ec2.query('AllocateAddress', { Domain: 'vpc', ...tagsFor('elastic-ip') })
    return answer.text('allocationId') ?? ''
  }
  const existing = wanted.get('associate_eip') ?? wanted.get('AssociatePublicIpAddress') ?? null
  if (typeof existing === 'string' && existing !== '') await associate(existing)
  else if (has(wanted, 'allocate_new_eip')) await associate(await allocate())
  else if (has(wanted, 'allocate_new_eips')) {
    for (const row of made.rows('privateIpAddressesSet'))
      await associate(await allocate(), row.text('privateIpAddress'))
  }
}

/** Apply the settings of an interface that need a running machine. */
export async function settleInterfaces(ec2: AwsCaller, wanted: readonly Dict[], instance: AwsAnswer): Promise<void> {
  for (const one of instance.rows('networkInterfaceSet')) {
    const own = wanted.find((entry) => str(entry.get('DeviceIndex') ?? '') === one.text('attachment.deviceIndex'))
    if (own === undefined) continue
    const NetworkInterfaceId = one.text('networkInterfaceId')
    const Attachment = { AttachmentId: one.text('attachment.attachmentId'), DeleteOnTermination: endsWithMachine(own) }
    await ec2.query('ModifyNetworkInterfaceAttribute', { NetworkInterfaceId, Attachment })
    if (own.has('SourceDestCheck')) {
      const Value = truthy(own.get('SourceDestCheck')!)
      await ec2.query('ModifyNetworkInterfaceAttribute', { NetworkInterfaceId, SourceDestCheck: { Value } })
    }
  }
}
