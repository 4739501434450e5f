// Memory of unanswered requests over all connections, in bytes. Above the limit, the connection with the most bytes is
// closed, so a few large, incomplete messages cannot block many small ones. Connections of unproven hosts share a
// smaller limit.

const MOST_HELD: number = 1 << 29
const MOST_UNPROVEN: number = 1 << 27

/** A connection as the holder of bytes. */
export interface Holder {
  /** Says that it is cut off; called once. */
  overflow(): void
  /** Whether the holder is unproven; called when it begins to hold bytes. */
  isStranger?(): boolean
}

export class Intake {
  private readonly most: number
  private readonly mostUnproven: number
  private readonly held = new Map<Holder, number>()
  private total = 0
  /** The unproven holders, and their bytes. */
  private readonly strangers = new Set<Holder>()
  private unproven = 0

  constructor(most: number = MOST_HELD, mostUnproven: number = Math.min(most, MOST_UNPROVEN)) {
    this.most = most
    this.mostUnproven = mostUnproven
  }

  /** How many bytes are held. */
  get bytes(): number {
    return this.total
  }

  /** More or fewer bytes are held for this connection. */
  change(holder: Holder, bytes: number): void {
    if (bytes === 0) return
    const now = (this.held.get(holder) ?? 0) + bytes
    // a closed connection may still release bytes
    if (now < 0 || (bytes < 0 && !this.held.has(holder))) return
    if (!this.held.has(holder) && holder.isStranger?.() === true) this.strangers.add(holder)
    this.total += bytes
    if (this.strangers.has(holder)) this.unproven += bytes
    if (now === 0) this.drop(holder)
    else this.held.set(holder, now)
    while (this.unproven > this.mostUnproven) this.relieve(this.strangers)
    while (this.total > this.most) this.relieve(this.held.keys())
  }

  /** The connection is over. */
  forget(holder: Holder): void {
    const bytes = this.held.get(holder) ?? 0
    this.total -= bytes
    if (this.strangers.has(holder)) this.unproven -= bytes
    this.drop(holder)
  }

  private drop(holder: Holder): void {
    this.held.delete(holder)
    this.strangers.delete(holder)
  }

  private relieve(among: Iterable<Holder>): void {
    let largest: Holder | undefined
    let most = 0
    for (const holder of among) {
      const bytes = this.held.get(holder) ?? 0
      if (bytes <= most) continue
      most = bytes
      largest = holder
    }
    if (largest === undefined) return
    this.forget(largest)
    largest.overflow()
  }
}

/** The intake of this process. */
export const intake: Intake = new Intake()

/** Shorter requests are not counted while they are answered: counting costs more than they do. */
const WORTH_COUNTING = 1024
/** Memory that a value takes on average, in bytes. */
const VALUE_BYTES = 64

/** Return how many bytes a request holds while it is answered: the request, its values, and an answer that may be as long. */
export function heldWhileAnswered(bytes: number, values: number): number {
  return bytes < WORTH_COUNTING ? 0 : 2 * bytes + VALUE_BYTES * values
}
