// The same entry for several users or groups.
import { type Dict, iterate, SaltError, str, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { entriesIn, isPossible, isThere, look, octalIn, octalOf, report, required } from './entries.ts'
import { applied } from './one.ts'

export interface ManyEntries {
  name: Value
  acl_type: string
  acl_names: Value
  recurse: Value
}

/** Entries with one of these names; a text stands for its parts. */
function named(entries: readonly Dict[], names: Value): Dict {
  const isMeant = (name: Value): boolean =>
    typeof names === 'string' ? names.includes(str(name)) : [...iterate(names)].includes(name)
  return new Map(entries.flatMap((entry) => [...entry].slice(0, 1)).filter(([name]) => isMeant(name)))
}

type Step = Pick<StateReturn, 'result' | 'comment' | 'changes'>

interface Change {
  changes: StateReturn['changes']
  /** What a dry run says, and what is said when it is done. */
  planned: string
  done: string
}

function changeOf(wish: ManyEntries, perms: Value, now: number | undefined): Change {
  const { acl_type, acl_names } = wish
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

async function carriedOut(
  ctx: StateContext,
  wish: ManyEntries,
  perms: Value,
  force: Value,
  change: Change,
): Promise<Partial<Step>> {
  try {
    for (const [index, acl_name] of [...iterate(wish.acl_names)].entries()) {
      await applied(ctx, { ...wish, acl_name, perms }, index === 0 ? force : false)
    }
    return { result: true, comment: change.done, changes: change.changes }
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return { result: false, comment: `Error updating permissions for ${str(wish.acl_names)}: ${error.message}` }
  }
}

/** Each name is judged by what was seen at first, so each that differs has all of them set. */
export async function listPresent(
  ctx: StateContext,
  wish: ManyEntries,
  perms: Value,
  force: Value,
): Promise<StateReturn> {
  const { name, acl_names } = wish
  const wanted = octalOf(perms)
  if (!(await isThere(ctx, name))) return report(name, false, `${str(name)} does not exist`)
  const seen = await look(ctx, name, wish.acl_type, false)
  if (!seen.isDefault) required(seen.list, wish.acl_type)
  if (!isPossible(seen)) return report(name, false, 'ACL Type does not exist')
  const searched = acl_names === '' ? (seen.comment.get(seen.kind) ?? '') : acl_names
  const entries = named(entriesIn(seen.list, seen.kind), searched)
  let told: Step = { result: true, comment: '', changes: {} }
  // with none of them there, there is one step for all
  for (const one of entries.size > 0 ? iterate(searched) : [null]) {
    const now = entries.has(one) ? octalIn(entries, one) : undefined
    if (now === wanted) {
      told = { ...told, comment: 'Permissions are in the desired state' }
      continue
    }
    const change = changeOf(wish, perms, now)
    if (ctx.test) return report(name, null, change.planned, change.changes)
    told = { ...told, ...(await carriedOut(ctx, wish, perms, force, change)) }
  }
  return { name, ...told }
}

export async function listAbsent(ctx: StateContext, wish: ManyEntries): Promise<StateReturn> {
  const { name, acl_type, acl_names, recurse } = wish
  if (!(await isThere(ctx, name))) return report(name, false, `${str(name)} does not exist`)
  const seen = await look(ctx, name, acl_type, false)
  if (!isPossible(seen)) return report(name, false, 'ACL Type does not exist')
  const names = [...iterate(acl_names)]
  const searched = names.length > 0 ? names : [...iterate(seen.comment.get(seen.kind) ?? '')]
  if (named(entriesIn(seen.list, seen.kind), searched).size === 0) {
    return report(name, true, 'Permissions are in the desired state')
  }
  if (ctx.test) return report(name, null, 'Removing permissions')
  for (const one of names) await ctx.call('acl.delfacl', [acl_type, one, name], { recursive: recurse })
  return report(name, true, 'Removing permissions')
}
