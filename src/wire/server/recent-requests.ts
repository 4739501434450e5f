// The requests that the master answered a short while ago. A minion that receives no answer repeats its request, and an attacker can
// repeat a recorded request. The master gives a repeated request the same answer and does not carry it out again. It remembers
// the answers None, True and False, and all answers of commands that act; a command that only reads can run again. The number
// and the size of remembered answers are bounded.
import { decodeMsgpack, encodeMsgpack } from '../../data/mod.ts'

/** Bytes of an answer that is remembered; the request of a longer one is, and is answered with an empty mapping. */
const LONGEST_ANSWER = 512

/** Requests that are remembered, and their bytes. */
const MOST = 100_000
const MOST_BYTES = 32 << 20
/** Memory of a request besides its name and its answer. */
const ENTRY_BYTES = 100

/** How many generations share the lifetime, the number and the bytes. */
const GENERATIONS = 10

/** An answer as its sent bytes; one character for each, which takes less memory than a buffer. */
class PackedAnswer {
  readonly text: string

  constructor(bytes: Uint8Array) {
    this.text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  }

  read(): unknown {
    return decodeMsgpack(Buffer.from(this.text, 'latin1'), { dialect: 'wire' })
  }
}

/** Consecutive requests. They are forgotten together, so that a request needs no record besides its answer. */
class Generation {
  readonly began: number
  /** When the last request came, in milliseconds of a steady clock. */
  last: number
  bytes = 0
  readonly answers = new Map<string, unknown>()

  constructor(now: number) {
    this.began = this.last = now
  }

  set(request: string, answer: unknown, now: number): void {
    this.last = now
    this.bytes += cost(request, answer) - cost(request, this.answers.get(request))
    this.answers.set(request, answer)
  }

  delete(request: string): void {
    this.bytes -= cost(request, this.answers.get(request))
    this.answers.delete(request)
  }
}

function cost(request: string, answer: unknown): number {
  if (answer === undefined) return 0
  return ENTRY_BYTES + request.length + (answer instanceof PackedAnswer ? answer.text.length : 0)
}

export class RecentRequests {
  private readonly lifetime: number
  private readonly most: number
  /** The oldest first. */
  private generations: Generation[] = []

  /** `lifetime`: seconds that a request is remembered. */
  constructor(lifetime: number, most: number = MOST) {
    this.lifetime = lifetime * 1000
    this.most = most
  }

  /** Return the result of `run`; a known request gets its first answer. An acting request never runs again. */
  once(request: string, run: () => unknown, acts = false): unknown {
    const known = this.find(request)
    if (known instanceof Promise) return known.then((answer) => (acts || isBrief(answer) ? answer : run()))
    if (known instanceof PackedAnswer) return known.read()
    if (known !== undefined) return known
    const answer = run()
    if (answer instanceof Promise) this.await(request, answer, acts)
    else if (acts || isBrief(answer)) this.keep(request, kept(answer))
    return answer
  }

  /** While the answer is made, a repetition waits for it. */
  private await(request: string, answer: Promise<unknown>, acts: boolean): void {
    const generation = this.keep(request, answer)
    const replace = (value: unknown): void => {
      generation.delete(request)
      if (value !== undefined) this.keep(request, value)
    }
    answer.then(
      (value) => replace(acts || isBrief(value) ? kept(value) : undefined),
      // some of it may have been done
      () => replace(acts ? NOTHING : undefined),
    )
  }

  private find(request: string): unknown {
    this.forgetOld(performance.now())
    return this.generations.findLast(({ answers }) => answers.has(request))?.answers.get(request)
  }

  /** Remember a request that no generation has; return the generation that has it now. */
  private keep(request: string, answer: unknown): Generation {
    const now = performance.now()
    const newest = this.newest(now)
    newest.set(request, answer, now)
    this.forgetOld(now)
    return newest
  }

  /** Return the generation of requests that come now. */
  private newest(now: number): Generation {
    const newest = this.generations.at(-1)
    const isOpen =
      newest &&
      newest.answers.size < this.most / GENERATIONS &&
      newest.bytes < MOST_BYTES / GENERATIONS &&
      now - newest.began < this.lifetime / GENERATIONS
    if (isOpen) return newest
    const next = new Generation(now)
    this.generations.push(next)
    return next
  }

  private forgetOld(now: number): void {
    let [count, bytes] = [0, 0]
    // from the newest on, within the limit
    const from = this.generations.findLastIndex((generation) => {
      const isOver = now - generation.last >= this.lifetime || count >= this.most
      count += generation.answers.size
      bytes += generation.bytes
      return isOver || bytes > MOST_BYTES
    })
    if (from >= 0) this.generations = this.generations.slice(from + 1)
  }
}

const NOTHING: ReadonlyMap<unknown, unknown> = new Map()

function kept(answer: unknown): unknown {
  if (isBrief(answer)) return answer
  const bytes = encodeMsgpack(answer, 'wire')
  return bytes.length <= LONGEST_ANSWER ? new PackedAnswer(bytes) : NOTHING
}

const isBrief = (answer: unknown): boolean => answer === null || typeof answer === 'boolean'
