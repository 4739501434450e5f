// `boto_ec2.run`: a machine, started and waited for.
import { type Dict, failure, isDict, loadJson, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, awaitReady, changes, ret } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { deviceOf, tagsOf } from '../common/ec2.ts'
import type { Parameters } from '../common/form.ts'
import { LOGIN, loginOf } from '../common/login.ts'
import { interfaceByName } from './interface-functions.ts'

const WAIT_SECONDS = 600

function deviceMap(given: Value): Parameters[] {
  const map = typeof given === 'string' ? loadJson(given) : given
  if (map === null) return []
  if (!isDict(map)) throw misuse('block_device_map must be a dict of devices')
  return [...map].map(([device, of]) => deviceOf(str(device), isDict(of) ? of : new Map(), false))
}

export const runFunction = changes({
  doc: 'Start a machine, wait until it runs, and set its tags.',
  example: 'boto_ec2.run ami-b80c2b87 name=web1',
  args: {
    image_id: arg.text('Id of the image'),
    name: arg.text('Name of the machine', { optional: true }),
    tags: arg.dict('Tags', { optional: true }),
    key_name: arg.text('Name of the key pair that may sign in', { optional: true }),
    security_groups: arg.words('Names of security groups, outside of networks', { default: [] }),
    user_data: arg.text('Text that the machine gets to read', { optional: true, secret: true }),
    instance_type: arg.text('Type of the machine', { default: 'm1.small' }),
    placement: arg.text('Availability zone', { optional: true }),
    kernel_id: arg.text('Id of the kernel', { optional: true }),
    ramdisk_id: arg.text('Id of the RAM disk', { optional: true }),
    monitoring_enabled: arg.flag('Whether the machine is watched in detail', { default: false }),
    vpc_id: arg.text('Id of the network that groups are looked up in', { optional: true }),
    vpc_name: arg.text('Name of that network', { optional: true }),
    subnet_id: arg.text('Id of the subnet', { optional: true }),
    subnet_name: arg.text('Name of the subnet', { optional: true }),
    private_ip_address: arg.text('Address within the subnet', { optional: true }),
    block_device_map: arg.any('Dict of devices, or JSON of one', { optional: true }),
    disable_api_termination: arg.flag('Whether the machine is protected from being terminated', { default: false }),
    instance_initiated_shutdown_behavior: arg.text('`stop` or `terminate`', { optional: true }),
    placement_group: arg.text('Name of the placement group', { optional: true }),
    client_token: arg.text('Token by which a repeated request is known', { optional: true }),
    security_group_ids: arg.words('Ids of security groups', { default: [] }),
    security_group_names: arg.words('Names of security groups, to be looked up', { default: [] }),
    additional_info: arg.text('For AWS itself', { optional: true }),
    tenancy: arg.text('`default` or `dedicated`', { optional: true }),
    instance_profile_arn: arg.text('ARN of the instance profile', { optional: true }),
    instance_profile_name: arg.text('Name of the instance profile', { optional: true }),
    ebs_optimized: arg.flag('Whether the machine has bandwidth of its own for volumes', { default: false }),
    network_interface_id: arg.text('Id of a network interface that exists', { optional: true }),
    network_interface_name: arg.text('Name of that network interface', { optional: true }),
    ...LOGIN,
  },
  returns: ret.orFalse(ret.dict('`instance_id`')),
  run: async (ctx, given) => {
    const { subnet_id, subnet_name, security_group_ids, security_group_names, network_interface_name } = given
    if (subnet_id && subnet_name) throw misuse('Only one of subnet_name or subnet_id may be provided.')
    if (security_group_ids.length > 0 && security_group_names.length > 0) {
      throw misuse('Only one of security_group_ids or security_group_names may be provided.')
    }
    const login = loginOf(given)
    const named = async (fun: 'boto_vpc.get_resource_id', resource: string, name: string): Promise<string> => {
      const found: Value = (await ctx.call(fun, [resource], { name, ...login })) as Value
      const id = isDict(found) ? (found.get('id') ?? null) : null
      if (!truthy(id)) throw failure(`There is no ${resource} named ${name}`)
      return str(id)
    }
    const subnet = subnet_id ?? (subnet_name ? await named('boto_vpc.get_resource_id', 'subnet', subnet_name) : null)
    const groups = [...security_group_ids]
    for (const name of security_group_names) {
      const { vpc_id, vpc_name } = given
      const id: Value = await ctx.call('boto_secgroup.get_group_id', [name], { vpc_id, vpc_name, ...login })
      if (!truthy(id)) throw failure(`There is no security group named ${name}`)
      groups.push(str(id))
    }
    const ec2 = AwsCaller.of(ctx, 'ec2', given)
    const interfaceId =
      given.network_interface_id ?? (network_interface_name ? await interfaceByName(ec2, network_interface_name) : null)
    const tags: Dict = new Map([...(given.tags ?? []), ...(given.name ? [['Name', given.name] as [Value, Value]] : [])])
    const answer = await ec2.query('RunInstances', {
      ImageId: given.image_id,
      MinCount: 1,
      MaxCount: 1,
      KeyName: given.key_name,
      SecurityGroup: given.security_groups,
      UserData: given.user_data === null ? null : Buffer.from(given.user_data).toString('base64'),
      InstanceType: given.instance_type,
      Placement: { AvailabilityZone: given.placement, GroupName: given.placement_group, Tenancy: given.tenancy },
      KernelId: given.kernel_id,
      RamdiskId: given.ramdisk_id,
      Monitoring: { Enabled: given.monitoring_enabled },
      BlockDeviceMapping: deviceMap(given.block_device_map),
      DisableApiTermination: given.disable_api_termination || null,
      InstanceInitiatedShutdownBehavior: given.instance_initiated_shutdown_behavior,
      ClientToken: given.client_token,
      AdditionalInfo: given.additional_info,
      IamInstanceProfile: { Arn: given.instance_profile_arn, Name: given.instance_profile_name },
      EbsOptimized: given.ebs_optimized || null,
      ...(interfaceId
        ? { NetworkInterface: [{ DeviceIndex: 0, NetworkInterfaceId: interfaceId }] }
        : { SubnetId: subnet, SecurityGroupId: groups, PrivateIpAddress: given.private_ip_address }),
      ...(tags.size > 0 && { TagSpecification: [{ ResourceType: 'instance', Tag: tagsOf(tags) }] }),
    })
    const id = answer.rows('instancesSet')[0]?.text('instanceId') ?? ''
    const patience = { what: `${id} to run`, timeout: WAIT_SECONDS, interval: 2, signal: new AbortController().signal }
    const state = await awaitReady(patience, async () => {
      const found = await ec2.query('DescribeInstances', { InstanceId: [id] })
      const now = found.rows('reservationSet')[0]?.rows('instancesSet')[0]?.text('instanceState.name')
      return now && now !== 'pending' ? now : undefined
    })
    if (state !== 'running') {
      ctx.log('warning', `Instance could not be started -- status is "${state}"`)
      return false
    }
    return { instance_id: id }
  },
})
