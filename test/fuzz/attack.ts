// The common parts of attackers: an attack is chosen at random, has a short description, and returns the received data.
import type { Chance } from '../faults/chance.ts'

export interface Attack {
  what: string
  /** Resolves with the received data, which must contain no secret. */
  run(): Promise<unknown>
}

export type Attacker = (chance: Chance) => Attack

/** Seconds that attackers wait for an answer. */
export const PATIENCE = 0.5

/** An answer, or the reason why there is none. */
export async function answerOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    return String(error)
  }
}
