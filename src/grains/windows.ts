// Grains of Windows, from one PowerShell script. The script queries the same WMI classes as Salt.
import { isA, recover } from '../base/mod.ts'
import { type Dict, dictGet, loadJson, PyError, str, tuple, type Value } from '../data/mod.ts'
import { cleanValue } from './clean-value.ts'
import type { Machine } from './machine.ts'
import type { Virtual } from './virtual-programs.ts'

const CLASSES = [
  'ComputerSystem',
  'OperatingSystem',
  'BIOS',
  'TimeZone',
  'ComputerSystemProduct',
  'BaseBoard',
  'Processor',
]

const SCRIPT = `$r = @{}; foreach ($c in '${CLASSES.join("','")}') {
  $r[$c] = Get-CimInstance "Win32_$c" | Select-Object -First 1 -Property * -ExcludeProperty Cim* }; $r | ConvertTo-Json -Depth 3`

export async function windowsGrains(machine: Machine): Promise<Dict> {
  const output = await machine.output('powershell', '-NoProfile', '-NonInteractive', '-Command', SCRIPT)
  return windowsGrainsFrom(readJson(output))
}

function readJson(output: string): Dict {
  return recover(isA(PyError), new Map(), () => {
    const value = loadJson(output)
    return value instanceof Map ? value : new Map()
  })
}

/** Return grains from the first instance of each class, by the class name without `Win32_`. */
export function windowsGrainsFrom(classes: Dict): Dict {
  const read = (name: string, field: string): string => {
    const instance = dictGet(classes, name)
    const value = instance instanceof Map ? (instance.get(field) ?? null) : null
    return value === null ? '' : str(value)
  }
  const caption = read('OperatingSystem', 'Caption')
  const release = windowsRelease(caption)
  const version = read('OperatingSystem', 'Version')
  const text: Readonly<Record<string, string>> = {
    manufacturer: read('ComputerSystem', 'Manufacturer'),
    productname: read('ComputerSystem', 'Model'),
    nodename: read('ComputerSystem', 'Name'),
    kernelrelease: version,
    kernelversion: version,
    osfullname: caption,
    osmanufacturer: read('OperatingSystem', 'Manufacturer'),
    osrelease: release,
    osversion: version,
    biosversion: read('BIOS', 'Name').trim(),
    biosstring: read('BIOS', 'Version'),
    serialnumber: read('BIOS', 'SerialNumber'),
    timezone: read('TimeZone', 'Description') || read('TimeZone', 'Caption'),
    uuid: read('ComputerSystemProduct', 'UUID').toLowerCase(),
    windowsdomain: read('ComputerSystem', 'Domain'),
    windowsdomaintype: read('ComputerSystem', 'PartOfDomain') === 'True' ? 'Domain' : 'Workgroup',
  }
  const grains: Dict = new Map<Value, Value>([
    ['kernel', 'Windows'],
    ['os', 'Windows'],
    ['os_family', 'Windows'],
    ['init', 'Windows'],
    ['ps', 'tasklist.exe'],
    ['num_gpus', 0],
    ['gpus', []],
    ['osfinger', `Windows-${release}`],
    ['osrelease_info', tuple(releaseInfo(release))],
    ['cpuarch', read('OperatingSystem', 'OSArchitecture').startsWith('64') ? 'AMD64' : 'x86'],
    ['cpu_model', read('Processor', 'Name')],
    ['num_cpus', Number(read('ComputerSystem', 'NumberOfLogicalProcessors')) || 1],
    ['mem_total', Math.floor(Number(read('ComputerSystem', 'TotalPhysicalMemory')) / 1024 ** 2)],
    ['swap_total', Math.floor(Number(read('OperatingSystem', 'SizeStoredInPagingFiles')) / 1024)],
    ['motherboard', motherboard(read)],
  ])
  for (const [name, value] of Object.entries(text)) grains.set(name, cleanValue(name, value))
  const pack = Number(read('OperatingSystem', 'ServicePackMajorVersion'))
  grains.set('osservicepack', pack > 0 ? `SP${pack}` : null)
  const { virtual, subtype } = windowsVirtual(text['manufacturer']!, text['productname']!, text['biosstring']!)
  grains.set('virtual', virtual)
  return subtype === undefined ? grains : grains.set('virtual_subtype', subtype)
}

const motherboard = (read: (name: string, field: string) => string): Dict =>
  new Map<Value, Value>([
    ['productname', cleanValue('productname', read('BaseBoard', 'Product'))],
    ['serialnumber', cleanValue('serialnumber', read('BaseBoard', 'SerialNumber'))],
  ])

/** `Microsoft Windows Server 2012 R2 Standard` is `2012ServerR2`, and `Microsoft Windows 11 Pro` is `11`. */
export function windowsRelease(caption: string): string {
  const words = caption.split(' ')
  if (!caption.includes('Server'))
    return words.findLast((word) => /^\d+(?:\.\d+)?|Thin|Vista|XP$/.test(word)) ?? 'Unknown'
  if (/^Microsoft\D+(?:Server|Datacenter|Standard|Essentials)$/.test(caption)) return '2019Server'
  const version = words.findLast((word) => /^\d+/.test(word)) ?? 'Unknown'
  return `${version}Server${words.findLast((word) => /^R\d+$/.test(word)) ?? ''}`
}

function releaseInfo(release: string): Value[] {
  const cut = release.indexOf('Server')
  const parts = cut < 0 ? release.split('.') : [release.slice(0, cut), release.slice(cut + 6).replace(/^R+/, '')]
  return parts.filter((part) => part !== '').map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

const VIRTUAL: ReadonlyArray<[maker: string, product: string, bios: string, finding: Virtual]> = [
  ['QEMU', '', '', { virtual: 'kvm' }],
  ['', '', 'VRTUAL', { virtual: 'HyperV' }],
  ['', '', 'A M I', { virtual: 'VirtualPC' }],
  ['', 'HVM domU', 'Xen', { virtual: 'Xen', subtype: 'HVM domU' }],
  ['', '', 'Xen', { virtual: 'Xen' }],
  ['', '', 'AMAZON', { virtual: 'EC2' }],
  ['Bochs', '', '', { virtual: 'kvm' }],
  ['', 'oVirt', '', { virtual: 'kvm', subtype: 'oVirt' }],
  ['', 'RHEV Hypervisor', '', { virtual: 'kvm', subtype: 'rhev' }],
  ['', 'VirtualBox', '', { virtual: 'VirtualBox' }],
  ['', 'VMware', '', { virtual: 'VMware' }],
  ['Microsoft', 'Virtual Machine', '', { virtual: 'VirtualPC' }],
  ['', 'OpenStack', '', { virtual: 'OpenStack' }],
  ['Parallels', '', '', { virtual: 'Parallels' }],
  ['Nutanix', 'AHV', '', { virtual: 'kvm', subtype: 'Nutanix AHV' }],
  ['', 'CloudStack KVM Hypervisor', '', { virtual: 'kvm', subtype: 'cloudstack' }],
]

function windowsVirtual(maker: string, product: string, bios: string): Virtual {
  const known = VIRTUAL.find(([m, p, b]) => maker.includes(m) && product.includes(p) && bios.includes(b))
  return known?.[3] ?? { virtual: 'physical' }
}
