// Chance that can be repeated: the same seed gives the same choices.
export class Chance {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 0x100000000
  }

  /** A whole number from the first to the last. */
  whole(first: number, last: number): number {
    return first + Math.floor(this.next() * (last - first + 1))
  }

  of<T>(items: readonly T[]): T {
    return items[this.whole(0, items.length - 1)]!
  }
}
