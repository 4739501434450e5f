// What a process holds, as the system sees it.
import { readdirSync, readFileSync } from 'node:fs'

export interface Held {
  descriptors: number
  memoryMiB: number
}

export function holds(pid: number): Held {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    memoryMiB: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
  }
}
