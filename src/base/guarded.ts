// Work that nobody waits for: of timers, events and calls that go on by themselves. An error there would end the whole
// daemon, so it ends in the log.
import { toError } from './errors.ts'
import type { Log } from './log.ts'
import { StorageError } from './storage-error.ts'

/** Returns a function that does the work and logs what it throws, or rejects with. `what` is the beginning of that line. */
export function guarded<Args extends unknown[]>(
  log: Log,
  what: string,
  work: (...args: Args) => unknown,
): (...args: Args) => void {
  const failed = (error: unknown): void => {
    // the state of a disk is no fault of ours, so nobody needs the lines that led to it
    const text = error instanceof StorageError ? error.message : (toError(error).stack ?? '')
    log('error', `${what} failed: ${text}`)
  }
  return (...args) => {
    try {
      const doing = work(...args)
      if (doing instanceof Promise) doing.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
