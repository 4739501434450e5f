// User and group of the unpacked content.
import { join } from 'node:path/posix'
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import { isHostError } from '../../../../sdk/mod.ts'
import type { Listing } from './contents.ts'
import type { Work } from './request.ts'

export interface Enforcement {
  missing: string[]
  failed: string[]
}

export async function enforceOwners(work: Work, listing: Listing): Promise<Enforcement> {
  const { ctx, request, target } = work
  const outcome: Enforcement = { missing: [], failed: [] }
  if (!truthy(request.user) && !truthy(request.group)) return outcome
  const only = truthy(request.enforce_ownership_on) ? str(request.enforce_ownership_on) : undefined
  const isFolder = only !== undefined && (await ctx.host.stat(only))?.type === 'directory'
  const folders = only === undefined ? listing.topDirs : isFolder ? [only] : []
  const files = only === undefined ? [...listing.topFiles, ...listing.topLinks] : isFolder ? [] : [only]
  const place = (path: string): string => (path.startsWith('/') ? path : join(target, path))
  for (const folder of folders) await enforceFolder(work, place(folder), outcome)
  for (const file of files) await enforceFile(work, place(file), outcome)
  return outcome
}

async function enforceFolder({ ctx, request, changes }: Work, path: string, outcome: Enforcement): Promise<void> {
  if ((await ctx.host.stat(path))?.type !== 'directory') {
    if (!ctx.test) outcome.missing.push(path)
    return
  }
  const { user, group } = request
  const recurse = [...(truthy(user) ? ['user'] : []), ...(truthy(group) ? ['group'] : [])]
  const result: Dict = await ctx.state('file.directory', { name: path, user, group, recurse })
  if (truthy(result.get('changes') ?? null)) changes.set('updated ownership', true)
  if (!truthy(result.get('result') ?? null)) outcome.failed.push(path)
}

async function enforceFile({ ctx, uid, gid, changes }: Work, path: string, outcome: Enforcement): Promise<void> {
  const stat = await ctx.host.lstat(path)
  if (stat === undefined) {
    if (!ctx.test) {
      outcome.missing.push(path)
      outcome.failed.push(path)
    }
    return
  }
  if ((uid === -1 || uid === stat.uid) && (gid === -1 || gid === stat.gid)) return
  try {
    if (!ctx.test) await ctx.host.lchown(path, uid, gid)
    changes.set('updated ownership', true as Value)
  } catch (error) {
    if (!isHostError(error)) throw error
    outcome.failed.push(path)
  }
}
