// The merge strategies of `pillar_source_merging_strategy`, `slsutil.merge` and their like.
import { deepCopy } from '../copy.ts'
import { dictGet, dictHas } from '../dict.ts'
import { contains, iterate, noAttribute } from '../protocol.ts'
import { getItem, setItem } from '../subscript.ts'
import type { Dict, Value } from '../value.ts'
import { aggregate } from './aggregate.ts'
import { update } from './update.ts'

export interface MergeOptions {
  /** smart, aggregate, recurse, overwrite, list or none; another one warns and means recurse. */
  strategy?: string
  /** The render pipe that produced the data; selects the strategy for `smart`. */
  renderer?: string
  mergeLists?: boolean
  warn?: (message: string) => void
}

/** Merges b over a into a new value (`overwrite` also changes a, as it does in Salt). */
export function merge(a: Value, b: Value, options: MergeOptions = {}): Value {
  const { strategy = 'smart', renderer = 'yaml', mergeLists = false } = options
  switch (strategy === 'smart' ? smartStrategy(renderer) : strategy) {
    case 'list':
      return mergeAsLists(a, b)
    case 'recurse':
      return mergeRecurse(a, b, mergeLists)
    case 'aggregate':
      return aggregate(a, b, 1)
    case 'overwrite':
      return mergeOverwrite(a, b, mergeLists)
    case 'none':
      return mergeRecurse(a, b, false)
    default:
      options.warn?.(`Unknown merging strategy '${strategy}', fallback to recurse`)
      return mergeRecurse(a, b, false)
  }
}

function smartStrategy(renderer: string): 'aggregate' | 'recurse' {
  const last = renderer.slice(renderer.lastIndexOf('|') + 1)
  return last === 'yamlex' || renderer.startsWith('yamlex_') ? 'aggregate' : 'recurse'
}

function mergeRecurse(a: Value, b: Value, mergeLists: boolean): Dict {
  return update(deepCopy(a), b, { mergeLists })
}

/** Keys of both sides hold the pair of their values; keys of b alone are left out. */
function mergeAsLists(a: Value, b: Value): Dict {
  if (!(a instanceof Map)) return noAttribute(a, 'items')
  const merged: Dict = new Map()
  for (const [key, value] of a) {
    if (b instanceof Map) merged.set(key, dictHas(b, key) ? [value, dictGet(b, key)!] : value)
    else merged.set(key, contains(b, key) ? [value, getItem(b, key)] : value)
  }
  return merged
}

function mergeOverwrite(a: Value, b: Value, mergeLists: boolean): Dict {
  for (const key of iterate(b)) if (contains(a, key)) setItem(a, key, getItem(b, key))
  return mergeRecurse(a, b, mergeLists)
}
