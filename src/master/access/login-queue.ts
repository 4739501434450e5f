// A bound on the logins that one system judges at the same time. Anybody can ask for more of them than a machine has
// processes, sockets and memory for, before it is known who asks.
const AT_ONCE = 8
const MOST_WAITING = 256

export class LoginQueue {
  private running = 0
  private readonly waiting: Array<() => void> = []

  /** Whether a further login would be turned away. */
  get isFull(): boolean {
    return this.waiting.length >= MOST_WAITING
  }

  /** Judge a login when it is its turn. A place that becomes free passes to the first that waits. */
  async judge(check: () => boolean | Promise<boolean>): Promise<boolean> {
    if (this.running < AT_ONCE) this.running++
    else await new Promise<void>((next) => this.waiting.push(next))
    try {
      return await check()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }
}
