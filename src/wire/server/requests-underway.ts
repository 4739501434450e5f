// Memory of minions' requests that are being answered, in values. A request of a few bytes can hold many values, and some requests
// wait for a long time. One minion may have so many values in the master, however many connections it opens.
import type { ValueAllowance } from '../../data/mod.ts'

/** Smaller requests are not counted: counting costs more than they do. */
const WORTH_COUNTING = 256

export class RequestsUnderway {
  private readonly most: number
  private readonly values = new Map<string, number>()

  /** `most` is how many values one minion may have in the master. */
  constructor(most: number) {
    this.most = most
  }

  /** Begin to read a request that is sealed with the key of this minion. */
  begin(id: string): Underway {
    return new Underway(this, id)
  }

  left(id: string): number {
    return this.most - (this.values.get(id) ?? 0)
  }

  change(id: string, count: number): void {
    const now = (this.values.get(id) ?? 0) + count
    if (now > 0) this.values.set(id, now)
    else this.values.delete(id)
  }
}

/** The reading of one request, and the end of its answer. */
export class Underway implements ValueAllowance {
  private readonly requests: RequestsUnderway
  private readonly id: string
  private spent = 0

  constructor(requests: RequestsUnderway, id: string) {
    this.requests = requests
    this.id = id
  }

  get left(): number {
    return this.requests.left(this.id)
  }

  /** Whether the request is large enough to count; `end` has to be called only then. */
  get isCounted(): boolean {
    return this.spent > 0
  }

  spend(count: number): void {
    if (count < WORTH_COUNTING) return
    this.spent += count
    this.requests.change(this.id, count)
  }

  end(): void {
    this.requests.change(this.id, -this.spent)
    this.spent = 0
  }
}
