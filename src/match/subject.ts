// The subject of matching: one minion with its own data.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'

export interface MatchSubject {
  id: string
  grains: Dict
  pillar: Dict
  /** For `nodegroups` and `resources`. */
  opts: Dict
  /** The minion's own data store, for the `data` matcher. */
  data?: Dict
  log?: Log
}

export interface MatchOptions {
  delimiter?: string
  /** Another id to match in place of the minion's own. */
  id?: string | undefined
}

/** The answer is True or False, but for a few matchers that answer a wrong target with a value that is merely false. */
export type Matcher = (target: Value, subject: MatchSubject, options?: MatchOptions) => Value
