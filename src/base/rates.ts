// Rate limits per key: tokens per second with a burst. The number of remembered keys is bounded; idle keys are
// forgotten.

export interface RateSettings {
  perSecond: number
  /** Tokens that are available at once after a pause. */
  burst: number
  /** Keys that are remembered at once. */
  most?: number
  /** Gives milliseconds. */
  now?: () => number
}

interface Level {
  level: number
  at: number
  /** When the key was put behind all others. */
  placed: number
}

/** A key that takes something often is put behind the others so often, in milliseconds. */
const ORDER_MS = 1000

export class Rates {
  private readonly settings: Required<RateSettings>
  /** Ordered by the last use of each key, to a precision of `ORDER_MS`. */
  private readonly known = new Map<string, Level>()

  constructor(settings: RateSettings) {
    this.settings = { most: 10_000, now: () => performance.now(), ...settings }
  }

  /** Return the tokens that this key has now. */
  left(key: string): number {
    return this.leftOf(this.known.get(key), this.settings.now())
  }

  /** Take an amount, also where less is left; a negative amount is given back. */
  spend(key: string, amount = 1): void {
    const known = this.known.get(key)
    const now = this.settings.now()
    this.put(key, known, this.leftOf(known, now) - Math.min(amount, this.settings.burst), now)
  }

  /** Take an amount if enough is left; return whether it was taken. */
  take(key: string, amount = 1): boolean {
    const known = this.known.get(key)
    const now = this.settings.now()
    const left = this.leftOf(known, now)
    if (left < amount) return false
    this.put(key, known, left - Math.min(amount, this.settings.burst), now)
    return true
  }

  private leftOf(known: Level | undefined, now: number): number {
    const { burst, perSecond } = this.settings
    return known === undefined ? burst : Math.min(burst, known.level + ((now - known.at) / 1000) * perSecond)
  }

  private put(key: string, known: Level | undefined, level: number, now: number): void {
    if (known !== undefined && now - known.placed < ORDER_MS) {
      known.level = level
      known.at = now
      return
    }
    this.known.delete(key)
    if (this.known.size >= this.settings.most) this.forget()
    this.known.set(key, { level, at: now, placed: now })
  }

  /**
   * Forget keys with a full allowance. If too many keys remain, forget an eighth of all, the longest unused first, so
   * that this work is not repeated for every new key.
   */
  private forget(): void {
    const { most, burst } = this.settings
    for (const key of this.known.keys()) if (this.left(key) >= burst) this.known.delete(key)
    const few = most - Math.ceil(most / 8)
    for (const key of this.known.keys()) {
      if (this.known.size <= few) break
      this.known.delete(key)
    }
  }
}
