// Time that is over. A process that gets no time of the machine finds its timers late and answers in its sockets: what has
// come by then counts, so it is read first.

/** Calls after so many milliseconds, when what has come till then was read; whoever it is about may have been served. */
export function whenOver(ms: number, over: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(over), ms)
}
