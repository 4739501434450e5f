// How much of something each of many keys may take per second, with a burst. What is remembered is bounded: keys that have not
// taken anything for a while are forgotten.

export interface RateSettings {
  perSecond: number
  /** What may be taken at once after a pause. */
  burst: number
  /** Keys that are remembered at once. */
  most?: number
  /** Gives milliseconds. */
  now?: () => number
}

export class Rates {
  private readonly settings: Required<RateSettings>
  private readonly known = new Map<string, { level: number; at: number }>()

  constructor(settings: RateSettings) {
    this.settings = { most: 10_000, now: () => performance.now(), ...settings }
  }

  /** Return what this key may take now. */
  left(key: string): number {
    const { burst, perSecond, now } = this.settings
    const known = this.known.get(key)
    return known === undefined ? burst : Math.min(burst, known.level + ((now() - known.at) / 1000) * perSecond)
  }

  /** Take an amount, also where less is left; a negative amount is given back. */
  spend(key: string, amount = 1): void {
    const level = this.left(key) - Math.min(amount, this.settings.burst)
    this.known.delete(key)
    if (this.known.size >= this.settings.most) this.forget()
    this.known.set(key, { level, at: this.settings.now() })
  }

  /** Take an amount if so much is left; return whether it was. */
  take(key: string, amount = 1): boolean {
    if (this.left(key) < amount) return false
    this.spend(key, amount)
    return true
  }

  /**
   * Forget keys that have all they may have. If most keys do not, forget an eighth of all, beginning with those that took
   * nothing for longest: so this is not done again for every new key.
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
