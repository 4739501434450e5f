// Targets in requests of minions. A minion must not be able to guess the pillar of others by patterns, nor to block the
// master with an expression that takes forever to match.
import type { Value } from '../data/mod.ts'
import type { TargetResolver } from './target-resolver.ts'

/** Minions may match pillar values of others only exactly. */
const EXACT: ReadonlyMap<string, string> = new Map([
  ['pillar', 'pillar_exact'],
  ['pillar_pcre', 'pillar_exact'],
  ['compound', 'compound_pillar_exact'],
])

const authorOf = (id: string): string => `minion ${id}`

export class MinionTargets {
  private readonly resolver: TargetResolver

  constructor(resolver: TargetResolver) {
    this.resolver = resolver
  }

  /** Returns the minions of a target that a minion requested; such a target compares only whole pillar values. */
  exact(asking: string, target: Value, kind: string): Promise<string[]> {
    return this.resolve(asking, target, EXACT.get(kind) ?? kind)
  }

  /** Return the ids that a publication of this minion reaches; undefined where the answer would reveal pillar of these minions. */
  async reached(asking: string, target: Value, kind: string): Promise<string[] | undefined> {
    const exact = new Set(await this.exact(asking, target, kind))
    const all = EXACT.has(kind) ? await this.resolve(asking, target, kind) : [...exact]
    return all.every((id) => exact.has(id)) ? all : undefined
  }

  /** Return the minions that a target in the configuration matches. */
  covered(target: Value): string[] {
    return this.resolver.covered(target)
  }

  /** Whether the requester may read this minion's mine entry, which it shares with a target only. */
  isMeant(owner: string, target: Value, kind: string, asking: string): Promise<boolean> {
    return this.resolver.isMeant({ author: authorOf(owner), target, kind }, asking)
  }

  private async resolve(asking: string, target: Value, kind: string): Promise<string[]> {
    return (await this.resolver.foreign({ author: authorOf(asking), target, kind })).minions
  }
}
