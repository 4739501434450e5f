// Settings of providers and machines of EC2, by Salt's names.
import { arg, type Bound, optionalText } from '../../../../sdk/mod.ts'

export const provider = {
  id: optionalText('Id of the access key; `use-instance-role-credentials` and none mean the role of this machine'),
  key: arg.text('Secret access key', { optional: true, secret: true }),
  role_arn: arg.text('Role to take on with that key', { optional: true }),
  location: arg.text('Region; us-east-1 unless given', { optional: true }),
  region: arg.text('The same as location', { optional: true, beyond: true }),
  service_url: arg.text('Domain of the service', { default: 'amazonaws.com' }),
  endpoint: arg.text(
    'Host of the service, with a port or an address if need be, in place of `ec2.<location>.<service_url>`',
    {
      optional: true,
    },
  ),
  verify_ssl: arg.flag('Whether the certificate of the service is checked', { default: true, beyond: true }),
  ca_bundle: arg.text('File of the certificates that the service is trusted by', { optional: true, beyond: true }),
  rename_on_destroy: arg.flag(
    'Whether a machine gets another name when it is destroyed, so that its own is free at once',
    {
      default: true,
    },
  ),
  owner: arg.textOrList('Accounts whose images are listed', { default: 'amazon' }),
} as const

export const machine = {
  image: arg.text('Id or name of the image'),
  size: arg.text('Type of the machine', { default: 't2.micro' }),
  location: arg.text('Region; that of the provider unless given', { optional: true }),
  region: arg.text('The same as location', { optional: true, beyond: true }),
  keyname: arg.text('Name of the key pair that may sign in', { optional: true }),
  securitygroup: arg.textOrList('Names of security groups, outside of networks', { optional: true }),
  securitygroupid: arg.textOrList('Ids of security groups', { optional: true }),
  securitygroupname: arg.textOrList('Names of security groups, to be looked up', { optional: true }),
  security_groups: arg.textOrList('Ids or names of security groups', { optional: true, beyond: true }),
  vpc_id: arg.text('Network in which names of security groups and subnets are looked up', {
    optional: true,
    beyond: true,
  }),
  subnetid: arg.text('Id of the subnet', { optional: true }),
  subnet_id: arg.text('The same as subnetid', { optional: true, beyond: true }),
  subnetname: arg.text('Name of the subnet, to be looked up', { optional: true }),
  availability_zone: arg.text('Zone within the region', { optional: true }),
  iam_profile: arg.text('Name or ARN of the instance profile', { optional: true }),
  tenancy: arg.text('`default`, `dedicated` or `host`', { optional: true }),
  placementgroup: arg.text('Name of the placement group', { optional: true }),
  spot_config: arg.dict('`spot_price`, and `type` (`one-time` or `persistent`), to bid for a machine', {
    optional: true,
  }),
  block_device_mappings: arg.list(
    'Dicts such as `{DeviceName: /dev/sda1, Ebs.VolumeSize: 20}`, with `tag` for the volume',
    {
      default: [],
    },
  ),
  network_interfaces: arg.list(
    'Dicts of interfaces: `DeviceIndex`, `SubnetId`, `SecurityGroupId`, `associate_eip` and others',
    {
      default: [],
    },
  ),
  volumes: arg.list(
    'Dicts of volumes to make and attach: `device`, with `size`, `snapshot` or `volume_id`, and `delete_on_termination`',
    {
      default: [],
    },
  ),
  ebs_optimized: arg.flag('Whether the machine has bandwidth of its own for volumes', { default: false }),
  del_root_vol_on_destroy: arg.flag('Whether the root volume is deleted with the machine', { default: false }),
  del_all_vols_on_destroy: arg.flag('Whether all volumes are deleted with the machine', { default: false }),
  termination_protection: arg.flag('Whether the machine cannot be destroyed until that is allowed', { default: false }),
  tag: arg.dict('Tags of the machine', { default: new Map() }),
  userdata: arg.text('Text that the machine gets to read', { optional: true, secret: true }),
  userdata_file: arg.text('File of that text', { optional: true }),
  ssh_interface: arg.text('`public_ips` or `private_ips`: the address that is waited for', { default: 'public_ips' }),
  min_instance: arg.count('Must be 1: one name is one machine', { default: 1 }),
  max_instance: arg.count('Must be 1: one name is one machine', { default: 1 }),
  wait_for_ip_timeout: arg.count('Seconds until the machine must have an address', { default: 600 }),
  wait_for_ip_interval: arg.count('Seconds between two looks at it', { default: 10 }),
  wait_for_spot_timeout: arg.count('Seconds until a bid must be accepted', { default: 600 }),
  wait_for_spot_interval: arg.count('Seconds between two looks at a bid', { default: 30 }),
} as const

const REGION = 'us-east-1'

/** Return the region in the settings, by either name; else the default. */
export function regionOf(settings: { location: string | null; region: string | null }, usual = REGION): string {
  return settings.location ?? settings.region ?? usual
}

export type ProviderSettings = Bound<typeof provider>
export type MachineSettings = Bound<typeof machine>
