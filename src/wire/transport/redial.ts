// A connection that is made again whenever it is lost, and the pauses between attempts.
import { toError } from '../../base/mod.ts'
import type { ConnectionWatch } from './outage.ts'

/** Milliseconds before the n-th attempt in a row, from 1. */
export type Pauses = (attempt: number) => number

export interface RedialHooks {
  /** Connect, and return a function that disconnects; `ended` is called once, when the connection ended or failed. */
  dial: (ended: (error: Error | undefined) => void) => () => void
  delay: Pauses
  onClose?: (error: Error | undefined) => void
  watch?: ConnectionWatch | undefined
}

/** A connection that lasted this long resets the pauses. */
const STABLE_MS = 5000

export class Redial {
  private readonly hooks: RedialHooks
  private hangUp: () => void = () => {}
  private timer: NodeJS.Timeout | undefined
  private attempts = 0
  /** When the connection began to work; undefined while it does not. */
  private upSince: number | undefined
  private closed = false

  constructor(hooks: RedialHooks) {
    this.hooks = hooks
    this.open()
  }

  /** The connection works. */
  succeeded(): void {
    this.upSince = performance.now()
    this.hooks.watch?.works()
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    this.hangUp()
  }

  private open(): void {
    try {
      this.hangUp = this.hooks.dial((error) => this.ended(error))
    } catch (error) {
      // a requirement of the connection, such as a certificate, may exist at the next attempt
      this.ended(toError(error))
    }
  }

  private ended(error: Error | undefined): void {
    this.hooks.onClose?.(error)
    if (this.closed) return
    if (this.upSince === undefined) this.hooks.watch?.failed(error)
    else this.hooks.watch?.lost(error)
    // wait before retrying a peer that accepts connections and closes them at once
    if (this.upSince !== undefined && performance.now() - this.upSince >= STABLE_MS) this.attempts = 0
    this.upSince = undefined
    this.attempts++
    this.timer = setTimeout(() => this.open(), this.hooks.delay(this.attempts))
  }
}

/** Number of attempts at short intervals, about 30 s. */
const QUICK_ATTEMPTS = 80
const FIRST_MS = 100
const QUICK_MS = 500
const SLOW_MS = 10_000

/**
 * Brine's own pauses: at most half a second while a master restarts, growing to ten seconds for a master that stays away. Each is
 * random in its upper half, so that thousands of minions do not come at the same moment.
 */
export function quickPauses(most = SLOW_MS, random: () => number = Math.random): Pauses {
  return (attempt) => {
    const growth = (from: number, doublings: number, ceiling: number): number =>
      Math.min(ceiling, from * 2 ** Math.min(doublings, 20))
    const isQuick = attempt <= QUICK_ATTEMPTS
    const pause = isQuick
      ? growth(FIRST_MS, attempt - 1, QUICK_MS)
      : growth(QUICK_MS, attempt - QUICK_ATTEMPTS, Math.max(QUICK_MS, most))
    return Math.round((pause * (1 + random())) / 2)
  }
}

/** Salt's pauses of a subscriber: one chosen at random between the first and the sum of both, or doubling to a ceiling. */
export function reconnectDelays(first = 1000, most = 10_000, randomize = true): Pauses {
  if (!randomize) return (attempt) => Math.min(first * 2 ** Math.min(attempt - 1, 20), Math.max(first, most))
  const chosen = first + Math.floor(Math.random() * (most + 1))
  return () => chosen
}
