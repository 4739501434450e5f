// Settings of providers and machines of Proxmox VE, by the names of Salt and of saltext-proxmox.
import { arg, type Bound, optionalText } from '../../../sdk/mod.ts'
import { addressSettings } from '../common/addresses.ts'
import { waitSettings } from '../common/machine.ts'

export const provider = {
  url: arg.text('Host of the interface, or its address', { optional: true }),
  host: arg.text('Host of the interface with its port, where there is no `url`', { optional: true }),
  port: arg.count('Port of the interface, where the address has none', { default: 8006 }),
  user: arg.text('User with its realm, such as `salt@pve`'),
  password: arg.text('Password of the user, where no token is given', { optional: true, secret: true }),
  token: arg.text('API token of the user: `name=value`', { optional: true, secret: true }),
  token_name: arg.text('Name of the API token of the user', { optional: true }),
  token_value: arg.text('Value of that token', { optional: true, secret: true }),
  verify_ssl: arg.flag('Whether the certificate of the interface is checked', { default: true }),
  ca_bundle: arg.text('File of the certificates that the interface is trusted by', { optional: true, beyond: true }),
  default_host: arg.text('Node of machines that name none', { optional: true }),
} as const

export const machine = {
  technology: arg.text('`qemu` or `lxc`', { default: 'lxc' }),
  host: optionalText('Node to make the machine on; in a provider without `url`, the host of the interface'),
  image: optionalText('Template of a container, such as `local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst`'),
  create: arg.dict('Parameters of the request that creates the machine, as the interface names them; with `node`', {
    default: new Map(),
  }),
  clone: arg.any('True, or parameters of the request that clones a machine: `vmid`, `newid`, `node` and others', {
    default: false,
  }),
  clone_from: arg.textOrNumber('Machine to clone: its id, `node:id` or its name', { optional: true }),
  clone_name: arg.text('Name of the clone in place of that of the machine', { optional: true }),
  clone_description: arg.text('Description of the clone', { optional: true }),
  clone_format: arg.text('Format of the disks of the clone', { optional: true }),
  clone_full: arg.any('Whether the clone has copies of the disks', { optional: true }),
  description: arg.text('Description of the machine', { optional: true }),
  pool: arg.text('Pool of the machine', { optional: true }),
  password: arg.text('Password of root in a container, and to log in with', { optional: true, secret: true }),
  pubkey: arg.text('Keys that may log in to a container as root', { optional: true }),
  disk: arg.any('Has no effect: write `rootfs`', { optional: true }),
  ip_address: arg.text('Address of the machine; a container without `net0` gets it', { optional: true }),
  gw: arg.text('Gateway of a container with `ip_address`', { optional: true }),
  use_dns: arg.flag('Whether the name of the machine is looked up, where it has no `ip_address`', { default: false }),
  agent_get_ip: arg.flag('Whether the agent in the machine is asked for its addresses', { default: false }),
  ssh_host: arg.text('Address to connect to in place of those of the machine', { optional: true }),
  ...addressSettings,
  ...waitSettings,
  wait_for_task_timeout: arg.count('Seconds until a task of the interface must have ended, such as a clone', {
    default: 1800,
    beyond: true,
  }),
  parameters: arg.open('Parameters of the interface: `net0`, `memory`, `scsi0`, `ipconfig0`, `rootfs` and others'),
} as const

export type ProviderSettings = Bound<typeof provider>
export type MachineSettings = Bound<typeof machine>
