// Settings of projects and machines of Google Compute Engine, by Salt's names.
import { type Dict, isDict, isList, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, loadYaml } from '../../../sdk/mod.ts'
import { waitSettings } from '../common/machine.ts'

export const provider = {
  project: arg.text('Id of the project'),
  service_account_email_address: arg.text(
    'Address of the service account; that in the JSON key unless given, and that of this machine with an empty `service_account_private_key`',
    { default: '' },
  ),
  service_account_private_key: arg.text(
    'File of the JSON key of the service account, or of its private key in PEM; empty on a machine of Google: the account of this machine',
    { default: '' },
  ),
  api_url: arg.text('Address of the interface', {
    default: 'https://compute.googleapis.com/compute/v1',
    beyond: true,
  }),
  metadata_url: arg.text('Address of the metadata service of this machine', {
    default: 'http://metadata.google.internal',
    beyond: true,
  }),
  operation_timeout: arg.count('Seconds until an operation must end', { default: 900, beyond: true }),
  operation_interval: arg.count('Seconds between two looks at an operation', { default: 2, beyond: true }),
} as const

export const machine = {
  image: arg.text(
    'Name or family of the image, with its project before a slash if need be, such as `debian-cloud/debian-12`; the beginning of a name means the newest image',
    { optional: true },
  ),
  size: arg.text('Machine type', { default: 'n1-standard-1' }),
  location: arg.text('Zone, such as `us-central1-a`'),
  network: arg.text('Network', { optional: true }),
  subnetwork: arg.text('Subnetwork in the region of the zone', { optional: true }),
  external_ip: arg.text(
    '`ephemeral`, `None`, or the name of a static address of the region, which is made if there is none',
    { default: 'ephemeral' },
  ),
  ssh_interface: arg.text('`public_ips` or `private_ips`: the address that is waited for', { default: 'public_ips' }),
  tags: arg.any('List of network tags, or a text with one', { optional: true }),
  labels: arg.any('Dict of labels, or a text with one', { optional: true }),
  ex_labels: arg.any('The same as labels', { optional: true }),
  metadata: arg.any('Dict of metadata, or a text with one', { optional: true }),
  use_persistent_disk: arg.isTrue('Whether a disk with the name of the machine is booted from if there is one', {
    default: true,
  }),
  delete_boot_pd: arg.isTrue('Whether the boot disk is deleted with the machine, whatever `ex_disk_auto_delete` says', {
    default: false,
  }),
  ex_disk_auto_delete: arg.isTrue('Whether the boot disk is deleted with the machine', { default: true }),
  ex_disk_type: arg.text('Type of the boot disk, such as `pd-standard` or `pd-ssd`', { default: 'pd-standard' }),
  ex_disks_gce_struct: arg.list('Disks as the interface of Google takes them, in place of the image', {
    optional: true,
  }),
  ex_service_accounts: arg.list(
    'Dicts with `email` and `scopes` (addresses, or short names such as `compute-ro`) of the account of the machine',
    { optional: true },
  ),
  ex_accelerator_type: arg.text('Type of the accelerators', { optional: true }),
  ex_accelerator_count: arg.count('How many accelerators', { default: 1 }),
  ip_forwarding: arg.isTrue('Whether the machine may forward packets', { default: false }),
  preemptible: arg.isTrue('Whether Google may end the machine at any time', { default: false }),
  volumes: arg.any(
    'List of disks to make and attach, or a text with one: dicts with `size` (GB), `type`, `image`, `snapshot`, `auto_delete`',
    { optional: true },
  ),
  ...waitSettings,
} as const

export type ProviderSettings = Bound<typeof provider>
export type MachineSettings = Bound<typeof machine>

export const configError = (message: string): SaltError => new SaltError('SaltCloudConfigError', message)

/** Return a setting that may be written as a text of a Python literal. Errors do not show it: metadata may hold secrets. */
async function literal(value: Value, name: string): Promise<Value> {
  if (typeof value !== 'string') return value
  try {
    return await loadYaml(value)
  } catch {
    throw configError(`The setting '${name}' is a text that cannot be read`)
  }
}

export async function dictSetting(value: Value, name: string): Promise<Dict> {
  const read = await literal(value, name)
  if (!truthy(read)) return new Map()
  if (isDict(read)) return read
  throw configError(`The setting '${name}' must be a dict`)
}

export async function listSetting(value: Value, name: string): Promise<Value[]> {
  const read = await literal(value, name)
  if (!truthy(read)) return []
  if (isList(read)) return read
  throw configError(`The setting '${name}' must be a list, not ${str(read)}`)
}

export async function dictsSetting(value: Value, name: string): Promise<Dict[]> {
  return (await listSetting(value, name)).map((one) => {
    if (isDict(one)) return one
    throw configError(`Each entry of '${name}' must be a dict, not ${str(one)}`)
  })
}
