// Which minions a target means, as far as the master knows: accepted keys, and the grains and pillar it has seen. A minion
// whose data it has not seen is not meant by what asks for data.
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { match } from '../match/mod.ts'
import type { DataCache, PkiKeys } from '../store/mod.ts'

export interface Targeted {
  minions: string[]
  /** Ids of a list that no key is known for. */
  missing: string[]
}

/** What the master knows about its minions. */
export interface MinionKnowledge {
  opts: Dict
  keys: PkiKeys
  cache: DataCache
  log: Log
}

const BY_ID = new Set(['glob', 'pcre', 'list'])

function listed(target: Value): string[] {
  const words = typeof target === 'string' ? target.split(',') : isList(target) ? target.map(str) : [str(target)]
  return words.map((word) => word.trim()).filter((word) => word !== '')
}

export function resolveTarget(parts: MinionKnowledge, target: Value, kind: string, delimiter = ':'): Targeted {
  const accepted = parts.keys.list('minions')
  if (kind === 'list') {
    const wanted = [...new Set(listed(target))]
    const known = new Set(accepted)
    return { minions: wanted.filter((id) => known.has(id)), missing: wanted.filter((id) => !known.has(id)) }
  }
  const form = isList(target) && kind === 'glob' ? 'list' : kind
  if (form === 'list') return resolveTarget(parts, target, 'list')
  return { minions: accepted.filter((id) => isMeant(parts, id, target, form, delimiter)), missing: [] }
}

function isMeant(parts: MinionKnowledge, id: string, target: Value, kind: string, delimiter: string): boolean {
  if (kind === 'glob' && target === '*') return true
  const grains = BY_ID.has(kind) ? undefined : dictOf(parts.cache.bank('grains').fetch(id))
  if (grains === undefined && ['grain', 'grain_pcre', 'ipcidr'].includes(kind)) return false
  const pillar =
    kind.startsWith('pillar') || kind === 'compound' ? dictOf(parts.cache.bank('pillar').fetch(id)) : undefined
  if (pillar === undefined && kind.startsWith('pillar')) return false
  const subject = { id, grains: grains ?? new Map(), pillar: pillar ?? new Map(), opts: parts.opts, log: parts.log }
  return match(kind, target, subject, { delimiter }) === true
}

const dictOf = (value: Value | undefined): Dict | undefined =>
  value !== undefined && isDict(value) ? value : undefined
