// The report of a state while its steps complete it. Functions of the `file` module take and return it as a dict.
import type { Dict, Value } from '../../../../data/mod.ts'
import { toValue } from '../../../../sdk/mod.ts'

export type Answer = {
  name: Value
  changes: Dict
  result: boolean | null
  comment: string
  warnings?: string[]
  skip_req?: true
}

export const begin = (name: Value): Answer => ({ name, changes: new Map(), result: true, comment: '' })

export const fail = (answer: Answer, comment: string): Answer => ({ ...answer, result: false, comment })

export const asDict = (answer: Answer): Dict => toValue(answer) as Dict

/** Return the report of a dict that a function of the `file` module returned. */
export function fromDict(ret: Dict): Answer {
  return Object.fromEntries(ret) as unknown as Answer
}

/** Return a dict of fields. */
/** Return the message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
