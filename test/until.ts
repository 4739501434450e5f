// Waits for a condition; the error names it. The time limit ends hanging tests and measures nothing: a busy machine
// gets the time that it needs.
import { setTimeout as sleep } from 'node:timers/promises'

export const PATIENCE_SECONDS = 120

export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  seconds = PATIENCE_SECONDS,
): Promise<void> {
  const limit = performance.now() + seconds * 1000
  while (!(await holds())) {
    if (performance.now() > limit) throw new Error(`not within ${seconds} s: ${what}`)
    await sleep(50)
  }
}
