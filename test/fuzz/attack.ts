// What attackers have in common: an attack is made by chance, says in a few words what it is, and gives what came back.
import type { Chance } from '../faults/chance.ts'

export interface Attack {
  what: string
  /** Resolves with what came back, which must hold no secret. */
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
