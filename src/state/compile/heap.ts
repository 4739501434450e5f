// A priority queue: a sorted list of the initial items, which are usually in order already and then cost one comparison
// each, and a binary heap of later items.

export class Heap<T> {
  private readonly sorted: readonly T[]
  private taken = 0
  private readonly items: T[] = []
  private readonly before: (a: T, b: T) => boolean

  constructor(before: (a: T, b: T) => boolean, first: readonly T[] = []) {
    this.before = before
    this.sorted = first.toSorted((a, b) => (before(a, b) ? -1 : 1))
  }

  push(item: T): void {
    const { items, before } = this
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!before(item, items[parent]!)) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const { items, sorted } = this
    const first = items[0]
    if (this.taken < sorted.length && (first === undefined || this.before(sorted[this.taken]!, first))) {
      return sorted[this.taken++]
    }
    const last = items.pop()
    if (last !== undefined && items.length > 0) this.sink(last)
    return first
  }

  private sink(item: T): void {
    const { items, before } = this
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= items.length) break
      if (child + 1 < items.length && before(items[child + 1]!, items[child]!)) child++
      if (!before(items[child]!, item)) break
      items[at] = items[child]!
      at = child
    }
    items[at] = item
  }
}
