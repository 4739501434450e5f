// The cost of a running daemon so far, all its processes together: Salt's master is many.
import { readdirSync, readFileSync } from 'node:fs'

/** The kernel's unit of process times. */
const TICK_S = 0.01

export interface TreeCost {
  cpuS: number
  /** Proportional set size: a page that processes share counts once, and in part for those outside. */
  memoryMiB: number
  /** The sum of the processes' resident memory, shared or not. */
  residentMiB: number
  processes: number
}

function statFields(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    // it has just ended
    return []
  }
}

export function processTree(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statFields(Number(name))[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = [root]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

function memoryOf(pid: number, kind: 'Pss' | 'Rss'): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024
  } catch {
    // it has just ended
    return 0
  }
}

export function treeCost(root: number): TreeCost {
  const pids = processTree(root)
  const ticks = (fields: readonly string[]): number =>
    [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0)
  return {
    cpuS: pids.reduce((sum, pid) => sum + ticks(statFields(pid)), 0) * TICK_S,
    memoryMiB: pids.reduce((sum, pid) => sum + memoryOf(pid, 'Pss'), 0),
    residentMiB: pids.reduce((sum, pid) => sum + memoryOf(pid, 'Rss'), 0),
    processes: pids.length,
  }
}
