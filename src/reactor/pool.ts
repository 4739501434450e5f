// Work for a bounded number at a time, from a queue that is bounded, too.
export class Pool {
  private readonly width: number
  private readonly room: number
  private readonly waiting: Array<() => void> = []
  private active = 0

  constructor(width: number, room: number) {
    this.width = Math.max(1, width)
    this.room = room
  }

  /** How many calls could start at once. */
  get free(): number {
    return Math.max(0, this.width - this.active)
  }

  /** Undefined when the queue is full. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.active >= this.width && this.waiting.length >= this.room) return undefined
    return this.begin(work)
  }

  private async begin<T>(work: () => Promise<T>): Promise<T> {
    if (this.active >= this.width) await new Promise<void>((done) => this.waiting.push(done))
    this.active++
    try {
      return await work()
    } finally {
      this.active--
      this.waiting.shift()?.()
    }
  }
}
