// A failed command with its details: Salt's CommandExecutionError with its `info`. The text contains the info below the
// message; a state that reports the changes separately shows the message only.
import { type Dict, isDict, SaltError, truthy, type Value } from '../data/mod.ts'
import { displayPlain } from '../output/mod.ts'

export class CommandError extends SaltError {
  /** The message without the info. */
  readonly error: string
  readonly info: Value
  /** The text for a report that has the changes elsewhere. */
  readonly withoutChanges: string

  constructor(error: string, info: Value = null) {
    super('CommandExecutionError', truthy(info) ? described(error, info) : error)
    this.error = error
    this.info = info
    this.withoutChanges = this.message
    if (!isDict(info) || !truthy(info)) return
    const rest: Dict = new Map([...info].filter(([key]) => key !== 'changes'))
    this.withoutChanges = rest.size > 0 ? described(error, rest) : error
  }
}

function described(error: string, info: Value): string {
  const stop = error === '' ? '' : `${error}${/[.?!]$/.test(error) ? '' : '.'} `
  return `${stop}Additional info follows:\n\n${nestedText(info)}`
}

/** Data as the nested outputter shows it, for comments. */
export function nestedText(data: Value): string {
  return displayPlain('nested', data)
}
