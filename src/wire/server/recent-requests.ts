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
/** What a request costs besides its name and its answer. */
const ENTRY_BYTES = 200

/** An answer in the bytes in which it is sent; one character for each, which takes less memory than a buffer. */
class PackedAnswer {
  readonly text: string

  constructor(bytes: Uint8Array) {
    this.text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  }

  read(): unknown {
    return decodeMsgpack(Buffer.from(this.text, 'latin1'), { dialect: 'wire' })
  }
}

interface Remembered {
  answer: unknown
  bytes: number
  /** In milliseconds of a steady clock. */
  at: number
}

export class RecentRequests {
  private readonly remembered = new Map<string, Remembered>()
  private readonly lifetime: number
  private readonly most: number
  private bytes = 0

  /** `lifetime`: seconds that a request is remembered. */
  constructor(lifetime: number, most: number = MOST) {
    this.lifetime = lifetime * 1000
    this.most = most
  }

  /** Give what `run` answers; a request that is known gets its first answer. One that acts never runs again. */
  once(request: string, run: () => unknown, acts = false): unknown {
    const known = this.remembered.get(request)?.answer
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
    this.keep(request, answer)
    const forget = (): void => this.forget(request)
    answer.then(
      (value) => (acts || isBrief(value) ? this.keep(request, kept(value)) : forget()),
      // some of it may have been done
      () => (acts ? this.keep(request, NOTHING) : forget()),
    )
  }

  private keep(request: string, answer: unknown): void {
    const now = performance.now()
    this.forget(request)
    const bytes = ENTRY_BYTES + request.length + (answer instanceof PackedAnswer ? answer.text.length : 0)
    this.bytes += bytes
    this.remembered.set(request, { answer, bytes, at: now })
    for (const [oldest, { at }] of this.remembered) {
      if (this.remembered.size <= this.most && this.bytes <= MOST_BYTES && now - at < this.lifetime) break
      this.forget(oldest)
    }
  }

  private forget(request: string): void {
    this.bytes -= this.remembered.get(request)?.bytes ?? 0
    this.remembered.delete(request)
  }
}

const NOTHING: ReadonlyMap<unknown, unknown> = new Map()

function kept(answer: unknown): unknown {
  if (isBrief(answer)) return answer
  const bytes = encodeMsgpack(answer, 'wire')
  return bytes.length <= LONGEST_ANSWER ? new PackedAnswer(bytes) : NOTHING
}

const isBrief = (answer: unknown): boolean => answer === null || typeof answer === 'boolean'
