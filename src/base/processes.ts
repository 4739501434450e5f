// Other processes of this machine, and child processes of the same program.
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
  // other systems have no /proc, and the process may have ended
  return recover(isAnyError, false, () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // the program name is in parentheses and may contain any character
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  })
}

/** Environment variable that tells a child process of the same program its purpose. */
export const PURPOSE_VARIABLE = 'BRINE_PROCESS'
