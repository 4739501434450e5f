// Work that many minions request at the same time, such as a walk through a tree. Requests that come while the work runs share the next
// run, so each of them sees every change that was made before it came.

export class SharedWork<T> {
  private readonly running = new Map<string, Promise<T>>()
  private readonly waiting = new Map<string, Promise<T>>()

  /** Return the result of a run that begins after this call. */
  fresh(key: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.waiting.get(key)
    if (waiting) return waiting
    const begin = (): Promise<T> => {
      this.waiting.delete(key)
      return work()
    }
    const before = this.running.get(key) ?? Promise.resolve()
    const next = before.then(begin, begin)
    this.waiting.set(key, next)
    this.running.set(key, next)
    const done = (): void => {
      if (this.running.get(key) === next) this.running.delete(key)
    }
    next.then(done, done)
    return next
  }
}
