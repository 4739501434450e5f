// Waits until something is so, and says what it waited for when it does not come.
import { setTimeout as sleep } from 'node:timers/promises'

export async function until(what: string, holds: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  const limit = performance.now() + seconds * 1000
  while (!(await holds())) {
    if (performance.now() > limit) throw new Error(`not within ${seconds} s: ${what}`)
    await sleep(50)
  }
}
