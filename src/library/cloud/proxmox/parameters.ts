// Converts settings of a machine to parameters of the API. Like Salt, all settings with names of the API are accepted.
import { type Dict, isDict, isList, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import type { MachineRequest } from '../../../sdk/mod.ts'
import type { Parameters } from './api.ts'
import type { MachineSettings, machine } from './settings.ts'

export type GuestType = 'qemu' | 'lxc'

const COMMON =
  'arch bwlimit cores cpulimit cpuunits hookscript memory nameserver onboot ostype protection searchdomain startup storage tags unique'
const OF_TYPE: Readonly<Record<GuestType, RegExp>> = {
  qemu: patternOf(
    'acpi affinity agent args autostart balloon bios boot bootdisk cdrom cicustom cipassword citype ciupgrade ciuser cpu efidisk0 freeze hotplug hugepages import-working-storage ivshmem keephugepages keyboard kvm live-restore localtime machine migrate_downtime migrate_speed numa reboot rng0 scsihw shares smbios1 smp sockets spice_enhancements sshkeys startdate tablet tdf tpmstate0 vcpus vga vmgenid vmstatestorage watchdog',
    'audio hostpci ide ipconfig net numa parallel sata scsi serial usb virtio',
  ),
  lxc: patternOf(
    'cmode console debug env entrypoint features ignore-unpack-errors ostemplate rootfs ssh-public-keys swap timezone tty unprivileged',
    'dev mp net',
  ),
}
/** Parameters that only count when a machine is created. */
const ONLY_AT_CREATION =
  /^(storage|unique|bwlimit|pool|ostemplate|ssh-public-keys|password|rootfs|import-working-storage)$/

function patternOf(words: string, numbered: string): RegExp {
  return new RegExp(`^(${`${COMMON} ${words}`.replaceAll(' ', '|')}|(${numbered.replaceAll(' ', '|')})\\d+)$`)
}

export const configError = (message: string): SaltError => new SaltError('SaltCloudConfigError', message)

function typeOf(name: string, technology: string): GuestType {
  if (technology === 'qemu' || technology === 'lxc') return technology
  const hint = technology === 'openvz' ? ': Proxmox VE 4 and later have lxc in its place' : ''
  throw configError(`${name}: technology is '${technology}', not qemu or lxc${hint}`)
}

/** Return the mark in the description of a machine, by which its creation is found again. */
export const markOf = (token: string): string => `salt-cloud-creation: ${token}`

const described = (text: string | null, token: string): string => [...(text ? [text] : []), markOf(token)].join('\n\n')

/** Return the parameters that are written as settings, under the names of the interface. */
function writtenParameters(written: Dict, type: GuestType): Parameters {
  const found: Parameters = {}
  for (const [key, value] of written) {
    const name = str(key)
    if (OF_TYPE[type].test(name) && value !== null) found[name] = parameterOf(name, value)
  }
  return found
}

function parameterOf(name: string, value: Value): string {
  // the keys of the user are a text in URL encoding within the text of the form
  if (name === 'sshkeys') return /^[^\s]*%20[^\s]*$/.test(str(value)) ? str(value) : encodeURIComponent(str(value))
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (isDict(value)) return [...value].map(([key, item]) => `${str(key)}=${parameterOf('', item)}`).join(',')
  return isList(value) ? value.map((item) => parameterOf('', item)).join(',') : str(value)
}

function ownParameters(given: Dict): Parameters {
  const found: Parameters = {}
  for (const [key, value] of given) {
    if (value !== null && str(key) !== 'node') found[str(key)] = parameterOf(str(key), value)
  }
  return found
}

export interface Wanted {
  type: GuestType
  /** The node that is named; null for none. */
  node: string | null
  /** The id that is named; null for a free one. */
  vmid: string | null
  parameters: Parameters
}

/** Return the request that creates a machine. */
export function wantedCreation({ name, settings, written, token }: MachineRequest<typeof machine>): Wanted {
  const type = typeOf(name, settings.technology)
  const own = ownParameters(settings.create)
  const parameters: Parameters = {
    ...(type === 'lxc' ? containerParameters(name, settings) : { name }),
    ...writtenParameters(written, type),
    ...(settings.pool !== null && { pool: settings.pool }),
    ...own,
    description: described(own['description'] ?? settings.description, token),
  }
  if (type === 'lxc' && !parameters['ostemplate']) throw configError(`${name}: a container needs the setting 'image'`)
  const vmid = parameters['vmid'] ?? numberIn(written.get('vmid'))
  delete parameters['vmid']
  // the machine is started when it is complete
  delete parameters['start']
  return { type, node: textIn(settings.create.get('node')), vmid, parameters }
}

function containerParameters(name: string, settings: MachineSettings): Parameters {
  const { image, password, pubkey, ip_address, gw } = settings
  const address = ip_address === null || ip_address.includes('/') ? ip_address : `${ip_address}/24`
  return {
    hostname: name,
    ...(image && { ostemplate: image }),
    ...(password && { password }),
    ...(pubkey && { 'ssh-public-keys': pubkey }),
    ...(address && { net0: `name=eth0,bridge=vmbr0,ip=${address},type=veth${gw ? `,gw=${gw}` : ''}` }),
  }
}

export interface WantedClone extends Wanted {
  /** The source of a clone: an id or a name. */
  source: string
  /** The node that `clone_from` names. */
  sourceNode: string | null
  /** Parameters that the clone gets afterwards. */
  changes: Parameters
}

/** Return the request that clones a machine; undefined where none is wanted. */
export function wantedClone(request: MachineRequest<typeof machine>): WantedClone | undefined {
  const { name, settings, written, token } = request
  const { clone } = settings
  if (!truthy(clone)) return undefined
  const type = typeOf(name, settings.technology)
  const own = isDict(clone) ? ownParameters(clone) : {}
  const from = own['vmid'] ?? (settings.clone_from === null ? '' : str(settings.clone_from))
  if (from === '') throw configError(`${name}: a clone needs the setting 'clone_from'`)
  const [, sourceNode = null, source = from] = /^([\w.-]+):(.+)$/.exec(from) ?? []
  const flat: Parameters = {}
  if (settings.clone_format !== null) flat['format'] = settings.clone_format
  if (settings.clone_full !== null) flat['full'] = truthy(settings.clone_full) ? '1' : '0'
  const { vmid: _source, newid, ...ownRest } = own
  const shownName = own['name'] ?? own['hostname'] ?? settings.clone_name ?? name
  const parameters: Parameters = {
    [type === 'qemu' ? 'name' : 'hostname']: shownName,
    ...(settings.pool !== null && { pool: settings.pool }),
    ...flat,
    ...ownRest,
    description: described(own['description'] ?? settings.clone_description ?? settings.description, token),
  }
  const changes = Object.fromEntries(
    Object.entries(writtenParameters(written, type)).filter(([key]) => !ONLY_AT_CREATION.test(key)),
  )
  const node = isDict(clone) ? textIn(clone.get('node')) : null
  return { type, node, vmid: newid ?? numberIn(written.get('vmid')), parameters, source, sourceNode, changes }
}

const textIn = (value: Value | undefined): string | null => (value === undefined || value === null ? null : str(value))

function numberIn(value: Value | undefined): string | null {
  const text = textIn(value)
  if (text === null || /^\d+$/.test(text)) return text
  throw configError(`vmid is '${text}', not the number of a machine`)
}

/** Return the value of a setting such as `net0` with changes; unchanged parts stay, such as the hardware address. */
export function mergedValue(before: string, changes: string): string {
  const parts = (text: string): [string, string][] =>
    text
      .split(',')
      .filter((part) => part !== '')
      .map((part) => {
        const [key, ...rest] = part.trim().split('=')
        return [key!, rest.join('=')]
      })
  const all = new Map([...parts(before), ...parts(changes)])
  return [...all].map(([key, value]) => (value === '' ? key : `${key}=${value}`)).join(',')
}
