// Whether the machine is virtual, and how: from detection programs, then from files of the kernel.
import { option } from '../config/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { Machine } from './machine.ts'
import { refineOnFreebsd, refineOnLinux } from './virtual-kernel.ts'
import {
  fromDetectVirt,
  fromDmidecode,
  fromLspci,
  fromSystemProfiler,
  fromVirtWhat,
  type Virtual,
} from './virtual-programs.ts'

export async function virtualGrains(machine: Machine, kernel: string, opts: Dict, hardware: Dict): Promise<Dict> {
  const found: Virtual = { virtual: 'physical', ...(await askPrograms(machine, kernel, opts)) }
  if (kernel === 'Linux') await refineOnLinux(machine, found, String(hardware.get('productname') ?? ''))
  else if (kernel === 'FreeBSD') await refineOnFreebsd(machine, found)
  else if (kernel === 'OpenBSD') {
    const maker = hardware.get('manufacturer')
    if (maker === 'QEMU' || maker === 'Red Hat' || maker === 'Joyent') found.virtual = 'kvm'
    if (maker === 'OpenBSD') found.virtual = 'vmm'
  }
  if (found.subtype && found.virtual === 'physical') found.virtual = 'virtual'
  if (['qemu', 'kvm', 'xen', 'amazon'].includes(found.virtual)) await refineByVendor(machine, found)
  const grains: Dict = new Map<Value, Value>([['virtual', found.virtual]])
  return found.subtype ? grains.set('virtual_subtype', found.subtype) : grains
}

type Answer = Partial<Virtual> | undefined

/** Return the result of the first program that has one; undefined from a parser continues with the next. */
async function askPrograms(machine: Machine, kernel: string, opts: Dict): Promise<Answer> {
  if (kernel === 'AIX') return undefined
  if (kernel === 'Darwin') {
    return fromSystemProfiler(await machine.output('system_profiler', 'SPDisplaysDataType'))
  }
  const readers: Array<[program: string, read: (output: string) => Answer]> =
    (await machine.which('virt-what')) === undefined
      ? [
          ['systemd-detect-virt', fromDetectVirt],
          ['dmidecode', fromDmidecode],
        ]
      : [['virt-what', fromVirtWhat]]
  if (option(opts, 'enable_lspci') && (await machine.exists('/proc/bus/pci'))) {
    readers.push(['lspci', fromLspci])
  }
  for (const [program, read] of readers) {
    const path = await machine.which(program)
    const ran = path === undefined ? undefined : await machine.run(path)
    if (ran === undefined || ran.retcode > 0) continue
    const answer = read(ran.stdout)
    if (answer !== undefined) return answer
  }
  return undefined
}

/** Clouds that run on one of the hypervisors above. */
async function refineByVendor(machine: Machine, found: Virtual): Promise<void> {
  const dmidecode = await machine.which('dmidecode')
  if (dmidecode === undefined) return
  const output = await machine.output(dmidecode, '-t', 'system')
  if (output.includes('Manufacturer: Amazon EC2')) {
    if (found.virtual !== 'xen') found.virtual = 'Nitro'
    const product = /Product Name: ([^\r\n]*)/.exec(output)?.[1]
    found.subtype = product === undefined ? 'Amazon EC2' : `Amazon EC2 (${product})`
  } else if (/Version: [^\r\n]+\.amazon/.test(output)) found.subtype = 'Amazon EC2'
  else if (output.includes('Manufacturer: Nutanix') && output.includes('Product Name: AHV')) {
    found.subtype = 'Nutanix AHV'
  }
}
