// The report of a state while functions complete it.
import type { Dict } from '../../../../data/mod.ts'

export interface Report {
  ret: Dict
  changes: Dict
  comments: string[]
}
