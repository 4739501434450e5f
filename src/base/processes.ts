// Other processes of this machine, and those that a program starts as its own.
/** Whether no process has that number; one of another user is there all the same. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Tells a program that it was started by itself, and what for. */
export const PURPOSE_VARIABLE = 'BRINE_PROCESS'
