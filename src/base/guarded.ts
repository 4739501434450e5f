// Background work, such as callbacks of timers and events. No caller waits for it, so an error would end the whole
// daemon; it is logged instead.
import { toError } from './errors.ts'
import type { Log } from './log.ts'
import { StorageError } from './storage-error.ts'

/** Return a function that does the work and logs the error when the work fails. `what` begins the log line. */
export function guarded<Args extends unknown[]>(
  log: Log,
  what: string,
  work: (...args: Args) => unknown,
): (...args: Args) => void {
  const failed = (error: unknown): void => {
    // a full disk is no bug, so the log needs no stack
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
