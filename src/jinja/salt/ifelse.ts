// The `ifelse` global: (target, value) pairs and a default; returns the value of the first pair whose target matches
// this minion. The caller passes the matcher in. Without one it returns the same as Salt, whose own global never finds
// its match functions.
import {
  type Dict,
  deepCopy,
  dictGet,
  dictSet,
  isDict,
  PyError,
  SaltError,
  str,
  truthy,
  update,
  type Value,
} from '../../data/mod.ts'
import { type NativeFunction, native } from '../runtime/native.ts'

/** Whether the minion (this one, or the named one) matches a target of this kind. */
export type TargetMatcher = (kind: string, target: Value, minionId: Value) => boolean

const MATCHES_NOTHING = 'SALT_IFELSE_MATCH_NOTHING'

const unreachable: TargetMatcher = () => {
  throw new PyError('RuntimeError', "name '__context__' is not defined", {
    hint: "Call salt['match.ifelse'](…) instead",
  })
}

/** The pairs as a dict: a target given twice keeps its first place and its last value. */
function pairsOf(args: readonly Value[]): Dict {
  const pairs: Dict = new Map()
  for (let i = 0; i + 1 < args.length; i += 2) {
    const target = args[i]!
    dictSet(pairs, target === true ? '*' : target === false ? MATCHES_NOTHING : target, args[i + 1]!)
  }
  return pairs
}

function merged(value: Value, merge: Value, mergeLists: boolean): Value {
  if (!truthy(merge)) return value
  if (!isDict(merge)) throw new SaltError('SaltException', 'filter_by merge argument must be a dictionary.')
  return value === null ? merge : update(value, deepCopy(merge), { mergeLists })
}

export function makeIfelse(matches: TargetMatcher = unreachable): NativeFunction {
  return native(
    'ifelse',
    ['*args', 'tgt_type?', 'minion_id?', 'merge?', 'merge_lists?'],
    (_rt, args: Value[], kind: Value = 'compound', minionId = null, merge = null, mergeLists = false) => {
      if (args.length % 2 === 0) {
        throw new SaltError('SaltException', 'The ifelse function must have an odd number of arguments!')
      }
      const pairs = pairsOf(args)
      for (const target of pairs.keys()) {
        if (matches(str(kind), target, minionId)) return merged(dictGet(pairs, target)!, merge, truthy(mergeLists))
      }
      return args.at(-1)!
    },
  )
}
