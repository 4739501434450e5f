// Waits until something is so, and says what it waited for when it does not come. The limit ends what hangs and is no
// measure: it leaves a busy machine all the time that it may need.
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
