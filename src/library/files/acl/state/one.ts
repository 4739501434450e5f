// One entry of an access list: there with certain rights, or not there.
import { type Dict, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import {
  entriesIn,
  isPossible,
  isThere,
  type Look,
  lettersOf,
  listOf,
  look,
  octalIn,
  octalOf,
  report,
  WITH_CONDITIONAL,
} from './entries.ts'

export interface OneEntry {
  name: Value
  acl_type: string
  acl_name: Value
  perms: Value
  recurse: Value
}

const NO_TYPE = 'ACL Type does not exist'
const AS_WANTED = 'Permissions are in the desired state'

/** The name under which the entry is listed. */
const listedAs = ({ comment, kind }: Look, name: Value): Value => (name === '' ? (comment.get(kind) ?? '') : name)

function found(seen: Look, name: Value): Dict | undefined {
  return entriesIn(seen.list, seen.kind).findLast((entry) => [...entry.keys()][0] === name)
}

/** Whether all files below have the rights; `X` gives the right to execute only where someone has it. */
async function allAgree(ctx: StateContext, seen: Look, name: Value, perms: Value): Promise<boolean> {
  const wanted = octalOf(perms, WITH_CONDITIONAL)
  const isConditional = str(perms).endsWith('X')
  for (const [path, file] of seen.files) {
    if (seen.isDefault && (await ctx.host.stat(str(path)))?.type !== 'directory') continue
    const agrees = entriesIn(listOf(file as Dict, seen.isDefault), seen.kind).some((entry) => {
      if (!entry.has(name)) return false
      const now = octalIn(entry, name)
      return now === wanted || (isConditional && now % 2 === 0 && now === wanted - 1)
    })
    if (!agrees) return false
  }
  return true
}

export async function applied(ctx: StateContext, wish: OneEntry, force: Value): Promise<void> {
  const options = { recursive: wish.recurse, raise_err: true }
  if (truthy(force)) await ctx.call('acl.wipefacls', [wish.name], options)
  await ctx.call('acl.modfacl', [wish.acl_type, wish.acl_name, wish.perms, wish.name], options)
}

export async function present(ctx: StateContext, wish: OneEntry, force: Value): Promise<StateReturn> {
  const { name, acl_type, acl_name, perms } = wish
  if (!(await isThere(ctx, name))) return report(name, false, `${str(name)} does not exist`)
  const seen = await look(ctx, name, acl_type, wish.recurse)
  if (!isPossible(seen)) return report(name, false, NO_TYPE)
  const listed = listedAs(seen, acl_name)
  const entry = found(seen, listed)
  const now = entry && octalIn(entry, listed)
  if (now !== undefined) {
    const wanted = octalOf(perms, WITH_CONDITIONAL)
    const agrees = truthy(wish.recurse) ? await allAgree(ctx, seen, listed, perms) : now === wanted
    if (agrees) return report(name, true, AS_WANTED)
  }
  const old = now === undefined ? undefined : lettersOf(now)
  const changes = {
    new: { acl_name, acl_type, perms },
    ...(old !== undefined && { old: { acl_name, acl_type, perms: old } }),
  }
  if (ctx.test) {
    const what =
      old === undefined
        ? `New permissions will be applied for ${str(acl_name)}: ${str(perms)}`
        : `Updated permissions will be applied for ${str(acl_name)}: ${old} -> ${str(perms)}`
    return report(name, null, what, changes)
  }
  try {
    await applied(ctx, wish, force)
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return report(name, false, `Error updating permissions for ${str(acl_name)}: ${error.message}`)
  }
  const done = old === undefined ? 'Applied new permissions' : 'Updated permissions'
  return report(name, true, `${done} for ${str(acl_name)}`, changes)
}

export async function absent(ctx: StateContext, wish: OneEntry): Promise<StateReturn> {
  const { name, acl_type, acl_name, perms, recurse } = wish
  if (!(await isThere(ctx, name))) return report(name, false, `${str(name)} does not exist`)
  const seen = await look(ctx, name, acl_type, recurse)
  if (!isPossible(seen)) return report(name, false, NO_TYPE)
  const listed = listedAs(seen, acl_name)
  // the lists themselves are looked through even where those of new files are meant
  const isAnywhere = [...seen.files.values()].some((file) =>
    entriesIn(file as Dict, seen.kind).some((entry) => entry.has(listed)),
  )
  if (!found(seen, listed) && !isAnywhere) return report(name, true, AS_WANTED)
  if (ctx.test) return report(name, null, 'Removing permissions')
  // the rights come as one more file, which setfacl does not find
  await ctx.call('acl.delfacl', [acl_type, acl_name, perms, name], { recursive: recurse })
  return report(name, true, 'Removing permissions')
}
