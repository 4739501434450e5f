// Matchers by their kind.
import { PyError, quote, type Value } from '../data/mod.ts'
import { data, grain, grainPcre, pillar, pillarExact, pillarPcre, resource } from './by-data.ts'
import { glob, list, managingMinion, pcre } from './by-id.ts'
import { compound, nodegroup } from './compound.ts'
import { ipcidr } from './ipcidr.ts'
import type { Matcher, MatchOptions, MatchSubject } from './subject.ts'

/** Matchers by `tgt_type`, in the names of the command line, top files and the wire. */
export const matchers: ReadonlyMap<string, Matcher> = new Map([
  ['glob', glob],
  ['pcre', pcre],
  ['list', list],
  ['grain', grain],
  ['grain_pcre', grainPcre],
  ['pillar', pillar],
  ['pillar_pcre', pillarPcre],
  ['pillar_exact', pillarExact],
  ['data', data],
  ['ipcidr', ipcidr],
  ['compound', compound],
  ['nodegroup', nodegroup],
  ['resource', resource],
  ['managing_minion', managingMinion],
])

/** Asks the matcher of that name; an unknown one throws the KeyError that Salt raises. */
export function match(kind: string, target: Value, subject: MatchSubject, options?: MatchOptions): Value {
  const matcher = matchers.get(kind)
  if (matcher === undefined) throw new PyError('KeyError', quote(`${kind}_match.match`))
  return matcher(target, subject, options)
}
