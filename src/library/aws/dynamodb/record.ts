// Records the results of a state about a table: comments, changes and the result.
import type { Dict } from '../../../data/mod.ts'
import type { StateReturn } from '../../../sdk/mod.ts'
import type { Part } from '../common/part.ts'

export class TableRecord {
  readonly old: Dict = new Map()
  readonly now: Dict = new Map()
  private readonly others: Dict = new Map()
  private readonly comments: string[] = []
  private result: boolean | null = true

  say(comment: string): void {
    this.comments.push(comment)
  }

  /** Record a prediction of a dry run. */
  foresee(comment: string): void {
    this.add({ result: null, comment })
  }

  fail(comment: string): void {
    this.add({ result: false, comment })
  }

  add({ result, comment, changes = new Map() }: Part): void {
    if (result !== true && this.result !== false) this.result = result
    this.comments.push(comment)
    for (const [name, change] of changes) this.others.set(name, change)
  }

  report(name: string): StateReturn {
    const changes = new Map(this.others)
    if (this.old.size > 0) changes.set('old', this.old)
    if (this.now.size > 0) changes.set('new', this.now)
    return { name, result: this.result, comment: this.comments.join(',\n'), changes }
  }
}
