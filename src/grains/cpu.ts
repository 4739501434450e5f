// Processors: their number, model and flags.
import { type Dict, dictFrom, type Value } from '../data/mod.ts'
import type { Machine } from './machine.ts'

/** Return CPU grains from /proc/cpuinfo, whose keys differ between architectures. */
export async function linuxCpuGrains(machine: Machine): Promise<Dict> {
  let count = 0
  let model = 'Unknown'
  let flags: Value[] = []
  for (const line of await machine.lines('/proc/cpuinfo')) {
    const [name, text] = line.split(':')
    if (text === undefined) continue
    const value = text.trim()
    switch (name!.trim()) {
      case 'processor':
        count++
        break
      case '# processors':
        count = Number.parseInt(value, 10)
        break
      case 'vendor_id':
      case 'model name':
      case 'cpu':
        model = value
        break
      case 'Processor':
        model = value.split('-')[0]!
        count = 1
        break
      case 'flags':
      case 'Features':
        flags = value.split(/\s+/).filter(Boolean)
        break
    }
  }
  return dictFrom({ num_cpus: count, cpu_model: model, cpu_flags: flags })
}

/** Return CPU grains from sysctl, on macOS and the BSDs. */
export async function bsdCpuGrains(machine: Machine, kernel: string): Promise<Dict> {
  const sysctl = await machine.which('sysctl')
  const arch = await machine.which('arch')
  const names = new Map([
    ['num_cpus', 'hw.ncpu'],
    ['cpuarch', 'hw.machine'],
    ['cpu_model', kernel === 'Darwin' ? 'machdep.cpu.brand_string' : 'hw.model'],
  ])
  if (kernel === 'Darwin') names.set('cpu_flags', 'machdep.cpu.features')
  const grains: Dict = new Map()
  if (sysctl !== undefined) {
    const asked = [...names].map(async ([grain, name]) => [grain, await machine.output(sysctl, '-n', name)] as const)
    for (const [grain, value] of await Promise.all(asked)) grains.set(grain, value)
  }
  if (arch !== undefined && kernel === 'OpenBSD') grains.set('cpuarch', await machine.output(arch, '-s'))
  const flags = grains.get('cpu_flags')
  if (typeof flags === 'string') grains.set('cpu_flags', flags.split(' '))
  if (kernel === 'NetBSD') grains.set('cpu_flags', netbsdFlags(await machine.output('cpuctl', 'identify', '0')))
  if (kernel === 'FreeBSD' && (await machine.isFile('/var/run/dmesg.boot'))) {
    grains.set('cpu_flags', freebsdFlags(await machine.lines('/var/run/dmesg.boot')))
  }
  const count = Number.parseInt(String(grains.get('num_cpus') ?? ''), 10)
  return grains.set('num_cpus', Number.isNaN(count) ? 1 : count)
}

export function netbsdFlags(identified: string): string[] {
  return identified
    .split('\n')
    .flatMap((line) => /^cpu[0-9]: features[0-9]? .+<(.+)>/.exec(line)?.[1]?.split(',') ?? [])
}

/** The indented lines after `CPU:` of the boot messages. */
export function freebsdFlags(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.startsWith('CPU: '))
  if (start < 0) return []
  const rest = lines.slice(start + 1).filter((line) => !line.startsWith('CPU: '))
  const end = rest.findIndex((line) => !line.startsWith(' '))
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .filter((line) => line.includes('Features'))
    .flatMap((line) => /<(.*?)>/.exec(line)?.[1]?.split(',') ?? [])
}
