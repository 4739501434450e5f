// Event source for a user who may publish jobs but not read events. The source never yields an event; the user can still
// start jobs and see why the master refuses a job.
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError, type Log } from '../base/mod.ts'
import type { BusEvent } from '../bus/mod.ts'
import type { EventSource } from './collect.ts'

export class MuteEvents implements EventSource {
  private readonly closing = new AbortController()

  /** Replace a bus that cannot be reached because of permissions; throw for other errors. */
  static inPlaceOf(error: unknown, log: Log): MuteEvents {
    const isForbidden =
      error instanceof BrineError && error.code === 'BusUnreachable' && Object(error.cause).code === 'EACCES'
    if (!isForbidden) throw error
    log('warning', 'This user may not read the events of the master, so that no answers of minions will be seen')
    return new MuteEvents()
  }

  get isOpen(): boolean {
    return !this.closing.signal.aborted
  }

  want(): void {}

  async next(seconds: number): Promise<BusEvent | undefined> {
    await sleep(seconds * 1000, undefined, { signal: this.closing.signal }).catch(() => undefined)
    return undefined
  }

  close(): void {
    this.closing.abort()
  }
}
