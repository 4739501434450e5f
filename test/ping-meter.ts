// Pings a daemon without a pause, to see whether it answers while something else goes on: what blocks its event loop blocks
// pings for as long.

export interface Pings {
  /** How many were answered. */
  answered: number
  /** How long the slowest took, in milliseconds. */
  slowest: number
}

/** Begins to ping; the returned function ends it and tells what came of it. */
export function pingMeter(ping: () => Promise<unknown>): () => Promise<Pings> {
  const pings: Pings = { answered: 0, slowest: 0 }
  let isOver = false
  const pinging = (async (): Promise<void> => {
    while (!isOver) {
      const sent = performance.now()
      await ping()
      pings.answered++
      pings.slowest = Math.max(pings.slowest, performance.now() - sent)
      await new Promise((done) => setImmediate(done))
    }
  })()
  return async () => {
    isOver = true
    await pinging
    return pings
  }
}
