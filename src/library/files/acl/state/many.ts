// The same entry for several users or groups.
import { type Dict, iterate, SaltError, str, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { entriesIn, isPossible, isThere, look, octalIn, octalOf, report, required } from './entries.ts'
import { applied } from './one.ts'

export interface ManyEntries {
  name: string
  acl_type: string
  acl_names: Value
  recurse: boolean
}

/** Return the entries with one of the names; text matches all of its parts. */
function named(entries: readonly Dict[], names: Value): Dict {
  const isMeant = (name: Value): boolean =>
    typeof names === 'string' ? names.includes(str(name)) : [...iterate(names)].includes(name)
  return new Map(entries.flatMap((entry) => [...entry].slice(0, 1)).filter(([name]) => isMeant(name)))
}

type Step = Pick<StateReturn, 'result' | 'comment' | 'changes'>

interface Change {
  changes: StateReturn['changes']
  /** Comment of a dry run. */
  planned: string
  /** Comment of a real run. */
  done: string
}

function changeOf(request: ManyEntries, perms: Value, now: number | undefined): Change {
  const { acl_type, acl_names } = request
  const acl_name = [...iterate(acl_names)].map(str).join(', ')
  if (now === undefined) {
    return {
      changes: { new: { acl_name, acl_type, perms } },
      planned: `New permissions will be applied for ${str(acl_names)}: ${str(perms)}`,
      done: `Applied new permissions for ${acl_name}`,
    }
  }
  return {
    changes: {
      new: { acl_name, acl_type, perms: octalOf(perms) },
      old: { acl_name, acl_type, perms: str(now) },
    },
    planned: `Updated permissions will be applied for ${str(acl_names)}: ${now} -> ${str(perms)}`,
    done: `Updated permissions for ${str(acl_names)}`,
  }
}

async function applyChange(
  ctx: StateContext,
  request: ManyEntries,
  perms: Value,
  force: boolean,
  change: Change,
): Promise<Partial<Step>> {
  try {
    for (const [index, acl_name] of [...iterate(request.acl_names)].entries()) {
      await applied(ctx, { ...request, acl_name, perms }, index === 0 ? force : false)
    }
    return { result: true, comment: change.done, changes: change.changes }
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return { result: false, comment: `Error updating permissions for ${str(request.acl_names)}: ${error.message}` }
  }
}

/** As in Salt, every name is compared with the first reading, so each difference sets the entries of all names. */
export async function listPresent(
  ctx: StateContext,
  request: ManyEntries,
  perms: Value,
  force: boolean,
): Promise<StateReturn> {
  const { name, acl_names } = request
  const wanted = octalOf(perms)
  if (!(await isThere(ctx, name))) return report(name, false, `${name} does not exist`)
  const seen = await look(ctx, name, request.acl_type, false)
  if (!seen.isDefault) required(seen.list, request.acl_type)
  if (!isPossible(seen)) return report(name, false, 'ACL Type does not exist')
  const searched = acl_names === '' ? (seen.comment.get(seen.kind) ?? '') : acl_names
  const entries = named(entriesIn(seen.list, seen.kind), searched)
  let outcome: Step = { result: true, comment: '', changes: {} }
  // without any entry there is one step for all names
  for (const each of entries.size > 0 ? iterate(searched) : [null]) {
    const now = entries.has(each) ? octalIn(entries, each) : undefined
    if (now === wanted) {
      outcome = { ...outcome, comment: 'Permissions are in the desired state' }
      continue
    }
    const change = changeOf(request, perms, now)
    if (ctx.test) return report(name, null, change.planned, change.changes)
    outcome = { ...outcome, ...(await applyChange(ctx, request, perms, force, change)) }
  }
  return { name, ...outcome }
}

export async function listAbsent(ctx: StateContext, request: ManyEntries): Promise<StateReturn> {
  const { name, acl_type, acl_names, recurse } = request
  if (!(await isThere(ctx, name))) return report(name, false, `${name} does not exist`)
  const seen = await look(ctx, name, acl_type, false)
  if (!isPossible(seen)) return report(name, false, 'ACL Type does not exist')
  const names = [...iterate(acl_names)]
  const searched = names.length > 0 ? names : [...iterate(seen.comment.get(seen.kind) ?? '')]
  if (named(entriesIn(seen.list, seen.kind), searched).size === 0) {
    return report(name, true, 'Permissions are in the desired state')
  }
  if (ctx.test) return report(name, null, 'Removing permissions')
  for (const each of names) await ctx.call('acl.delfacl', [acl_type, each, name], { recursive: recurse })
  return report(name, true, 'Removing permissions')
}
