// A bound on work that is done at the same time, such as sign-ins: each takes milliseconds of RSA. What waits is taken from the
// hosts in turn, so that one that asks for much does not keep the others waiting.
const AT_ONCE = 8

export class FairTurns {
  private readonly most: number
  private running = 0
  private readonly waiting = new Map<string, Array<() => void>>()

  constructor(most: number = AT_ONCE) {
    this.most = most
  }

  /** Does the work when it is the host's turn. */
  async run<Result>(host: string, work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.most) this.running++
    else await new Promise<void>((next) => this.queueOf(host).push(next))
    try {
      return await work()
    } finally {
      this.pass()
    }
  }

  private queueOf(host: string): Array<() => void> {
    const queue = this.waiting.get(host) ?? []
    this.waiting.set(host, queue)
    return queue
  }

  /** A place that becomes free passes to the host that waits for longest; it stands last again when more of it waits. */
  private pass(): void {
    const [first] = this.waiting
    if (first === undefined) {
      this.running--
      return
    }
    const [host, queue] = first
    const next = queue.shift()!
    this.waiting.delete(host)
    if (queue.length > 0) this.waiting.set(host, queue)
    next()
  }
}
