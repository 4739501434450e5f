// Other processes of this machine, and those that a program starts as its own.
import { readFileSync } from 'node:fs'
import { isAnyError, recover } from './recover.ts'

/** Whether no process of that number runs; one of another user runs all the same. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Whether a process has ended and only waits until its parent looks, which the first process of a container may never do. */
function isZombie(pid: number): boolean {
  // other systems do not tell, and a process may end meanwhile
  return recover(isAnyError, false, () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // the name of the program stands in parentheses and may hold any character
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  })
}

/** Tells a program that it was started by itself, and what for. */
export const PURPOSE_VARIABLE = 'BRINE_PROCESS'
