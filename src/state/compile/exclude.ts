// `exclude`: IDs, and all IDs of SLS files by name or glob, are taken out of the high data.
import { fnmatch, str, type Value } from '../../data/mod.ts'
import { isDunder } from './text-key.ts'
import type { High } from './types.ts'

export function applyExclude(high: High): void {
  const entries = high.get('__exclude__')
  if (entries === undefined) return
  high.delete('__exclude__')
  const slsPatterns: string[] = []
  const ids: Value[] = []
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (typeof entry === 'string') slsPatterns.push(entry)
    if (!(entry instanceof Map) || entry.size !== 1) continue
    for (const [key, value] of entry) {
      if (key === 'sls') slsPatterns.push(str(value))
      else if (key === 'id') ids.push(value)
    }
  }
  if (slsPatterns.length > 0) ids.push(...idsOfSls(high, slsPatterns))
  for (const id of ids) high.delete(id)
}

function idsOfSls(high: High, patterns: readonly string[]): Value[] {
  const ids: Value[] = []
  for (const [id, body] of high) {
    if (isDunder(id) || !(body instanceof Map)) continue
    const sls = body.get('__sls__')
    if (typeof sls === 'string' && sls !== '' && patterns.some((pattern) => fnmatch(sls, pattern))) ids.push(id)
  }
  return ids
}
