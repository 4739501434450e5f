// Fetching the package lists of zypper.
import { type Dict, isDict, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { clearRefreshMark } from '../../common/installed.ts'
import { zypper } from './program.ts'

export interface Refresh {
  force?: Value
  root?: Value
  gpgautoimport?: Value
  repos?: Value
}

/** By repository: true if it was fetched, false if it was up to date. */
export async function refresh(ctx: FunctionContext, call: Refresh = {}): Promise<Dict> {
  const { root = null, gpgautoimport = false, repos = [] } = call
  await clearRefreshMark(ctx)
  const set = ctx.pillar.get('zypper') ?? null
  const force = call.force ?? (isDict(set) ? (set.get('refreshdb_force') ?? true) : true)
  const words = [
    ...(truthy(gpgautoimport) ? ['--gpg-auto-import-keys'] : []),
    'refresh',
    ...(truthy(force) ? ['--force'] : []),
    ...(Array.isArray(repos) ? (repos as Value[]) : [repos]).map((repo) => str(repo)),
  ]
  const { stdout } = await zypper(ctx, words, { root, refreshable: true, options: { success_retcodes: [0, 6] } })
  const found: Dict = new Map()
  for (const line of splitLines(stdout)) {
    const name = line.split("'")[1]?.trim()
    if (name === undefined) continue
    if (line.trim().startsWith('Repository') && line.includes('is up to date')) found.set(name, false)
    else if (line.trim().startsWith('Building') && line.includes('done')) found.set(name, true)
  }
  return found
}
