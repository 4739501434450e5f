// One entry of an access control list: present with permissions, or absent.
import { type Dict, SaltError, str, type Value } from '../../../../data/mod.ts'
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
  name: string
  acl_type: string
  acl_name: Value
  perms: Value
  recurse: boolean
}

const NO_TYPE = 'ACL Type does not exist'
const AS_WANTED = 'Permissions are in the desired state'

/** Return the name under which an entry is listed. */
const listedAs = ({ comment, kind }: Look, name: Value): Value => (name === '' ? (comment.get(kind) ?? '') : name)

function found(seen: Look, name: Value): Dict | undefined {
  return entriesIn(seen.list, seen.kind).findLast((entry) => [...entry.keys()][0] === name)
}

/** Return whether all files below have the permissions; `X` grants execution only where any user has it. */
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

export async function applied(ctx: StateContext, request: OneEntry, force: boolean): Promise<void> {
  const options = { recursive: request.recurse, raise_err: true }
  if (force) await ctx.call('acl.wipefacls', [request.name], options)
  await ctx.call('acl.modfacl', [request.acl_type, request.acl_name, request.perms, request.name], options)
}

export async function present(ctx: StateContext, request: OneEntry, force: boolean): Promise<StateReturn> {
  const { name, acl_type, acl_name, perms } = request
  if (!(await isThere(ctx, name))) return report(name, false, `${name} does not exist`)
  const seen = await look(ctx, name, acl_type, request.recurse)
  if (!isPossible(seen)) return report(name, false, NO_TYPE)
  const listed = listedAs(seen, acl_name)
  const entry = found(seen, listed)
  const now = entry && octalIn(entry, listed)
  if (now !== undefined) {
    const wanted = octalOf(perms, WITH_CONDITIONAL)
    const agrees = request.recurse ? await allAgree(ctx, seen, listed, perms) : now === wanted
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
    await applied(ctx, request, force)
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return report(name, false, `Error updating permissions for ${str(acl_name)}: ${error.message}`)
  }
  const done = old === undefined ? 'Applied new permissions' : 'Updated permissions'
  return report(name, true, `${done} for ${str(acl_name)}`, changes)
}

export async function absent(ctx: StateContext, request: OneEntry): Promise<StateReturn> {
  const { name, acl_type, acl_name, perms, recurse } = request
  if (!(await isThere(ctx, name))) return report(name, false, `${name} does not exist`)
  const seen = await look(ctx, name, acl_type, recurse)
  if (!isPossible(seen)) return report(name, false, NO_TYPE)
  const listed = listedAs(seen, acl_name)
  // as in Salt, the access lists are searched even for entries of default lists
  const isAnywhere = [...seen.files.values()].some((file) =>
    entriesIn(file as Dict, seen.kind).some((entry) => entry.has(listed)),
  )
  if (!found(seen, listed) && !isAnywhere) return report(name, true, AS_WANTED)
  if (ctx.test) return report(name, null, 'Removing permissions')
  // as in Salt, the permissions are passed as one more file, which setfacl does not find
  await ctx.call('acl.delfacl', [acl_type, acl_name, perms, name], { recursive: recurse })
  return report(name, true, 'Removing permissions')
}
