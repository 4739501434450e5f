// A state's answer while it is being built.
import type { Dict } from '../../../../data/mod.ts'

export interface Report {
  ret: Dict
  changes: Dict
  comments: string[]
}
