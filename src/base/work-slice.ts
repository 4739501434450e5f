// Long work on the event loop, in slices: after some milliseconds of work other callbacks run before the work goes on.
import { setImmediate as othersRan } from 'node:timers/promises'

/** Milliseconds of work in one slice. */
const SLICE_MS = 10

export class WorkSlice {
  private began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.began >= SLICE_MS
  }

  /** Let other callbacks run, and begin the next slice. */
  async next(): Promise<void> {
    await othersRan()
    this.began = performance.now()
  }
}
