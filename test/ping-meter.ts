// Pings a daemon without a pause, to see whether it answers while something else goes on: what blocks its event loop blocks
// pings for as long.

export interface Pings {
  /** How many were answered. */
  answered: number
}

/** Start pinging; the returned function stops it and returns the results. */
export function pingMeter(ping: () => Promise<unknown>): () => Promise<Pings> {
  const pings: Pings = { answered: 0 }
  let isOver = false
  const pinging = (async (): Promise<void> => {
    while (!isOver) {
      await ping()
      pings.answered++
      await new Promise((done) => setImmediate(done))
    }
  })()
  return async () => {
    isOver = true
    await pinging
    return pings
  }
}
