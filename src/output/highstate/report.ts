// Collects the output for one minion's states: the lines, the counts per result and the durations.
import { type Dict, dictGet, dictSet, numberOf, type Value } from '../../data/mod.ts'

export class HostReport {
  readonly lines: string[] = []
  /** States per result, which may be anything, and the states with warnings under `warnings`. */
  readonly counts: Dict = new Map()
  /** The colour of the minion's name. */
  color: string
  changes = 0
  /** Durations in milliseconds of sequential states, and of parallel states. */
  readonly serial: number[] = []
  readonly parallel: number[] = []

  constructor(color: string) {
    this.color = color
  }

  count(result: Value): number {
    return numberOf(dictGet(this.counts, result) ?? 0)!
  }

  add(result: Value, states: number): void {
    dictSet(this.counts, result, this.count(result) + states)
  }

  /** The number of states with any result. */
  get total(): number {
    let total = 0
    for (const count of this.counts.values()) total += numberOf(count)!
    return total - this.count('warnings')
  }
}
