// Timeouts that consider delays of this process: if it was not scheduled, timers fire late while answers wait in its
// sockets, so these are read first.

/** Call `over` after this many milliseconds, after received data was read; the awaited answer may have arrived. */
export function whenOver(ms: number, over: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(over), ms)
}
