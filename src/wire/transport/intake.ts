// Bytes that peers sent and that are not answered yet, all connections together. When there are too many, whoever holds
// most is cut off: a few who send much and never end cannot keep out the many who send little.

const MOST_HELD: number = 1 << 29

/** A connection as the holder of bytes. */
export interface Holder {
  /** Says that it is cut off; called once. */
  overflow(): void
}

export class Intake {
  private readonly most: number
  private readonly held = new Map<Holder, number>()
  private total = 0

  constructor(most: number = MOST_HELD) {
    this.most = most
  }

  /** How many bytes are held. */
  get bytes(): number {
    return this.total
  }

  /** More or fewer bytes are held for this connection. */
  change(holder: Holder, bytes: number): void {
    if (bytes === 0) return
    const now = (this.held.get(holder) ?? 0) + bytes
    // what was cut off may still let go of something
    if (now < 0 || (bytes < 0 && !this.held.has(holder))) return
    this.total += bytes
    if (now === 0) this.held.delete(holder)
    else this.held.set(holder, now)
    while (this.total > this.most) this.relieve()
  }

  /** The connection is over. */
  forget(holder: Holder): void {
    this.total -= this.held.get(holder) ?? 0
    this.held.delete(holder)
  }

  private relieve(): void {
    let largest: Holder | undefined
    let most = 0
    for (const [holder, bytes] of this.held) {
      if (bytes <= most) continue
      most = bytes
      largest = holder
    }
    if (largest === undefined) return
    this.forget(largest)
    largest.overflow()
  }
}

/** The one of this process. */
export const intake: Intake = new Intake()

/** What is smaller is not counted while it is answered: it costs less than its counting. */
export const WORTH_COUNTING = 1024
