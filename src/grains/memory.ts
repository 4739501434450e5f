// Memory and swap, in mebibytes.
import { type Dict, dictFrom } from '../data/mod.ts'
import type { Machine } from './machine.ts'

const both = (memory: number, swap: number): Dict => dictFrom({ mem_total: memory, swap_total: swap })

const MEBI = 1024 * 1024

export async function memoryGrains(machine: Machine, kernel: string): Promise<Dict> {
  switch (kernel) {
    case 'Linux':
      return linuxMemory(await machine.lines('/proc/meminfo'))
    case 'Darwin':
      return darwinMemory(machine)
    case 'FreeBSD':
    case 'OpenBSD':
    case 'NetBSD':
      return bsdMemory(machine, kernel)
    default:
      return new Map([['mem_total', 0]])
  }
}

function linuxMemory(lines: readonly string[]): Dict {
  const kibibytes = (name: string): number => {
    const line = lines.find((candidate) => candidate.split(':')[0]!.trim() === name)
    return Number.parseInt(line?.split(':')[1]?.trim() ?? '0', 10)
  }
  return both(Math.floor(kibibytes('MemTotal') / 1024), Math.floor(kibibytes('SwapTotal') / 1024))
}

const POWERS: Readonly<Record<string, number>> = { K: 1024, M: MEBI, G: 1024 * MEBI }

async function darwinMemory(machine: Machine): Promise<Dict> {
  const sysctl = await machine.which('sysctl')
  if (sysctl === undefined) return both(0, 0)
  const [memory, usage] = await Promise.all([
    machine.output(sysctl, '-n', 'hw.memsize'),
    machine.output(sysctl, '-n', 'vm.swapusage'),
  ])
  return both(Math.floor(Number(memory) / MEBI), swapOf(usage))
}

/** `total = 2048.00M  used = 512.00M …`, with a comma where the locale has one. */
export function swapOf(usage: string): number {
  const total = usage.trim().split(/\s+/)[2]?.replace(',', '.') ?? '0K'
  return Math.floor((Number.parseFloat(total) * (POWERS[total.at(-1)!] ?? 0)) / MEBI)
}

async function bsdMemory(machine: Machine, kernel: string): Promise<Dict> {
  const sysctl = await machine.which('sysctl')
  if (sysctl === undefined) return both(0, 0)
  let memory = await machine.output(sysctl, '-n', 'hw.physmem')
  if (kernel === 'NetBSD' && memory.startsWith('-')) memory = await machine.output(sysctl, '-n', 'hw.physmem64')
  const swap = kernel === 'FreeBSD' ? await machine.output(sysctl, '-n', 'vm.swap_total') : await swapctl(machine)
  return both(Math.floor(Number(memory) / MEBI), Math.floor(Number(swap) / MEBI))
}

async function swapctl(machine: Machine): Promise<string> {
  const said = await machine.output((await machine.which('swapctl')) ?? 'swapctl', '-sk')
  return said === 'no swap devices configured' ? '0' : (said.split(' ')[1] ?? '0')
}
