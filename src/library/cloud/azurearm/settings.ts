// Settings of subscriptions and machines of Azure, by Salt's names.
import { type Dict, isDict, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, loadYaml, optionalText } from '../../../sdk/mod.ts'
import { waitSettings } from '../common/machine.ts'

export const provider = {
  subscription_id: arg.text('Id of the subscription'),
  tenant: arg.text('Id or domain of the directory, with `client_id` and `secret`', { optional: true }),
  client_id: arg.text(
    'Id of the service principal; without a secret that of the managed identity of this machine, if it has several',
    { optional: true },
  ),
  secret: arg.text('Secret of the service principal', { optional: true, secret: true }),
  username: arg.text('User, in place of a service principal', { optional: true }),
  password: arg.text('Password of that user', { optional: true, secret: true }),
  cloud_environment: arg.text(
    '`AZURE_PUBLIC_CLOUD`, `AZURE_CHINA_CLOUD`, `AZURE_US_GOV_CLOUD`, `AZURE_GERMAN_CLOUD`, or the address of an Azure of your own',
    { default: 'AZURE_PUBLIC_CLOUD' },
  ),
  metadata_url: arg.text('Address of the metadata service of this machine', {
    default: 'http://169.254.169.254',
    beyond: true,
  }),
  location: arg.text('Location whose sizes and images are listed', { optional: true }),
  resource_group: arg.text('Resource group of functions that name none', { optional: true }),
  network: arg.text('Virtual network of functions that name none', { optional: true }),
  cleanup_disks: arg.isTrue(
    'Whether disks are deleted with their machine: the one of the system with `cleanup_vhds`, the others with `cleanup_data_disks`',
    { default: false },
  ),
  cleanup_vhds: arg.isTrue('Whether `cleanup_disks` is about the disk of the system', { default: false }),
  cleanup_data_disks: arg.isTrue('Whether `cleanup_disks` is about the other disks', { default: false }),
  cleanup_interfaces: arg.isTrue('Whether interfaces and their public addresses are deleted with their machine', {
    default: false,
  }),
  operation_timeout: arg.count('Seconds until an operation must end', { default: 1800, beyond: true }),
  operation_interval: arg.count('Seconds between two looks at an operation, unless Azure names a number', {
    default: 5,
    beyond: true,
  }),
} as const

export const machine = {
  resource_group: arg.text('Resource group of the machine, its interface and its disks'),
  location: arg.text('Location, such as `westeurope`'),
  image: arg.text('`publisher|offer|sku|version`, or the id of an image, which begins with `/subscriptions/`'),
  size: arg.text('Size, such as `Standard_B2s`'),
  network: arg.text('Virtual network'),
  subnet: arg.text('Subnet', { default: 'default' }),
  network_resource_group: optionalText('Resource group of the network; that of the machine unless given'),
  ssh_username: arg.any('User that is made on the machine; of a list the first one'),
  ssh_publickeyfile: arg.text('File of the public key that may sign in', { optional: true }),
  ssh_password: arg.text('Password of that user', { optional: true, secret: true }),
  disable_password_authentication: arg.isTrue(
    'Whether nobody may sign in by password; with a public key unless given',
    {
      optional: true,
    },
  ),
  allocate_public_ip: arg.isTrue('Whether a public address is made for the machine', { default: false }),
  private_ip_address: arg.text('Address in the subnet; one of the choice of Azure unless given', { optional: true }),
  iface_name: arg.text('Name of the interface; `<machine>-iface0` unless given', { optional: true }),
  security_group: arg.text('Network security group of the interface', { optional: true }),
  dns_servers: arg.words('Name servers of the interface', { default: [] }),
  load_balancer: arg.text('Load balancer that the interface joins, with `backend_pool`', { optional: true }),
  backend_pool: arg.text('Pool of that load balancer', { optional: true }),
  load_balancer_backend_address_pools: arg.dict('Names of load balancers, each with a list of its pools', {
    default: new Map(),
  }),
  availability_set: arg.text('Availability set', { optional: true }),
  os_disk_size_gb: arg.count('Size of the disk of the system in GB', { optional: true }),
  volumes: arg.any(
    'List of data disks, or a text with one: dicts with `name`, `disk_size_gb`, `caching`, `lun`, `managed_disk`, `attach`',
    { optional: true },
  ),
  userdata: arg.text('Command that runs on the machine, by the extension CustomScript', {
    optional: true,
    secret: true,
  }),
  userdata_file: optionalText('File of that command, or the address of a script that the machine fetches'),
  custom_data: arg.text('Text that cloud-init gets to read', { optional: true, secret: true }),
  tags: arg.dict('Tags of the machine, its interface and its public address', { default: new Map(), beyond: true }),
  ssh_interface: arg.text('`public_ips` or `private_ips`: the address that is waited for', { default: 'public_ips' }),
  bootstrap_interface: arg.text('`public` or `private`: the same as ssh_interface', { optional: true }),
  ...waitSettings,
} as const

export type ProviderSettings = Bound<typeof provider>
export type MachineSettings = Bound<typeof machine>

export const configError = (message: string): SaltError => new SaltError('SaltCloudConfigError', message)

/** Return the entries of the setting `volumes` as dicts. */
export async function volumesSetting(value: Value): Promise<Dict[]> {
  const read = typeof value === 'string' ? await loadYaml(value) : value
  if (read === null) return []
  if (!Array.isArray(read)) throw configError(`The setting 'volumes' must be a list, not ${str(read)}`)
  return read.map((one) => {
    if (isDict(one)) return one
    if (typeof one === 'string') return new Map([['name', one]])
    throw configError(`Each entry of 'volumes' must be a dict or a name, not ${str(one)}`)
  })
}
