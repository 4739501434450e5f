// The entries of `ext_pillar` with Git repositories. A master without such entries loads nothing of Git for its pillar.
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, type Value } from '../data/mod.ts'

/** Return the entries `git` of `ext_pillar`. */
export function gitEntries(opts: Dict): Dict[] {
  const configured: Value = option(opts, 'ext_pillar')
  return (isList(configured) ? configured : []).filter(isDict).filter((entry) => [...entry.keys()][0] === 'git')
}
