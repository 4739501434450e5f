// Fair queue for work that many parties request: sign-ins, logins, targets to match. Each item has a path of keys, such
// as the host and the user name. The keys of each level take turns, so that a party with many items delays only itself.
// When the queue is full, the party with most items loses its newest one, so a flood cannot push out others.

/** Items that wait, by a path of keys. All paths of one queue have the same length. */
export class TurnQueue<Item> {
  private readonly branches = new Map<string, TurnQueue<Item>>()
  private readonly items: Item[] = []
  private count = 0

  get size(): number {
    return this.count
  }

  push([key, ...rest]: readonly string[], item: Item): void {
    this.count++
    if (key === undefined) {
      this.items.push(item)
      return
    }
    const branch = this.branches.get(key) ?? new TurnQueue<Item>()
    this.branches.set(key, branch)
    branch.push(rest, item)
  }

  /** Remove and return the next item. */
  next(): Item | undefined {
    if (this.count === 0) return undefined
    this.count--
    const [first] = this.branches
    if (first === undefined) return this.items.shift()
    const [key, branch] = first
    const item = branch.next()
    // move the key to the end
    this.branches.delete(key)
    if (branch.size > 0) this.branches.set(key, branch)
    return item
  }

  /** Remove and return the newest item of the party with most items. */
  dropNewest(): Item | undefined {
    if (this.count === 0) return undefined
    this.count--
    if (this.branches.size === 0) return this.items.pop()
    let largest: [key: string, branch: TurnQueue<Item>] | undefined
    for (const entry of this.branches) if (entry[1].size > (largest?.[1].size ?? 0)) largest = entry
    const [key, branch] = largest!
    const item = branch.dropNewest()
    if (branch.size === 0) this.branches.delete(key)
    return item
  }
}

export interface TurnSettings {
  /** How many items are worked on at the same time. */
  atOnce?: number
  /** How many items may wait. */
  mostWaiting: number
}

interface Waiting {
  begin(): void
  refuse(): void
}

/** A bound on work that is done at the same time. */
export class Turns {
  private readonly atOnce: number
  private readonly mostWaiting: number
  private readonly queue = new TurnQueue<Waiting>()
  private running = 0

  constructor({ atOnce = 8, mostWaiting }: TurnSettings) {
    this.atOnce = atOnce
    this.mostWaiting = mostWaiting
  }

  /** Do the work when its turn comes and return its result. If too many items wait, return the result of `refuse`. */
  run<Result>(
    path: readonly string[],
    work: () => Result | Promise<Result>,
    refuse: () => Result | Promise<Result>,
  ): Promise<Result> {
    return new Promise((done) => {
      // a work or a refusal that throws rejects the promise
      const begin = (): void => done(this.begun(work))
      const refused = (): void => done(new Promise((settle) => settle(refuse())))
      if (this.running < this.atOnce) {
        this.running++
        begin()
        return
      }
      this.queue.push(path, { begin, refuse: refused })
      if (this.queue.size > this.mostWaiting) this.queue.dropNewest()!.refuse()
    })
  }

  private async begun<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await work()
    } finally {
      // the place passes to the next that waits
      const next = this.queue.next()
      if (next === undefined) this.running--
      else next.begin()
    }
  }
}
