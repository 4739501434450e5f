// Memory of minions' requests that are being answered, in values. A request of a few bytes can hold many values, and some requests
// wait for a long time. One minion may have so many values in the master, however many connections it opens.
import type { ValueAllowance } from '../../data/mod.ts'

/** Smaller requests are not counted: they cost less than their counting. */
const WORTH_COUNTING = 256

/** The reading of one request, and the end of its answer. */
export interface Underway extends ValueAllowance {
  /** Whether the request is large enough to count; `end` has to be called only then. */
  readonly isCounted: boolean
  end(): void
}

export class RequestsUnderway {
  private readonly most: number
  private readonly values = new Map<string, number>()

  /** `most` is how many values one minion may have in the master. */
  constructor(most: number) {
    this.most = most
  }

  /** Begin to read a request that is sealed with the key of this minion. */
  begin(id: string): Underway {
    const { values, most } = this
    let spent = 0
    const change = (count: number): void => {
      const now = (values.get(id) ?? 0) + count
      if (now > 0) values.set(id, now)
      else values.delete(id)
    }
    return {
      get left(): number {
        return most - (values.get(id) ?? 0)
      },
      get isCounted(): boolean {
        return spent > 0
      },
      spend(count): void {
        if (count < WORTH_COUNTING) return
        spent += count
        change(count)
      },
      end(): void {
        change(-spent)
        spent = 0
      },
    }
  }
}
