// The grains of the operating system: kernel, distribution, processors, memory, hardware and virtualization.
// Independent queries run at the same time.
import { type Dict, dictFrom, type Value } from '../data/mod.ts'
import { cleanValue } from './clean-value.ts'
import { bsdCpuGrains, linuxCpuGrains } from './cpu.ts'
import { distributionGrains, releaseGrains } from './distribution.ts'
import { gpuGrains, linuxGpus, parseDisplays } from './gpu.ts'
import { deviceTreeGrains, hardwareGrains } from './hardware.ts'
import { initSystem } from './init-system.ts'
import type { Machine } from './machine.ts'
import { memoryGrains } from './memory.ts'
import { virtualGrains } from './virtual.ts'
import { hypervisorGrains } from './virtual-kernel.ts'
import { windowsGrains } from './windows.ts'

interface Uname {
  kernel: string
  nodename: string
  kernelrelease: string
  kernelversion: string
  cpuarch: string
}

/** Read files of the kernel if they exist, which is cheaper than a command. */
export async function unameOf(machine: Machine): Promise<Uname> {
  const names = ['ostype', 'hostname', 'osrelease', 'version', 'arch'].map((name) => `/proc/sys/kernel/${name}`)
  const texts = await Promise.all(names.map((name) => machine.text(name)))
  const ask = async (at: number, option: string): Promise<string> =>
    texts[at]?.trim() ?? (await machine.output('uname', option))
  const [kernel, nodename, kernelrelease, kernelversion, cpuarch] = await Promise.all([
    ask(0, '-s'),
    ask(1, '-n'),
    ask(2, '-r'),
    ask(3, '-v'),
    ask(4, '-m'),
  ])
  return { kernel, nodename, kernelrelease, kernelversion, cpuarch }
}

export async function osGrains(machine: Machine, opts: Dict, isWindows = false): Promise<Dict> {
  if (isWindows) return windowsGrains(machine)
  const uname = await unameOf(machine)
  const grains: Dict = new Map<Value, Value>([['num_gpus', 0], ['gpus', []], ...Object.entries(uname)])
  const hardware = hardwareGrains(machine, uname.kernel)
  const [system, memory, hardwareFound, virtual] = await Promise.all([
    systemGrains(machine, opts, uname),
    memoryGrains(machine, uname.kernel),
    hardware,
    hardware.then((found) => virtualGrains(machine, uname.kernel, opts, found)),
  ])
  const hypervisor = await hypervisorGrains(machine, String(virtual.get('virtual')))
  for (const part of [system, memory, hardwareFound, virtual, hypervisor]) {
    for (const [name, value] of part) grains.set(name, value)
  }
  const text = (name: string): string => String(grains.get(name) ?? '')
  grains.set('osarch', await osArch(machine, text('os_family'), text('cpuarch')))
  grains.set('ps', psCommand(text('os'), text('os_family'), text('virtual')))
  for (const [name, value] of releaseGrains(text('os'), text('osfullname'), text('osrelease'))) grains.set(name, value)
  return grains
}

async function systemGrains(machine: Machine, opts: Dict, uname: Uname): Promise<Dict> {
  switch (uname.kernel) {
    case 'Linux':
      return linuxGrains(machine, opts)
    case 'Darwin':
      return darwinGrains(machine)
    case 'FreeBSD':
    case 'OpenBSD':
    case 'NetBSD':
      return bsdGrains(machine, uname)
    default:
      return dictFrom({ os: uname.kernel, os_family: 'Unknown' })
  }
}

async function linuxGrains(machine: Machine, opts: Dict): Promise<Dict> {
  // in parallel with the queries for the distribution's family
  const [parts, init] = await Promise.all([
    Promise.all([
      selinuxGrain(machine),
      systemdGrain(machine),
      distributionGrains(machine),
      linuxCpuGrains(machine),
      linuxGpus(machine, opts).then(gpuGrains),
      deviceTreeGrains(machine),
    ]),
    initSystem(machine),
    machine.which('dpkg').then((dpkg) => (dpkg === undefined ? '' : machine.output(dpkg, '--print-architecture'))),
  ])
  return new Map([['init', init as Value], ...parts.flatMap((part) => [...part])])
}

async function selinuxGrain(machine: Machine): Promise<Dict> {
  const program = await machine.which('selinuxenabled')
  if (program === undefined) return new Map()
  const selinux: Dict = new Map<Value, Value>([['enabled', (await machine.run(program))?.retcode === 0]])
  const getenforce = await machine.which('getenforce')
  if (getenforce !== undefined) selinux.set('enforced', (await machine.output(getenforce)).trim())
  return new Map([['selinux', selinux]])
}

async function systemdGrain(machine: Machine): Promise<Dict> {
  const [systemctl, localectl] = await Promise.all([machine.which('systemctl'), machine.which('localectl')])
  if (systemctl === undefined || localectl === undefined) return new Map()
  const ran = await machine.run(systemctl, '--version')
  const [first = '', second = ''] = ran?.retcode === 0 ? ran.stdout.split('\n') : []
  const version = first.startsWith('systemd ') ? first.split(/\s+/)[1] : undefined
  const systemd = dictFrom({ version: version ?? 'UNDEFINED', features: version === undefined ? '' : second })
  return new Map([['systemd', systemd]])
}

async function darwinGrains(machine: Machine): Promise<Dict> {
  const asked = ['-productVersion', '-productName', '-buildVersion'].map((option) => machine.output('sw_vers', option))
  const [cpu, displays, profile, ...said] = await Promise.all([
    bsdCpuGrains(machine, 'Darwin'),
    machine.output('system_profiler', 'SPDisplaysDataType'),
    machine.output('system_profiler', 'SPHardwareDataType'),
    ...asked,
  ])
  const [release, name, build] = said as string[]
  return new Map<Value, Value>([
    ['os', 'MacOS'],
    ['os_family', 'MacOS'],
    ['osfullname', `${name} ${release}`],
    ['osrelease', release!],
    ['osbuild', build!],
    ['init', 'launchd'],
    ...cpu,
    ...gpuGrains(parseDisplays(displays)),
    ...darwinHardware(profile),
  ])
}

const DARWIN_FIELDS: ReadonlyMap<string, string> = new Map([
  ['Model Name', 'model_name'],
  ['Boot ROM Version', 'boot_rom_version'],
  ['SMC Version (system)', 'smc_version'],
  ['Serial Number (system)', 'system_serialnumber'],
])

export function darwinHardware(profile: string): Dict {
  const grains: Dict = new Map()
  for (const line of profile.split('\n')) {
    const cut = line.indexOf(': ')
    const name = DARWIN_FIELDS.get(line.slice(0, Math.max(cut, 0)).trim())
    if (name !== undefined) grains.set(name, cleanValue(name, line.slice(cut + 2)))
  }
  return grains
}

async function bsdGrains(machine: Machine, { kernel, kernelrelease }: Uname): Promise<Dict> {
  const [cpu, version] = await Promise.all([
    bsdCpuGrains(machine, kernel),
    kernel === 'FreeBSD' ? machine.output('freebsd-version', '-u') : '',
  ])
  const release = (version || kernelrelease).split('-')[0]!
  return new Map<Value, Value>([
    ['os', kernel],
    ['os_family', kernel],
    ['osrelease', release],
    ['osfullname', `${kernel} ${release}`],
    ...cpu,
  ])
}

/** Return the architecture as the package manager names it. */
async function osArch(machine: Machine, family: string, cpuarch: string): Promise<Value> {
  switch (family) {
    case 'Debian':
      return (await machine.output((await machine.which('dpkg')) ?? 'dpkg', '--print-architecture')).trim()
    case 'RedHat':
    case 'Suse': {
      const rpm = await machine.which('rpm')
      const said = rpm === undefined ? cpuarch : (await machine.output(rpm, '--eval', '%{_host_cpu}')).trim()
      return said || 'unknown'
    }
    case 'NILinuxRT':
    case 'Poky':
      return opkgArchitectures(await machine.output('opkg', 'print-architecture'))
    default:
      return cpuarch
  }
}

/** `arch name priority` lines, highest priority first. */
export function opkgArchitectures(listing: string): string[] {
  const rows = listing
    .split('\n')
    .filter((line) => line.startsWith('arch'))
    .map((line) => line.trim().split(/\s+/))
  return rows.sort((a, b) => Number(b[2]) - Number(a[2])).map((row) => row[1]!)
}

const BSD_PS = new Set(['FreeBSD', 'NetBSD', 'OpenBSD', 'MacOS'])

function psCommand(os: string, family: string, virtual: string): string {
  if (BSD_PS.has(os)) return 'ps auxwww'
  if (virtual === 'openvzhn') {
    const own = `grep -l "^envID:[[:space:]]*0\\$" /proc/[0-9]*/status | sed -e "s=/proc/\\([0-9]*\\)/.*=\\1="`
    return `ps -fH -p $(${own})  | awk '{ $7=""; print }'`
  }
  return family === 'NILinuxRT' ? 'ps -o user,pid,ppid,tty,time,comm' : 'ps -efHww'
}
