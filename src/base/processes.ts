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

/** Return a text that identifies a process, also against later processes with the same number. */
export function processMark(pid: number): string {
  // the start time is the 22nd field; systems without /proc have none
  return `${pid}:${statFields(pid)?.[19] ?? ''}`
}

/** Whether the process of a mark still runs. */
export function isRunning(mark: string): boolean {
  const pid = Number.parseInt(mark, 10)
  return pid > 0 && !isGone(pid) && processMark(pid) === mark
}

/** Whether a process has ended and only waits until its parent looks, which the first process of a container may never do. */
const isZombie = (pid: number): boolean => /^[ZX]/.test(statFields(pid)?.[0] ?? '')

/** Return the fields of `/proc/PID/stat` from the third one on; undefined if the process has ended or the system has no /proc. */
function statFields(pid: number): string[] | undefined {
  return recover(isAnyError, undefined, () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // the program name is in parentheses and may contain any character
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .trim()
      .split(' ')
  })
}

/** Environment variable that tells a child process of the same program its purpose. */
export const PURPOSE_VARIABLE = 'BRINE_PROCESS'
