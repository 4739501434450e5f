// Firmware and product: manufacturer, model, serial number and BIOS.
import type { Dict, Value } from '../data/mod.ts'
import { cleanValue } from './clean-value.ts'
import type { Machine } from './machine.ts'

const DMI_FILES: Readonly<Record<string, string>> = {
  biosversion: 'bios_version',
  biosvendor: 'bios_vendor',
  boardname: 'board_name',
  productname: 'product_name',
  manufacturer: 'sys_vendor',
  biosreleasedate: 'bios_date',
  uuid: 'product_uuid',
  serialnumber: 'product_serial',
}

const DMIDECODE: Readonly<Record<string, string>> = {
  biosversion: 'bios-version',
  biosvendor: 'bios-vendor',
  productname: 'system-product-name',
  manufacturer: 'system-manufacturer',
  biosreleasedate: 'bios-release-date',
  uuid: 'system-uuid',
}

const SERIALS = ['system-serial-number', 'chassis-serial-number', 'baseboard-serial-number']

const KENV: Readonly<Record<string, string>> = {
  biosversion: 'smbios.bios.version',
  biosvendor: 'smbios.bios.vendor',
  manufacturer: 'smbios.system.maker',
  serialnumber: 'smbios.system.serial',
  productname: 'smbios.system.product',
  biosreleasedate: 'smbios.bios.reldate',
  uuid: 'smbios.system.uuid',
}

const OPENBSD: Readonly<Record<string, string>> = {
  biosversion: 'hw.version',
  manufacturer: 'hw.vendor',
  productname: 'hw.product',
  serialnumber: 'hw.serialno',
  uuid: 'hw.uuid',
}

const NETBSD: Readonly<Record<string, string>> = {
  biosversion: 'machdep.dmi.board-version',
  biosvendor: 'machdep.dmi.bios-vendor',
  manufacturer: 'machdep.dmi.system-vendor',
  serialnumber: 'machdep.dmi.system-serial',
  productname: 'machdep.dmi.system-product',
  biosreleasedate: 'machdep.dmi.bios-date',
  uuid: 'machdep.dmi.system-uuid',
}

const SYSFS = '/sys/class/dmi/id'

/** The files of Linux with firmware data. */
export const FIRMWARE_FILES: readonly string[] = Object.values(DMI_FILES).map((file) => `${SYSFS}/${file}`)

/** The commands for a machine whose kernel has no firmware files. */
export const FIRMWARE_QUESTIONS = {
  folder: SYSFS,
  commands: [...Object.values(DMIDECODE), ...SERIALS].map((keyword) => ['dmidecode', '-s', keyword]),
}

export async function hardwareGrains(machine: Machine, kernel: string): Promise<Dict> {
  if (kernel === 'Linux' && (await machine.exists(SYSFS))) return fromSysfs(machine)
  if ((await machine.which('dmidecode')) !== undefined) return fromDmidecode(machine)
  if ((await machine.which('fw_printenv')) !== undefined) return fromUboot(machine)
  switch (kernel) {
    case 'FreeBSD':
      return fromKenv(machine)
    case 'OpenBSD':
      return fromSysctl(machine, OPENBSD, (value) => !value.endsWith(' value is not available'))
    case 'NetBSD':
      return fromSysctl(machine, NETBSD, () => true)
    case 'Darwin':
      return fromDarwin(machine)
    default:
      return new Map()
  }
}

async function fromSysfs(machine: Machine): Promise<Dict> {
  const grains: Dict = new Map()
  const read = Object.entries(DMI_FILES).map(
    async ([grain, file]) => [grain, await machine.text(`${SYSFS}/${file}`)] as const,
  )
  for (const [grain, text] of await Promise.all(read)) {
    if (text !== undefined) grains.set(grain, grain === 'uuid' ? text.trim().toLowerCase() : text.trim())
  }
  return grains
}

async function dmidecode(machine: Machine, keyword: string): Promise<string | null> {
  const said = await machine.output('dmidecode', '-s', keyword)
  const value =
    said
      .split('\n')
      .filter((line) => !line.startsWith('#'))[0]
      ?.trim() ?? ''
  return cleanValue(keyword, value)
}

async function fromDmidecode(machine: Machine): Promise<Dict> {
  const grains: Dict = new Map()
  const asked = Object.entries(DMIDECODE).map(
    async ([grain, keyword]) => [grain, await dmidecode(machine, keyword)] as const,
  )
  for (const [grain, value] of await Promise.all(asked)) {
    if (value !== null) grains.set(grain, grain === 'uuid' ? value.toLowerCase() : value)
  }
  for (const keyword of SERIALS) {
    const serial = await dmidecode(machine, keyword)
    if (serial !== null) return grains.set('serialnumber', serial)
  }
  return grains
}

async function fromUboot(machine: Machine): Promise<Dict> {
  const grains: Dict = new Map()
  const names = { manufacturer: 'manufacturer', serialnumber: 'serial#', productname: 'DeviceDesc' }
  for (const [grain, name] of Object.entries(names)) {
    const ran = await machine.run('fw_printenv', name)
    if (ran?.retcode === 0) grains.set(grain, cleanValue(grain, ran.stdout.split('=')[1] ?? ''))
  }
  return grains
}

async function fromKenv(machine: Machine): Promise<Dict> {
  const grains: Dict = new Map()
  const kenv = await machine.which('kenv')
  if (kenv === undefined) return grains
  for (const [grain, name] of Object.entries(KENV)) {
    grains.set(grain, cleanValue(grain, await machine.output(kenv, name)))
  }
  return grains
}

async function fromSysctl(
  machine: Machine,
  names: Readonly<Record<string, string>>,
  isThere: (value: string) => boolean,
): Promise<Dict> {
  const grains: Dict = new Map()
  const sysctl = (await machine.which('sysctl')) ?? 'sysctl'
  for (const [grain, name] of Object.entries(names)) {
    const ran = await machine.run(sysctl, '-n', name)
    if (ran?.retcode === 0 && isThere(ran.stdout)) grains.set(grain, cleanValue(grain, ran.stdout))
  }
  return grains
}

async function fromDarwin(machine: Machine): Promise<Dict> {
  const grains: Dict = new Map<Value, Value>([['manufacturer', 'Apple Inc.']])
  const model = await machine.output((await machine.which('sysctl')) ?? 'sysctl', '-b', 'hw.model')
  return model.endsWith(' is invalid') ? grains : grains.set('productname', cleanValue('productname', model))
}

/** Return the grains from the device tree of boards without firmware tables. */
export async function deviceTreeGrains(machine: Machine): Promise<Dict> {
  const grains: Dict = new Map()
  if (!(await machine.isDirectory('/proc/device-tree'))) return grains
  const read = async (name: string): Promise<string> =>
    ((await machine.text(`/proc/device-tree/${name}`)) ?? '').replace(/\0+$/, '')
  const model = await read('model')
  const comma = model.indexOf(',')
  if (comma >= 0) grains.set('manufacturer', model.slice(0, comma)).set('productname', model.slice(comma + 1))
  else if (model !== '') grains.set('productname', model)
  const serial = (await read('serial-number')) || (await read('system-id'))
  return serial === '' ? grains : grains.set('serialnumber', serial)
}
