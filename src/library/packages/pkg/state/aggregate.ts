// Several states in one call of the package manager: packages of later chunks of the same kind join the first one.
import { type Dict, isDict, textOf, type Value } from '../../../../data/mod.ts'
import { chunkTag } from '../../../../sdk/mod.ts'

const AGGREGATED = ['installed', 'latest', 'removed', 'purged']

type Wanted = Map<Value, Set<Value>>

function add(wanted: Wanted, name: Value, version: Value): void {
  wanted.set(name, (wanted.get(name) ?? new Set()).add(version))
}

function addList(wanted: Wanted, list: Value): void {
  for (const item of Array.isArray(list) ? (list as Value[]) : []) {
    if (isDict(item)) for (const [name, version] of item) add(wanted, name, version)
    else add(wanted, item, null)
  }
}

/** A package that is wanted at a version and without one is wanted at that version. */
function listOf(wanted: Wanted): Value[] {
  return [...wanted].flatMap(([name, versions]) => {
    const named = [...versions].filter((version) => version !== null)
    return named.length === 0 ? [name] : named.map((version) => new Map([[name, version]]))
  })
}

/** Remove the packages from a chunk, and return them. */
function take(chunk: Dict, kind: 'pkgs' | 'sources', wanted: Wanted): boolean {
  if (chunk.has(kind)) addList(wanted, chunk.get(kind)!)
  else if (kind === 'sources' || !chunk.has('name')) return false
  else {
    add(wanted, chunk.get('name')!, chunk.get('version') ?? null)
    chunk.delete('version')
  }
  return true
}

export function aggregate(low: Dict, chunks: readonly Dict[], running: Dict): Dict {
  const fun = textOf(low.get('fun') ?? null) ?? ''
  if (!AGGREGATED.includes(fun)) return low
  const kind = low.has('sources') ? 'sources' : 'pkgs'
  const others: Wanted = new Map()
  for (const chunk of chunks) {
    if (chunk === low || running.has(chunkTag(chunk)) || chunk.get('state') !== 'pkg' || chunk.has('__agg__')) continue
    if (chunk.get('fun') !== fun || (chunk.get('fromrepo') ?? null) !== (low.get('fromrepo') ?? null)) continue
    if (chunk.has('hold')) continue
    if (take(chunk, kind, others)) chunk.set('__agg__', true)
  }
  if (others.size === 0) return low
  const wanted: Wanted = new Map()
  take(low, kind, wanted)
  for (const [name, versions] of others) for (const version of versions) add(wanted, name, version)
  return low.set(kind, listOf(wanted)) as Dict
}
