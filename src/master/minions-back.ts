// When minions are back after a master was away: each comes by itself and in its own time, so they are taken to be back when
// nobody new has come for a while.
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 50

export interface Patience {
  /** How long nobody new must have come, and how long is waited at most. */
  calmMs: number
  mostMs: number
}

export async function minionsBack(
  publications: { readonly subscribers: number },
  { calmMs, mostMs }: Patience = { calmMs: 1000, mostMs: 15_000 },
): Promise<void> {
  const end = performance.now() + mostMs
  let known = 0
  // in looks: while this process gets no time of the machine, nobody can come
  let calmLooks = 0
  while (performance.now() < end) {
    const { subscribers } = publications
    calmLooks = subscribers === known ? calmLooks + 1 : 0
    known = subscribers
    if (known > 0 && calmLooks * LOOK_MS > calmMs) return
    await sleep(LOOK_MS)
  }
}
