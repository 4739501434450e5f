// `pass_to_ext_pillars`: the options of a minion that go with its requests for pillar, to external sources.
import { BrineError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, deepCopy, isList, str, subtree, update } from '../data/mod.ts'

/** Return the options that the minion sends, with the dicts around them. */
export function passedToExtPillars(opts: Dict): Dict {
  const passed: Dict = new Map()
  if (!opts.has('pass_to_ext_pillars')) return passed
  const keys = option(opts, 'pass_to_ext_pillars') ?? null
  if (!isList(keys)) throw new BrineError('SaltClientError', "'pass_to_ext_pillars' config is malformed.")
  for (const key of keys) update(passed, deepCopy(subtree(opts, str(key).split(':'))), { mergeLists: true })
  return passed
}
