// When a message that comes again and again is due in the log: at once, then after 10 s, 20 s, 40 s and so on, and every ten
// minutes at last.

export interface RepeatSettings {
  firstMs?: number
  mostMs?: number
  /** Keys that are remembered at once. */
  most?: number
  /** Gives milliseconds. */
  now?: () => number
}

interface Known {
  dueAt: number
  interval: number
}

export class Repeats {
  private readonly settings: Required<RepeatSettings>
  private readonly known = new Map<string, Known>()

  constructor(settings: RepeatSettings = {}) {
    this.settings = { firstMs: 10_000, mostMs: 600_000, most: 10_000, now: () => performance.now(), ...settings }
  }

  /** Return whether the message of this key is due now, and count it as written if so. */
  due(key = ''): boolean {
    const { firstMs, mostMs, most, now } = this.settings
    const known = this.known.get(key)
    if (known === undefined) {
      if (this.known.size >= most) this.known.delete(this.known.keys().next().value!)
      this.known.set(key, { dueAt: now() + firstMs, interval: firstMs })
      return true
    }
    if (now() < known.dueAt) return false
    known.interval = Math.min(mostMs, known.interval * 2)
    known.dueAt = now() + known.interval
    return true
  }

  /** Forget a key: its next message is a first one again. */
  over(key = ''): void {
    this.known.delete(key)
  }
}
