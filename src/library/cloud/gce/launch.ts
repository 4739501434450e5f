// The request for a machine of Google Compute Engine, from the settings of a profile. Nothing is made here.
import { type Dict, HIDDEN, isDict, markSecret, type Plain, str, toPlain, type Value } from '../../../data/mod.ts'
import type { MachineRequest } from '../../../sdk/mod.ts'
import { exit, rowsOf } from '../common/rest.ts'
import { regionOf } from './project.ts'
import { configError, dictSetting, listSetting, type MachineSettings, type machine } from './settings.ts'

/** The label that all of a creation has, with its token. */
export const CREATION_LABEL = 'salt-cloud-creation'

const VM_NAME = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/

export function checkVmName(name: string): void {
  if (VM_NAME.test(name)) return
  throw exit('VM names must start with a letter, only contain letters, numbers, or dashes and cannot end in a dash.')
}

const SCOPE_ROOT = 'https://www.googleapis.com/auth/'

/** Short names of scopes that differ from the end of their address. */
const SCOPES: Readonly<Record<string, string>> = {
  'compute-ro': 'compute.readonly',
  'compute-rw': 'compute',
  'logging-write': 'logging.write',
  'monitoring-write': 'monitoring.write',
  'service-control': 'servicecontrol',
  'service-management': 'service.management',
  sql: 'sqlservice',
  'sql-admin': 'sqlservice.admin',
  'storage-full': 'devstorage.full_control',
  'storage-ro': 'devstorage.read_only',
  'storage-rw': 'devstorage.read_write',
  'trace-append': 'trace.append',
  'userinfo-email': 'userinfo.email',
}

const scopeOf = (scope: string): string =>
  scope.includes('://') ? scope : `${SCOPE_ROOT}${Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : scope}`

function serviceAccounts(given: readonly Value[] | null): Plain[] {
  const accounts = given ?? [new Map<Value, Value>()]
  return accounts.map((account) => {
    if (!isDict(account)) throw configError("Each entry of 'ex_service_accounts' must be a dict")
    const scopes = account.get('scopes') ?? ['storage-ro']
    const email = str(account.get('email') ?? 'default')
    return { email, scopes: (Array.isArray(scopes) ? scopes : [scopes]).map((scope) => scopeOf(str(scope))) }
  })
}

const texts = (dict: Dict): Record<string, string> =>
  Object.fromEntries([...dict].map(([key, value]): [string, string] => [str(key), plainText(value)]))

const plainText = (value: Value): string =>
  isDict(value) || Array.isArray(value) ? JSON.stringify(toPlain(value)) : str(value)

/** Keys of metadata whose values run on the machine, and may contain secrets. */
const SCRIPT = /script|user-data|password|secret|token/i

/** Return a machine as Google describes it, without the scripts in its metadata. */
export function withoutScripts(instance: Dict): Dict {
  const metadata = instance.get('metadata') ?? null
  if (!isDict(metadata)) return instance
  const items = rowsOf(metadata, 'items').map((item) =>
    SCRIPT.test(str(item.get('key') ?? '')) ? new Map<Value, Value>([...item, ['value', HIDDEN]]) : item,
  )
  return new Map<Value, Value>([...instance, ['metadata', new Map<Value, Value>([...metadata, ['items', items]])]])
}

interface Disks {
  /** The image, or null where the disks need none. */
  image: string | null
  /** The disk with the name of the machine, if there is one to boot from. */
  existing: Dict | undefined
}

interface LaunchRequest extends MachineRequest<typeof machine> {
  disks: Disks
  literals: Literals
}

/** Settings that may be written as texts of Python literals. */
interface Literals {
  metadata: Dict
  labels: Dict
  tags: string[]
}

/** Read these settings; one of another type is an error. */
export const literalsOf = async (settings: MachineSettings): Promise<Literals> => ({
  metadata: await dictSetting(settings.metadata, 'metadata'),
  labels: await dictSetting(settings.ex_labels ?? settings.labels, 'labels'),
  tags: (await listSetting(settings.tags, 'tags')).map(str),
})

/** Return the body of the request, without its network interface. */
export function launchBody(request: LaunchRequest): { [key: string]: Plain } {
  const { name, token, settings, profile } = request
  const { tags, labels } = request.literals
  const zone = `zones/${settings.location}`
  const metadata: Dict = new Map(request.literals.metadata)
  if (profile) metadata.set('salt-cloud-profile', profile)
  for (const [key, value] of metadata) if (SCRIPT.test(str(key))) markSecret(value)
  const accelerator = settings.ex_accelerator_type
  return {
    name,
    machineType: settings.size.includes('/') ? settings.size : `${zone}/machineTypes/${settings.size}`,
    canIpForward: settings.ip_forwarding,
    labels: { ...texts(labels), [CREATION_LABEL]: token },
    metadata: { items: Object.entries(texts(metadata)).map(([key, value]) => ({ key, value })) },
    ...(tags.length > 0 && { tags: { items: tags } }),
    disks: disksOf(request, zone),
    serviceAccounts: serviceAccounts(settings.ex_service_accounts),
    ...(accelerator && {
      guestAccelerators: [
        {
          acceleratorType: accelerator.includes('/') ? accelerator : `${zone}/acceleratorTypes/${accelerator}`,
          acceleratorCount: settings.ex_accelerator_count,
        },
      ],
    }),
    scheduling: schedulingOf(settings),
  }
}

function schedulingOf({ preemptible, ex_accelerator_type }: MachineSettings): { [key: string]: Plain } {
  return {
    preemptible,
    automaticRestart: !preemptible,
    onHostMaintenance: preemptible || ex_accelerator_type ? 'TERMINATE' : 'MIGRATE',
  }
}

function disksOf({ name, token, settings, disks }: LaunchRequest, zone: string): Plain[] {
  const labels = { [CREATION_LABEL]: token }
  if (settings.ex_disks_gce_struct !== null) {
    return settings.ex_disks_gce_struct.map((disk) => {
      const plain = toPlain(disk)
      if (!isRecord(plain)) throw configError("Each entry of 'ex_disks_gce_struct' must be a dict")
      const fresh = plain['initializeParams']
      return isRecord(fresh)
        ? { ...plain, initializeParams: { ...fresh, labels: { ...(fresh['labels'] as object), ...labels } } }
        : plain
    })
  }
  const autoDelete = settings.ex_disk_auto_delete || settings.delete_boot_pd
  const common = { boot: true, type: 'PERSISTENT', mode: 'READ_WRITE', deviceName: name, autoDelete }
  if (disks.existing) return [{ ...common, source: `${zone}/disks/${name}` }]
  const diskType = `${zone}/diskTypes/${settings.ex_disk_type}`
  return [{ ...common, initializeParams: { diskName: name, diskType, sourceImage: disks.image, labels } }]
}

const isRecord = (value: unknown): value is { [key: string]: Plain } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Return the network interface. The external address is null for none, and undefined for one of Google's choice. */
export function interfaceOf(settings: MachineSettings, address: string | null | undefined, project: string): Plain {
  const { network, subnetwork, location } = settings
  const region = `projects/${project}/regions/${regionOf(location)}`
  const named = network ?? (subnetwork === null ? 'default' : null)
  return {
    ...(named !== null && {
      network: named.includes('/') ? named : `projects/${project}/global/networks/${named}`,
    }),
    ...(subnetwork !== null && {
      subnetwork: subnetwork.includes('/') ? subnetwork : `${region}/subnetworks/${subnetwork}`,
    }),
    ...(address !== null && {
      accessConfigs: [
        { name: 'External NAT', type: 'ONE_TO_ONE_NAT', ...(address !== undefined && { natIP: address }) },
      ],
    }),
  }
}
