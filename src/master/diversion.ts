// Diversion of minions: a master that does not receive the records of its cluster, or cannot carry them out (for
// example on a full disk), sends its minions to the other masters, because it has no jobs for them and the others
// cannot reach them. It closes the publish connections, accepts no new ones for a while, and refuses the first sign-in
// attempts of each minion. A minion that finds no other master comes back and is served.
import type { Log } from '../base/mod.ts'
import type { Trouble } from '../cluster/mod.ts'

/** Milliseconds without publications: a minion of Salt looks for its connection every 30 seconds as a rule. */
export const CLOSED_MS = 40_000
/** Milliseconds from a minion's first attempt to sign in until it is let in again. */
export const REFUSED_MS = 20_000

const REASONS: Record<Trouble, string> = {
  deaf: 'This master does not hear the others of its cluster',
  stuck: 'This master cannot carry out jobs as the others of its cluster can',
}

export interface DiversionParts {
  publisher: { turnAway(isAway: boolean): void }
  isAccepted(id: string): boolean
  log: Log
  now?: () => number
}

export class Diversion {
  private readonly parts: DiversionParts
  private readonly now: () => number
  private isDiverting = false
  private opening: NodeJS.Timeout | undefined
  /** When each accepted minion first tried to sign in. */
  private readonly asked = new Map<string, number>()

  constructor(parts: DiversionParts) {
    this.parts = parts
    this.now = parts.now ?? (() => performance.now())
  }

  /** The master is in trouble, or no longer. */
  readonly divert = (trouble: Trouble | undefined): void => {
    const isDiverting = trouble !== undefined
    if (isDiverting === this.isDiverting) return
    this.isDiverting = isDiverting
    this.asked.clear()
    clearTimeout(this.opening)
    const { publisher, log } = this.parts
    publisher.turnAway(isDiverting)
    if (isDiverting) {
      this.opening = setTimeout(() => publisher.turnAway(false), CLOSED_MS).unref()
      log('error', `${REASONS[trouble]}: it sends its minions to them`)
    } else log('info', 'This master is at one with the others of its cluster again and takes minions')
  }

  /** Whether to send a minion that signs in to another master. */
  refuses(id: string): boolean {
    if (!this.isDiverting || !this.parts.isAccepted(id)) return false
    const since = this.asked.get(id) ?? this.now()
    this.asked.set(id, since)
    return this.now() - since < REFUSED_MS
  }

  close(): void {
    clearTimeout(this.opening)
  }
}
