// Requests that were answered a short while ago. A minion that hears no answer sends the same request again, and somebody
// who recorded it can do so, too: it gets the same answer and is not carried out a second time. Answers of nothing, true or
// false are remembered, and all answers of commands that act; what reads can be done again.
import { encodeMsgpack } from '../../data/mod.ts'

/** Bytes of an answer that is remembered; the request of a longer one is, and is answered with an empty mapping. */
const LONGEST_ANSWER = 512

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

  /** Give what `run` answers; a request that is known gets its first answer. One that acts never runs again. */
  once(request: string, run: () => unknown, acts = false): unknown {
    const known = this.remembered.get(request)?.answer
    if (known instanceof Promise) return known.then((answer) => (acts || isBrief(answer) ? answer : run()))
    if (known !== undefined) return known
    const answer = run()
    if (answer instanceof Promise) this.await(request, answer, acts)
    else if (acts || isBrief(answer)) this.keep(request, kept(answer))
    return answer
  }

  /** While the answer is made, a repetition waits for it. */
  private await(request: string, answer: Promise<unknown>, acts: boolean): void {
    this.keep(request, answer)
    const forget = (): void => void this.remembered.delete(request)
    answer.then(
      (value) => (acts || isBrief(value) ? this.keep(request, kept(value)) : forget()),
      // some of it may have been done
      () => (acts ? this.keep(request, NOTHING) : forget()),
    )
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

const NOTHING: ReadonlyMap<unknown, unknown> = new Map()

function kept(answer: unknown): unknown {
  return isBrief(answer) || encodeMsgpack(answer, 'wire').length <= LONGEST_ANSWER ? answer : NOTHING
}

const isBrief = (answer: unknown): boolean => answer === null || typeof answer === 'boolean'
