// Whether this member hears the other members. Each member sends a beat through the NATS servers twice a second. A member that hears less
// than its half of the cluster is apart: the others may go on without it. A broken network shows here in four seconds, sooner than in
// the entries of the shared state. A member hears its own beats as well: when these stay away, its own connection is at fault, which
// says nothing about the others, and it connects anew.
import type { Listening, Nats } from './nats.ts'
import type { Seal } from './seal.ts'

export const BEAT_MS = 500
/**
 * Number of checks without a heartbeat after which a member counts as silent. While this process is not scheduled,
 * there are few checks.
 */
const SILENT_LOOKS = 8
/** Number of checks without an own heartbeat after which the connection is reopened, and between two attempts. */
const DEAF_LOOKS = 3
const AGAIN_LOOKS = 6
/** Looks without an own beat after which a member that finds no server is apart. */
const ALONE_LOOKS = 14

export interface ContactParts {
  nats: Pick<Nats, 'listen' | 'send' | 'renew'>
  seal: Seal
  member: string
  /** The number of members. */
  count: number
  /** The subject of the beats. */
  subject: string
  /** Called when this member is separated from the others, and when it receives their heartbeats again. */
  onApart(isApart: boolean): void
}

export class Contact {
  private readonly parts: ContactParts
  private readonly timer: NodeJS.Timeout
  private readonly listening: Listening
  /** Looks since the last beat of each member that was heard in this life. */
  private readonly silent = new Map<string, number>()
  /** Looks since the last own beat. */
  private deaf = 0
  private wasApart = false

  constructor(parts: ContactParts) {
    this.parts = parts
    this.listening = parts.nats.listen(parts.subject, ({ data }) => this.hear(data))
    this.timer = setInterval(() => this.beat(), BEAT_MS).unref()
  }

  close(): void {
    clearInterval(this.timer)
    this.listening.unsubscribe()
  }

  /** A member that was never heard may be of a version without beats, so it is not missed. */
  private get isApart(): boolean {
    const heard = [...this.silent.values()].filter((looks) => looks < SILENT_LOOKS).length
    const isLess = (count: number): boolean => count + 1 < this.parts.count / 2
    return this.silent.size > 0 && (isLess(heard) || (this.deaf >= ALONE_LOOKS && isLess(0)))
  }

  private beat(): void {
    const { nats, seal, member, subject } = this.parts
    this.deaf++
    if (this.deaf === 1) for (const [name, looks] of this.silent) this.silent.set(name, looks + 1)
    else if (this.deaf % AGAIN_LOOKS === DEAF_LOOKS) nats.renew('other')
    this.tell()
    nats.send(subject, seal.close(Buffer.from(member), subject))
  }

  private hear(data: Uint8Array): void {
    const { seal, subject, member } = this.parts
    let name = ''
    try {
      name = seal.open(data, subject).toString()
    } catch {
      // the log of the cluster reports messages that the members did not seal
      return
    }
    if (name === member) this.deaf = 0
    else this.silent.set(name, 0)
    this.tell()
  }

  private tell(): void {
    const { isApart } = this
    if (isApart === this.wasApart) return
    this.wasApart = isApart
    this.parts.onApart(isApart)
  }
}
