// The report of a state while it is built; the output of a command may replace any part of it.
import { type Dict, dictFrom, type Value } from '../../../../data/mod.ts'

export type Answer = {
  name: Value
  changes: Value
  result: boolean | null
  comment: Value
}

export const begin = (name: string): Answer => ({ name, changes: new Map(), result: true, comment: '' })

export const fail = (answer: Answer, comment: string): Answer => ({ ...answer, result: false, comment })

export const asReport = (answer: Answer): Dict => dictFrom(answer)
