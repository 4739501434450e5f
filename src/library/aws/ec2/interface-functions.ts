// Network interfaces of EC2.
import { type Dict, failure, isDict, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { groupIds } from '../common/ask.ts'
import type { AwsCaller } from '../common/caller.ts'
import { EC2_PAGES, filtersOf, tagsOf } from '../common/ec2.ts'
import { errorDict, isAccepted, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { ec2Of, machineId } from './machines.ts'

const FACE = {
  name: arg.text('Name of the interface, in its tag `Name`', { optional: true }),
  network_interface_id: arg.text('Id of the interface', { optional: true }),
  ...LOGIN,
}
const ADDRESSES = {
  network_interface_name: arg.text('Name of the interface', { optional: true }),
  network_interface_id: FACE.network_interface_id,
  private_ip_addresses: arg.words('Private addresses', { default: [] }),
}
const RESULT = ret.dict('`result`, or `error`')

type Answer = Record<string, Value>

const NONE = 'No ENIs found.'
const refused = (message: string): Answer => ({ error: new Map([['message', message]]) })

/** Return the result of a function, or the error of AWS. */
const orItsError = (call: Promise<Answer>): Promise<Answer> =>
  unlessFault(call, (error): Answer => ({ error: errorDict(error) }))

async function faces(ec2: AwsCaller, name: string | null, id: string | null): Promise<AwsAnswer[]> {
  const parameters = id ? { NetworkInterfaceId: [id] } : filtersOf([['tag:Name', name]])
  const found = ec2.rows('DescribeNetworkInterfaces', parameters, 'networkInterfaceSet', EC2_PAGES)
  return unlessFault(found, () => [], 'InvalidNetworkInterfaceID.NotFound')
}

/** Return the id of the only interface of a name. */
export async function interfaceByName(ec2: AwsCaller, name: string): Promise<string> {
  const found = await faces(ec2, name, null)
  const id = found[0]?.text('networkInterfaceId')
  if (found.length !== 1 || !id) throw failure(`${found.length} network interfaces are named ${name}`)
  return id
}

/** Call with the only interface of a name or id, or return the error of Salt's functions. */
async function withFace(
  ctx: FunctionContext,
  given: AwsLogin & { name: string | null; network_interface_id: string | null },
  work: (ec2: AwsCaller, face: AwsAnswer) => Promise<Answer>,
): Promise<Answer> {
  const { name, network_interface_id: id } = given
  if (!name && !id) throw misuse('Either name or network_interface_id must be provided.')
  const ec2 = ec2Of(ctx, given)
  const looked = async (): Promise<Answer> => {
    const found = await faces(ec2, name, id)
    if (found.length === 0) return refused(NONE)
    return found.length > 1 ? refused('Name specified is tagged on multiple ENIs.') : work(ec2, found[0]!)
  }
  return orItsError(looked())
}

const present = (entries: [Value, Value][]): Dict => new Map(entries.filter(([, value]) => value !== null))

/** Return an interface in the shape of Salt's function. */
function shown(face: AwsAnswer, region: string): Dict {
  const fact = (path: string): string | null => face.text(path)
  return present([
    ['status', fact('status')],
    ['description', fact('description') ?? ''],
    ['availability_zone', fact('availabilityZone')],
    ['requester_managed', face.flag('requesterManaged')],
    ['mac_address', fact('macAddress')],
    ['private_ip_address', fact('privateIpAddress')],
    ['vpc_id', fact('vpcId')],
    ['id', fact('networkInterfaceId')],
    ['source_dest_check', face.flag('sourceDestCheck')],
    ['owner_id', fact('ownerId')],
    ['tags', face.pairs('tagSet')],
    ['subnet_id', fact('subnetId')],
    ['associationId', fact('association.associationId')],
    ['publicDnsName', fact('association.publicDnsName')],
    ['ipOwnerId', fact('association.ipOwnerId')],
    ['publicIp', fact('association.publicIp')],
    ['allocationId', fact('association.allocationId')],
    ['region', region],
    [
      'groups',
      face.rows('groupSet').map((row) =>
        present([
          ['name', row.text('groupName')],
          ['id', row.text('groupId')],
        ]),
      ),
    ],
    [
      'private_ip_addresses',
      face.rows('privateIpAddressesSet').map((row) =>
        present([
          ['private_ip_address', row.text('privateIpAddress')],
          ['primary', row.flag('primary')],
        ]),
      ),
    ],
    [
      'attachment',
      present([
        ['status', fact('attachment.status')],
        ['attach_time', fact('attachment.attachTime')],
        ['device_index', face.number('attachment.deviceIndex')],
        [
          'delete_on_termination',
          fact('attachment.attachmentId') === null ? null : face.flag('attachment.deleteOnTermination'),
        ],
        ['instance_id', fact('attachment.instanceId')],
        ['instance_owner_id', fact('attachment.instanceOwnerId')],
        ['id', fact('attachment.attachmentId')],
      ]),
    ],
  ])
}

interface Creation extends AwsLogin {
  name: string
  subnet_id: string | null
  subnet_name: string | null
  private_ip_address: string | null
  description: string | null
  groups: Value[]
}

async function createInterface(ctx: FunctionContext, given: Creation): Promise<Answer> {
  const { name, subnet_id, subnet_name, private_ip_address, description, groups } = given
  if (Boolean(subnet_id) === Boolean(subnet_name)) {
    throw misuse('One (but not both) of subnet_id or subnet_name must be provided.')
  }
  const login = loginOf(given)
  const ec2 = ec2Of(ctx, given)
  const resource = subnet_name
    ? ((await ctx.call('boto_vpc.get_resource_id', ['subnet'], { name: subnet_name, ...login })) as Value)
    : null
  const subnet = subnet_id ?? (isDict(resource) ? (resource.get('id') ?? null) : null)
  if (typeof subnet !== 'string') return refused(`Subnet ${subnet_name} does not exist.`)
  if ((await faces(ec2, name, null)).length > 0) return refused('An ENI with this Name tag already exists.')
  const network = (await ctx.call('boto_vpc.get_subnet_association', [[subnet]], login)) as Value
  const vpc = isDict(network) ? (network.get('vpc_id') ?? null) : null
  if (typeof vpc !== 'string') return refused(`subnet_id ${subnet} does not map to a valid vpc id.`)
  const ids = await groupIds(ctx, groups, { ...given, vpc_id: vpc })
  const answer = await ec2.query('CreateNetworkInterface', {
    SubnetId: subnet,
    PrivateIpAddress: private_ip_address,
    Description: description,
    SecurityGroupId: ids,
    TagSpecification: [{ ResourceType: 'network-interface', Tag: tagsOf(new Map([['Name', name]])) }],
  })
  const made = answer.at('networkInterface')
  if (made === undefined) throw failure('AWS made no network interface')
  return { result: shown(made, ec2.region) }
}

/** Attributes by Salt's names, with EC2's names. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  description: 'Description',
  groups: 'SecurityGroupId',
  source_dest_check: 'SourceDestCheck',
  delete_on_termination: 'Attachment',
}

interface Modification extends AwsLogin {
  name: string | null
  network_interface_id: string | null
  attr: string | null
  value: Value
}

function modify(ctx: FunctionContext, { attr, value, ...given }: Modification): Promise<Answer> {
  if (attr === null || !Object.hasOwn(ATTRIBUTES, attr)) {
    throw misuse(`attr must be one of: ${Object.keys(ATTRIBUTES).join(', ')}`)
  }
  return withFace(ctx, given, async (ec2, face) => {
    const field = ATTRIBUTES[attr]!
    const attachment = face.text('attachment.attachmentId')
    let change: Parameters
    if (attr === 'groups') {
      const ids = await groupIds(ctx, [value].flat(), { ...given, vpc_id: face.text('vpcId') ?? '' })
      if (ids.length === 0) return refused('Security groups do not map to valid security group ids')
      change = { [field]: ids }
    } else if (attr === 'delete_on_termination') {
      if (attachment === null) return refused('The ENI must be attached before delete_on_termination can be modified')
      change = { [field]: { AttachmentId: attachment, DeleteOnTermination: truthy(value) } }
    } else change = { [field]: { Value: attr === 'description' ? str(value) : truthy(value) } }
    const NetworkInterfaceId = face.text('networkInterfaceId')
    await ec2.query('ModifyNetworkInterfaceAttribute', { NetworkInterfaceId, ...change })
    return { result: true }
  })
}

/** Return the id for a name or an id; undefined, with a log line, if it does not exist. */
async function addressedFace(
  ctx: FunctionContext,
  ec2: AwsCaller,
  { network_interface_name: name, network_interface_id: id }: Record<string, string | null>,
): Promise<string | undefined> {
  if (Boolean(name) === Boolean(id)) {
    throw misuse("Exactly one of 'network_interface_name', 'network_interface_id' must be provided")
  }
  if (id) return id
  const [found] = await faces(ec2, name!, null)
  if (found === undefined) ctx.log('error', `There is no network interface named ${name}`)
  return found?.text('networkInterfaceId') ?? undefined
}

export const interfaceFunctions = {
  get_network_interface_id: reads({
    doc: 'Return the id of a network interface.',
    example: 'boto_ec2.get_network_interface_id name=web1-eth1',
    args: { name: arg.text('Name of the interface'), ...LOGIN },
    returns: RESULT,
    run: (ctx, given) =>
      withFace(ctx, { ...given, network_interface_id: null }, async (_, face) => ({
        result: face.text('networkInterfaceId'),
      })),
  }),
  get_network_interface: reads({
    doc: 'Return a network interface.',
    example: 'boto_ec2.get_network_interface name=web1-eth1',
    args: FACE,
    returns: ret.dict('`result`, None where there is none, or `error`'),
    run: async (ctx, given) => {
      const found = await withFace(ctx, given, async (ec2, face) => ({ result: shown(face, ec2.region) }))
      const error = found['error'] ?? null
      return isDict(error) && error.get('message') === NONE ? { result: null } : found
    },
  }),
  create_network_interface: changes({
    doc: 'Create a network interface.',
    example: "boto_ec2.create_network_interface web1-eth1 subnet_name=a groups='[web]'",
    args: {
      name: arg.text('Name of the interface'),
      subnet_id: arg.text('Id of the subnet', { optional: true }),
      subnet_name: arg.text('Name of the subnet', { optional: true }),
      private_ip_address: arg.text('Address within the subnet', { optional: true }),
      description: arg.text('Description', { optional: true }),
      groups: arg.list('Names or ids of security groups', { default: [] }),
      ...LOGIN,
    },
    returns: RESULT,
    run: (ctx, given) => orItsError(createInterface(ctx, given)),
  }),
  delete_network_interface: changes({
    doc: 'Delete a network interface.',
    example: 'boto_ec2.delete_network_interface name=web1-eth1',
    args: FACE,
    returns: RESULT,
    run: (ctx, given) =>
      withFace(ctx, given, async (ec2, face) => {
        await ec2.query('DeleteNetworkInterface', { NetworkInterfaceId: face.text('networkInterfaceId') })
        return { result: true }
      }),
  }),
  attach_network_interface: changes({
    doc: 'Attach a network interface to a machine.',
    example: 'boto_ec2.attach_network_interface 1 name=web1-eth1 instance_name=web1',
    args: {
      device_index: arg.count('Place of the interface on the machine'),
      ...FACE,
      instance_name: arg.text('Name of the machine', { optional: true }),
      instance_id: arg.text('Id of the machine', { optional: true }),
    },
    returns: RESULT,
    run: (ctx, { device_index, instance_name, instance_id, ...given }) => {
      if (Boolean(instance_name) === Boolean(instance_id)) {
        throw misuse("Exactly one (but not both) of 'instance_name' or 'instance_id' must be provided.")
      }
      return withFace(ctx, given, async (ec2, face) => {
        const { name: _name, network_interface_id: _id, ...login } = given
        const machine = instance_id ?? (await machineId(ctx, { ...login, name: instance_name }))
        if (machine === null) return refused(`There is no instance named ${instance_name}`)
        const NetworkInterfaceId = face.text('networkInterfaceId')
        const parameters = { NetworkInterfaceId, InstanceId: machine, DeviceIndex: device_index }
        return { result: (await ec2.query('AttachNetworkInterface', parameters)).text('attachmentId') }
      })
    },
  }),
  detach_network_interface: changes({
    doc: 'Take a network interface from its machine.',
    example: 'boto_ec2.detach_network_interface name=web1-eth1',
    args: {
      ...FACE,
      attachment_id: arg.text('Id of the attachment, in place of the interface', { optional: true }),
      force: arg.flag('Whether the machine is not asked', { default: false }),
    },
    returns: RESULT,
    run: (ctx, { attachment_id, force, ...given }) => {
      const detach = async (ec2: AwsCaller, AttachmentId: string | null): Promise<Answer> => {
        if (AttachmentId === null) return refused('Attachment id not found for this ENI.')
        await ec2.query('DetachNetworkInterface', { AttachmentId, Force: force || null })
        return { result: true }
      }
      if (attachment_id) return orItsError(detach(ec2Of(ctx, given), attachment_id))
      return withFace(ctx, given, (ec2, face) => detach(ec2, face.text('attachment.attachmentId')))
    },
  }),
  modify_network_interface_attribute: changes({
    doc: 'Change an attribute of a network interface.',
    example: 'boto_ec2.modify_network_interface_attribute name=web1-eth1 attr=source_dest_check value=False',
    args: {
      ...FACE,
      attr: arg.text('`description`, `groups`, `source_dest_check` or `delete_on_termination`', { optional: true }),
      value: arg.any('The new value', { optional: true }),
    },
    returns: RESULT,
    run: modify,
  }),
  assign_private_ip_addresses: changes({
    doc: 'Give a network interface further private addresses.',
    example: "boto_ec2.assign_private_ip_addresses network_interface_name=web1-eth1 private_ip_addresses='[10.0.0.9]'",
    args: {
      ...ADDRESSES,
      secondary_private_ip_address_count: arg.count('How many addresses, in place of a list', { optional: true }),
      allow_reassignment: arg.flag('Whether addresses may be taken from other interfaces', { default: false }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was done'),
    run: async (ctx, { network_interface_name, network_interface_id, private_ip_addresses, ...given }) => {
      const { secondary_private_ip_address_count: count, allow_reassignment, ...login } = given
      const ec2 = ec2Of(ctx, login)
      const id = await addressedFace(ctx, ec2, { network_interface_name, network_interface_id })
      if (id === undefined) return false
      const done = ec2.query('AssignPrivateIpAddresses', {
        NetworkInterfaceId: id,
        PrivateIpAddress: private_ip_addresses,
        SecondaryPrivateIpAddressCount: count,
        AllowReassignment: allow_reassignment || null,
      })
      return isAccepted(ctx, done)
    },
  }),
  unassign_private_ip_addresses: changes({
    doc: 'Take private addresses from a network interface.',
    example:
      "boto_ec2.unassign_private_ip_addresses network_interface_name=web1-eth1 private_ip_addresses='[10.0.0.9]'",
    args: { ...ADDRESSES, ...LOGIN },
    returns: ret.boolean('Whether it was done'),
    run: async (ctx, { network_interface_name, network_interface_id, private_ip_addresses, ...login }) => {
      const ec2 = ec2Of(ctx, login)
      const id = await addressedFace(ctx, ec2, { network_interface_name, network_interface_id })
      if (id === undefined) return false
      const parameters = { NetworkInterfaceId: id, PrivateIpAddress: private_ip_addresses }
      return isAccepted(ctx, ec2.query('UnassignPrivateIpAddresses', parameters))
    },
  }),
}
