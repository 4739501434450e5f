// Long work in slices, between which others get a turn.
import { setImmediate as nextTick } from 'node:timers/promises'

const SLICE_MS = 8

/** Return a function that long work calls in its loop: it waits for a turn when the work has had its share. */
export function slices(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined
    return nextTick().then(() => {
      began = performance.now()
    })
  }
}
