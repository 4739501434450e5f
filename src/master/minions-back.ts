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
  const began = performance.now()
  let known = 0
  let since = began
  for (let now = began; now - began < mostMs; now = performance.now()) {
    const { subscribers } = publications
    if (subscribers !== known) since = now
    known = subscribers
    if (known > 0 && now - since > calmMs) return
    await sleep(LOOK_MS)
  }
}
