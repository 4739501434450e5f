// Keys by their state. As in Salt, a state has the name of the directory of its keys.
import { isAnyError, recover } from '../../../../base/mod.ts'
import { type Dict, dictFrom, fnmatch, isList, str } from '../../../../data/mod.ts'
import { type KeyFolder, type MasterContext, RsaPublicKey } from '../../../../sdk/mod.ts'

/** The states in the order of Salt's lists. */
export const FOLDERS: readonly KeyFolder[] = ['minions_pre', 'minions_rejected', 'minions', 'minions_denied']

const ACTS: Partial<Record<KeyFolder, string>> = { minions: 'accepted', minions_rejected: 'rejected' }

/** Minion ids by folder; a folder may be missing. */
export type Matches = Map<KeyFolder, string[]>

export function allKeys(ctx: MasterContext): Matches {
  return new Map(FOLDERS.map((folder) => [folder, ctx.keys.list(folder)]))
}

/** Return a test of names by globs. */
export function matcher(globs: readonly string[]): (name: string) => boolean {
  return (name) => globs.some((glob) => fnmatch(name, glob))
}

/** Return the keys whose minion id matches. */
export function matching(ctx: MasterContext, match: readonly string[]): Matches {
  const isMatch = matcher(match)
  const found: Matches = new Map()
  for (const [folder, ids] of allKeys(ctx)) {
    const matched = ids.filter(isMatch)
    if (matched.length > 0) found.set(folder, matched)
  }
  return found
}

/** Read a dict of folders and minion ids. */
export function fromDict(given: Dict): Matches {
  return new Map(
    [...given].flatMap(([name, ids]): Array<[KeyFolder, string[]]> => {
      const folder = FOLDERS.find((known) => known === str(name))
      return folder ? [[folder, isList(ids) ? ids.map(str) : [str(ids)]]] : []
    }),
  )
}

export const toDict = (matches: Matches): Dict => new Map(matches)

/** Return the current states of the same minion ids. */
export function nowOf(ctx: MasterContext, before: Matches): Matches {
  const ids = new Set([...before.values()].flat())
  const found: Matches = new Map()
  for (const [folder, all] of allKeys(ctx)) {
    const own = all.filter((id) => ids.has(id))
    if (own.length > 0) found.set(folder, own)
  }
  return found
}

/** Move keys into a state and fire an event for each. A file that is not a key stays in its state. */
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
  // any error means that this is not a key
  return recover(isAnyError, false, () => new RsaPublicKey(pem) !== undefined)
}

/** Fire an event about a key, if the master runs. */
async function tell(ctx: MasterContext, act: string, id: string, pub?: string): Promise<void> {
  const event: Dict = dictFrom({ result: true, act, id })
  if (pub !== undefined) event.set('pub', pub)
  await ctx.announce('salt/key', event)
}
