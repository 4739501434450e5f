// Requests that were answered a short while ago. A minion that hears no answer sends the same request again, and somebody
// who recorded it can do so, too: it gets the same answer and is not carried out a second time. Only the answers of commands
// that change something are remembered, which are nothing, true or false; what reads can be done again.

/** Requests that are remembered. */
const MOST = 100_000

interface Remembered {
  answer: unknown
  /** In milliseconds of a steady clock. */
  at: number
}

export class RecentRequests {
  private readonly remembered = new Map<string, Remembered>()
  private readonly lifetime: number
  private readonly most: number

  /** `lifetime`: seconds that a request is remembered. */
  constructor(lifetime: number, most: number = MOST) {
    this.lifetime = lifetime * 1000
    this.most = most
  }

  /** Give what `run` answers; a request that is known gets its first answer. */
  once(request: string, run: () => unknown): unknown {
    const known = this.remembered.get(request)?.answer
    if (known instanceof Promise) return known.then((answer) => (isBrief(answer) ? answer : run()))
    if (known !== undefined) return known
    const answer = run()
    if (isBrief(answer)) this.keep(request, answer)
    else if (answer instanceof Promise) this.await(request, answer)
    return answer
  }

  /** While the answer is made, a repetition waits for it. */
  private await(request: string, answer: Promise<unknown>): void {
    this.keep(request, answer)
    const forget = (): void => void this.remembered.delete(request)
    answer.then((value) => (isBrief(value) ? this.keep(request, value) : forget()), forget)
  }

  private keep(request: string, answer: unknown): void {
    const now = performance.now()
    this.remembered.delete(request)
    this.remembered.set(request, { answer, at: now })
    for (const [oldest, { at }] of this.remembered) {
      if (this.remembered.size <= this.most && now - at < this.lifetime) break
      this.remembered.delete(oldest)
    }
  }
}

const isBrief = (answer: unknown): boolean => answer === null || typeof answer === 'boolean'
