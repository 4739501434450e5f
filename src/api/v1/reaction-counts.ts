// Counts of the reactions of each rule. Each record is read once, in time slices; records of unfinished reactions are
// read again.
import { type Dict, isDict, isList, str } from '../../data/mod.ts'
import type { KeptReaction, ReactionStore } from '../../store/mod.ts'
import { slices } from './slices.ts'

export interface RuleCounts {
  hits: number
  errors: number
  /** Seconds since 1970. */
  lastHit?: number
  lastError?: string
}

const PAGE = 200

const callsIn = (record: Dict): Dict[] => {
  const calls = record.get('calls') ?? null
  return isList(calls) ? calls.filter(isDict) : []
}

/** Return the error texts of a reaction. */
function errorsIn(record: Dict): string[] {
  const errors = record.get('errors') ?? null
  const failed = callsIn(record).filter((call) => call.get('state') === 'failed')
  return [...(isList(errors) ? errors.map(str) : []), ...failed.map((call) => str(call.get('error') ?? ''))]
}

/** Return the state of a reaction. */
export function stateOfReaction(record: Dict): 'done' | 'failed' | 'running' {
  const isOpen = callsIn(record).some((call) => ['waiting', 'running'].includes(str(call.get('state') ?? 'waiting')))
  if (isOpen || ((record.get('calls') ?? null) === null && errorsIn(record).length === 0)) return 'running'
  return errorsIn(record).length > 0 ? 'failed' : 'done'
}

export class ReactionCounts {
  private readonly store: () => ReactionStore
  private readonly rules = new Map<string, RuleCounts>()
  private last = 0
  /** Reactions that were unfinished at the last read. */
  private readonly open = new Set<number>()
  private following: Promise<void> | undefined

  constructor(store: () => ReactionStore) {
    this.store = store
  }

  of(rule: string): RuleCounts {
    return this.rules.get(rule) ?? { hits: 0, errors: 0 }
  }

  /** Read the reactor's records since the last call. */
  follow(): Promise<void> {
    this.following ??= this.read().finally(() => {
      this.following = undefined
    })
    return this.following
  }

  private async read(): Promise<void> {
    const turn = slices()
    for (const id of [...this.open]) {
      const reaction = this.store().one(id)
      if (!reaction) this.open.delete(id)
      else this.settle(reaction)
      await turn()
    }
    for (;;) {
      const page = this.store().after(this.last, PAGE)
      for (const reaction of page) {
        this.count(reaction)
        await turn()
      }
      if (page.length < PAGE) return
    }
  }

  private count(reaction: KeptReaction): void {
    const { id, at, record } = reaction
    this.last = id
    this.open.add(id)
    for (const rule of rulesIn(record)) {
      const counts = this.of(rule)
      this.rules.set(rule, { ...counts, hits: counts.hits + 1, lastHit: at })
    }
    this.settle(reaction)
  }

  /** Count the error of a reaction that has ended. */
  private settle({ id, record }: KeptReaction): void {
    const state = stateOfReaction(record)
    if (state === 'running') return
    this.open.delete(id)
    if (state === 'done') return
    const [lastError = ''] = errorsIn(record)
    for (const rule of rulesIn(record)) {
      const counts = this.of(rule)
      this.rules.set(rule, { ...counts, errors: counts.errors + 1, lastError })
    }
  }
}

const rulesIn = (record: Dict): string[] => {
  const rules = record.get('rules') ?? null
  return isList(rules) ? rules.map(str) : []
}
