// `_master_tops`: which SLS files other systems name for a minion. A master without such sources loads nothing for them.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'

export interface TopParts {
  opts: Dict
  log: Log
  host: Host
}

/** Merge the top data of all configured sources. */
export async function masterTops(parts: TopParts, load: Dict): Promise<Dict> {
  const settings: Value = option(parts.opts, 'master_tops')
  if (!isDict(settings) || settings.size === 0) return new Map()
  const { topsOf } = await import('./top-sources.ts')
  return topsOf(parts, settings, load)
}
