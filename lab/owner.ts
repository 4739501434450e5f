// Everything a lab makes on the machine carries the process id of its owner in its name, so that a later lab can tell
// what was left behind by one that crashed from what belongs to one that runs.
import { readFileSync } from 'node:fs'

const PREFIX = 'brine-lab-'

export const OWN_NAME = `${PREFIX}${process.pid}`

/** Whether a process runs; one that has ended and waits to be fetched by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Whether a thing of this name was left behind by a lab whose process is gone. */
export function isLeftover(name: string): boolean {
  const pid = /^(\d+)$/.exec(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '')?.[1]
  return pid !== undefined && !isAlive(Number(pid))
}
