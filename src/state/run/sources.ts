// The files of the file server that states of a run name as their sources.
import { isList, parseSaltUrl, textOf, type Value } from '../../data/mod.ts'
import type { ExpectedFile } from '../../fileserver/mod.ts'
import type { LowChunk } from '../compile/types.ts'

/** Return the sources of states in their order; of a list of sources the first. */
export function sourcesOf(chunks: readonly LowChunk[]): ExpectedFile[] {
  return chunks.flatMap((low) => {
    const given = low.get('source') ?? null
    const url = textOf((isList(given) ? given[0] : given) ?? null)
    if (!url?.startsWith('salt://')) return []
    const { path, saltenv } = parseSaltUrl(url)
    return [{ path, saltenv: saltenv ?? envOf(low.get('__env__') ?? null) }]
  })
}

const envOf = (env: Value): string => textOf(env) || 'base'
