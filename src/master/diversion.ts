// A master that does not hear the other masters of its cluster, or cannot carry out its records, such as on a full disk, sends its minions to
// the others: it has no jobs for the minions, and the others cannot reach them. It closes the connections to its publications and takes no new ones for a while, and refuses each minion's first
// attempts to sign in. A minion that finds no other master comes back and is served.
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
  /** When each accepted minion first asked to sign in. */
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

  /** Whether a minion that asks to sign in should ask another master. */
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
