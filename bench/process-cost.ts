// The cost of one run of a program: wall time, CPU time, and peak memory.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { median } from './measure.ts'

export interface ProcessCost {
  wallMs: number
  cpuMs: number
  peakMiB: number
}

/** The kernel's unit of process times. */
const TICK_MS = 10
/** The kernel keeps the high-water mark itself; it only has to be read before the process is gone. */
const POLL_MS = 10

/** The environment of a service: variables of a developer's shell, which make interpreters load more, are left out. */
const PLAIN = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']

const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(PLAIN.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

/** CPU milliseconds of all children that have ended, from the 16th and 17th field of stat. */
function endedChildrenCpu(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    // it has just ended
    return 0
  }
}

/** Run a program to its end; a failure is an error with its last output. */
export function processCost(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<ProcessCost> {
  return new Promise((resolve, reject) => {
    const cpuBefore = endedChildrenCpu()
    const started = performance.now()
    const child = spawn(command, args, { env: { ...plainEnvironment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let peakMiB = 0
    let tail = ''
    const poll = setInterval(() => {
      peakMiB = Math.max(peakMiB, peakOf(child.pid!))
    }, POLL_MS)
    const keep = (chunk: Buffer): void => {
      tail = (tail + chunk.toString('latin1')).slice(-1000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(poll)
      const wallMs = performance.now() - started
      if (code === 0) resolve({ wallMs, cpuMs: endedChildrenCpu() - cpuBefore, peakMiB })
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${tail}`))
    })
  })
}

/** The median of each figure. */
export function medianCost(costs: ProcessCost[]): ProcessCost {
  const of = (what: keyof ProcessCost): number => median(costs.map((cost) => cost[what]))
  return { wallMs: of('wallMs'), cpuMs: of('cpuMs'), peakMiB: of('peakMiB') }
}
