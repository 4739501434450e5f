// Index of subscriptions. A subscription is a prefix of the first frame; prefixes are found by their lengths, of which
// there are few, so that a message to one of ten thousand minions need not check all of them.

export class TopicIndex<Subscriber> {
  private readonly byPrefix = new Map<string, Set<Subscriber>>()
  /** How many prefixes have each length. */
  private readonly lengths = new Map<number, number>()

  add(prefix: string, subscriber: Subscriber): void {
    const known = this.byPrefix.get(prefix)
    if (known !== undefined) {
      known.add(subscriber)
      return
    }
    this.byPrefix.set(prefix, new Set([subscriber]))
    this.lengths.set(prefix.length, (this.lengths.get(prefix.length) ?? 0) + 1)
  }

  delete(prefix: string, subscriber: Subscriber): void {
    const known = this.byPrefix.get(prefix)
    if (known?.delete(subscriber) !== true || known.size > 0) return
    this.byPrefix.delete(prefix)
    const left = this.lengths.get(prefix.length)! - 1
    if (left > 0) this.lengths.set(prefix.length, left)
    else this.lengths.delete(prefix.length)
  }

  /** Return the subscribers of a message that begins with this text. */
  matching(start: string): Iterable<Subscriber> {
    let found: Set<Subscriber> | undefined
    let merged = false
    for (const length of this.lengths.keys()) {
      const set = length <= start.length ? this.byPrefix.get(start.slice(0, length)) : undefined
      if (set === undefined) continue
      if (found === undefined) found = set
      else {
        found = merged ? found : new Set(found)
        merged = true
        for (const subscriber of set) found.add(subscriber)
      }
    }
    return found ?? []
  }
}
