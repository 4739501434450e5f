// The resources of a process, as the system reports them.
import { readdirSync, readFileSync } from 'node:fs'

export interface Held {
  descriptors: number
  memoryMiB: number
  /** The most memory it ever held. */
  peakMiB: number
}

export function holds(pid: number): Held {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    memoryMiB: field('VmRSS'),
    peakMiB: field('VmHWM'),
  }
}
