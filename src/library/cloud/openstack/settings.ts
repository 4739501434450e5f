// Settings of providers and machines of OpenStack, by the names of Salt and of the library that Salt used.
import { arg, type Bound, optionalText } from '../../../sdk/mod.ts'
import { addressSettings } from '../common/addresses.ts'
import { waitSettings } from '../common/machine.ts'

export const provider = {
  cloud: arg.text('Name of the cloud in clouds.yaml', { optional: true }),
  clouds_file: arg.text('That file; looked for as OpenStack does unless given', { optional: true, beyond: true }),
  auth: arg.dict('Login: `auth_url` with `username`, `password` and `project_name`, or an application credential', {
    default: new Map(),
  }),
  auth_type: optionalText('`password`, `v3applicationcredential` or `token`; as `auth` says unless given'),
  region_name: arg.text('Region', { optional: true }),
  interface: arg.text('`public`, `internal` or `admin`: endpoints that are used', { optional: true }),
  endpoint_type: arg.text('The same as interface', { optional: true }),
  verify: arg.any('Whether certificates are checked; True unless given', { optional: true }),
  insecure: arg.any('Whether certificates are not checked', { optional: true }),
  cacert: arg.text('File of the certificates that the services are trusted by', { optional: true }),
} as const

export const machine = {
  image: arg.text('Name or id of the image', { optional: true }),
  size: arg.text('Name or id of the flavor', { optional: true }),
  flavor: arg.text('The same as size', { optional: true }),
  network: arg.any('Name or id of the network, or a list of them', { optional: true }),
  nics: arg.list('Dicts of interfaces: `net-id`, `net-name` or `port-id`, with `v4-fixed-ip`', { default: [] }),
  security_groups: arg.words('Names of security groups', { default: [] }),
  ssh_key_name: arg.text('Name of the key pair that may sign in', { optional: true }),
  key_name: arg.text('The same as ssh_key_name', { optional: true }),
  availability_zone: arg.text('Zone', { optional: true }),
  auto_ip: arg.flag('Whether a machine without a public address gets a floating one', { default: true }),
  ips: arg.words('Floating addresses to give to the machine', { default: [] }),
  ip_pool: arg.text('Name or id of the network that its floating address comes from', { optional: true }),
  reuse_ips: arg.flag('Whether a floating address that nothing uses is taken first', { default: true }),
  nat_destination: arg.text('Network that the floating address leads to', { optional: true }),
  boot_volume: arg.text('Name or id of the volume to boot from', { optional: true }),
  root_volume: arg.text('The same as boot_volume', { optional: true }),
  boot_from_volume: arg.flag('Whether the machine boots from a volume that is made of the image', { default: false }),
  volume_size: arg.count('Size of that volume in GB', { default: 50 }),
  terminate_volume: arg.flag('Whether the volume is deleted with the machine', { default: false }),
  volumes: arg.words('Names or ids of volumes to attach', { default: [] }),
  block_device_mapping: arg.list('Block devices in the old form', { default: [] }),
  block_device_mapping_v2: arg.list('Block devices', { default: [] }),
  meta: arg.dict('Metadata of the machine', { default: new Map() }),
  wait_for_metadata: arg.dict('Metadata that the machine must have before it is ready', { default: new Map() }),
  userdata: arg.text('Text that the machine gets to read, or the path of its file', { optional: true, secret: true }),
  userdata_file: arg.text('File of that text', { optional: true }),
  files: arg.dict('Files by their paths on the machine', { default: new Map(), secret: true }),
  scheduler_hints: arg.dict('Hints for the choice of the host', { default: new Map() }),
  group: arg.text('Name or id of the server group', { optional: true }),
  config_drive: arg.any('Whether the machine gets a drive with its data', { optional: true }),
  disk_config: arg.text('`AUTO` or `MANUAL`', { optional: true }),
  admin_pass: arg.text('Password of the administrator', { optional: true, secret: true }),
  extra: arg.dict('Further fields of the server in the request that makes it', { default: new Map() }),
  ssh_interface: arg.text(
    '`public_ips`, `private_ips`, `floating_ips` or `fixed_ips`: the address that is waited for',
    {
      default: 'public_ips',
    },
  ),
  ...addressSettings,
  ...waitSettings,
} as const

export type ProviderSettings = Bound<typeof provider>
export type MachineSettings = Bound<typeof machine>
