// Keys by the state they are in, as Salt names the states: the directories they lie in.
import { type Dict, fnmatch, isDict, isList, str, type Value } from '../../../../data/mod.ts'
import { type KeyFolder, type MasterContext, RsaPublicKey } from '../../../../sdk/mod.ts'

/** In the order in which Salt lists them. */
export const FOLDERS: readonly KeyFolder[] = ['minions_pre', 'minions_rejected', 'minions', 'minions_denied']

const ACTS: Partial<Record<KeyFolder, string>> = { minions: 'accepted', minions_rejected: 'rejected' }

/** Ids by folder; a folder may be left out. */
export type Matches = Map<KeyFolder, string[]>

export function allKeys(ctx: MasterContext): Matches {
  return new Map(FOLDERS.map((folder) => [folder, ctx.keys.list(folder)]))
}

/** Which names a glob, or a list of globs parted by commas, means. */
export function matcher(match: Value): (name: string) => boolean {
  const patterns = isList(match) ? match.map(str) : str(match).split(',')
  return (name) => patterns.some((pattern) => fnmatch(name, pattern))
}

/** The keys whose id matches. */
export function matching(ctx: MasterContext, match: Value): Matches {
  const isMatch = matcher(match)
  const found: Matches = new Map()
  for (const [folder, ids] of allKeys(ctx)) {
    const matched = ids.filter(isMatch)
    if (matched.length > 0) found.set(folder, matched)
  }
  return found
}

/** A dict of folders and ids as callers give it. */
export function fromDict(given: Value): Matches {
  const entries = isDict(given) ? [...given] : []
  return new Map(
    entries
      .filter(([folder]) => FOLDERS.includes(str(folder) as KeyFolder))
      .map(([folder, ids]) => [str(folder) as KeyFolder, isList(ids) ? ids.map(str) : [str(ids)]]),
  )
}

export const toDict = (matches: Matches): Dict => new Map(matches)

/** Where the same ids are now. */
export function nowOf(ctx: MasterContext, before: Matches): Matches {
  const ids = new Set([...before.values()].flat())
  const found: Matches = new Map()
  for (const [folder, all] of allKeys(ctx)) {
    const own = all.filter((id) => ids.has(id))
    if (own.length > 0) found.set(folder, own)
  }
  return found
}

/** Moves keys into a state, telling of each; one that is no key stays where it is. */
export async function move(
  ctx: MasterContext,
  matches: Matches,
  from: readonly KeyFolder[],
  to: 'minions' | 'minions_rejected',
): Promise<void> {
  for (const folder of from) {
    for (const id of matches.get(folder) ?? []) {
      const pub = ctx.keys.pem(folder, id)
      if (pub === undefined) continue
      if (!isKey(pub)) {
        ctx.log('error', `Unable to accept invalid key for ${id}.`)
        continue
      }
      ctx.keys.store(id, { state: to === 'minions' ? 'accepted' : 'rejected', pub })
      if (folder === 'minions_denied') ctx.keys.remove(folder, id)
      await tell(ctx, ACTS[to]!, id, pub)
    }
  }
}

export async function remove(ctx: MasterContext, matches: Matches): Promise<void> {
  for (const [folder, ids] of matches) {
    for (const id of ids) {
      ctx.keys.remove(folder, id)
      await tell(ctx, 'delete', id)
    }
  }
}

function isKey(pem: string): boolean {
  try {
    return new RsaPublicKey(pem) !== undefined
  } catch {
    // whatever is wrong with it, it is no key
    return false
  }
}

/** A master that is not running has nobody to tell. */
async function tell(ctx: MasterContext, act: string, id: string, pub?: string): Promise<void> {
  const event: Dict = new Map<Value, Value>([
    ['result', true],
    ['act', act],
    ['id', id],
  ])
  if (pub !== undefined) event.set('pub', pub)
  await ctx.announce('salt/key', event)
}
