// The report of a state of git.
import { type Dict, str, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'

/** A report that the steps of a state complete. */
export class Report {
  readonly name: string
  readonly changes: Dict = new Map()
  readonly comments: string[] = []
  readonly warnings: string[] = []
  private readonly ctx: StateContext

  constructor(ctx: StateContext, name: string) {
    this.ctx = ctx
    this.name = name
  }

  get changed(): boolean {
    return this.changes.size > 0
  }

  end(result: boolean | null, comment: string): StateReturn {
    const { name, changes, warnings } = this
    return { name, result, comment, changes, ...(warnings.length > 0 && { warnings }) }
  }

  done(): StateReturn {
    return this.end(true, sentences(this.comments))
  }

  /** Report the changes that a dry run predicts. */
  foreseen(comment: string): StateReturn {
    return this.end(null, comment)
  }

  failed(message: string): StateReturn {
    const { comments } = this
    const made = comments.length === 0 ? '' : `\n\nChanges already made: ${sentences(comments)}`
    return this.end(false, `${message}${made}`)
  }

  upToDate(target: string, comments: readonly string[] = [], localChanges = false): StateReturn {
    const dirty = localChanges
      ? ", but with uncommitted changes. Set 'force_reset' to True to purge uncommitted changes."
      : ''
    return this.end(true, `Repository ${target} is up-to-date${dirty}${this.made(comments)}`)
  }

  alreadyCloned(target: string, branch: string | null): StateReturn {
    const at = branch ? ` and is checked out to branch '${branch}'` : ''
    return this.end(true, `Repository already exists at ${target}${at}`)
  }

  private made(comments: readonly string[]): string {
    if (comments.length === 0) return ''
    return `\n\nChanges ${this.ctx.test ? 'that would be ' : ''}made: ${sentences(comments)}`
  }
}

export function sentences(comments: readonly string[]): string {
  return `${comments.join('. ')}${comments.length > 1 ? '.' : ''}`
}

/** Return the message of git without the command. */
export const said = (error: Error): string => error.message.replace(/^Command ['"].+['"] failed: /, '')

export const short = (hash: string | null): string => (hash === null ? 'None' : hash.slice(0, 7))

/** Return the failure of undeclared keywords, or undefined. */
export function unknownKeywords(kwargs: ReadonlyMap<string, Value>): string | undefined {
  const unknown = [...kwargs].filter(([name]) => !name.startsWith('__'))
  if (unknown.length === 0) return undefined
  const listing = unknown.map(([name, value]) => `${name}=${str(value)}`).join(', ')
  return `The following keyword arguments are not valid: ${listing}`
}
