// Work that nobody waits for: of timers, events and calls that go on by themselves. An error there would end the whole
// daemon, so it ends in the log.
import { toError } from './errors.ts'
import type { Log } from './log.ts'

/** Returns a function that does the work and logs what it throws, or rejects with. `what` is the beginning of that line. */
export function guarded<Args extends unknown[]>(
  log: Log,
  what: string,
  work: (...args: Args) => unknown,
): (...args: Args) => void {
  const failed = (error: unknown): void => log('error', `${what} failed: ${toError(error).stack ?? ''}`)
  return (...args) => {
    try {
      const doing = work(...args)
      if (doing instanceof Promise) doing.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
