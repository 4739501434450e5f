// The supplementary groups of a user, wanted and present. Groups that share an ID are one group.
import { type Dict, iterate, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import type { WantedUser } from './wanted.ts'

const without = (list: readonly Value[], gone: readonly Value[]): Value[] => list.filter((item) => !gone.includes(item))

const listOf = (value: Value = null): Value[] => (truthy(value) ? [...iterate(value)] : [])

const unique = (list: readonly Value[]): Value[] => [...new Set(list)].sort()

const toGid = (ctx: StateContext, group: Value): Value | Promise<Value> => ctx.call('file.group_to_gid', [group])
const toGroup = (ctx: StateContext, gid: Value): Value | Promise<Value> => ctx.call('file.gid_to_group', [gid])

/** Return, for each group that shares its ID with another one of the list, all groups with that ID. */
async function twins(ctx: StateContext, groups: readonly Value[]): Promise<Map<Value, Value[]>> {
  const byId = new Map<Value, Value[]>()
  for (const group of groups) {
    const gid = await toGid(ctx, group)
    byId.set(gid, [...(byId.get(gid) ?? []), group])
  }
  const shared = [...byId.values()].filter((names) => names.length > 1)
  return new Map(shared.flatMap((names) => names.map((name): [Value, Value[]] => [name, names])))
}

/** Return the groups to set; undefined if nothing is to do. */
export async function groupChange(ctx: StateContext, target: WantedUser, user: Dict): Promise<Value[] | undefined> {
  const { name, gid, groups, optional_groups } = target
  const remove = target.remove_groups
  const all = listOf(user.get('groups'))
  const shared = await twins(ctx, all)
  const family = (group: Value): Value[] => shared.get(group) ?? [group]
  let held = [...all]
  let wanted = unique([...listOf(groups), ...listOf(optional_groups)])
  if (!remove || (groups === null && !truthy(optional_groups))) wanted = unique([...wanted, ...all])
  // the primary group is not a supplementary one, and a group with the name of the user only if it is wanted
  const own = user.get('gid') ?? null
  const primary = await toGroup(ctx, gid ?? own)
  const before = await toGroup(ctx, own)
  held = without(held, family(primary))
  wanted = without(wanted, family(primary))
  if (before !== primary) held = without(held, family(before))
  if (!wanted.includes(name)) held = without(held, family(name))
  return (await differs(ctx, held, wanted, remove)) && (wanted.length > 0 || remove) ? wanted : undefined
}

async function differs(
  ctx: StateContext,
  held: readonly Value[],
  wanted: readonly Value[],
  remove: boolean,
): Promise<boolean> {
  const added = without(wanted, held)
  const difference = remove ? [...added, ...without(held, wanted)] : added
  if (difference.length === 0) return false
  const ids = new Map<Value, Value>()
  for (const group of new Set([...held, ...wanted])) {
    ids.set(group, (await ctx.call('group.info', [group])).get('gid') ?? null)
  }
  const hasTwin = (group: Value): boolean => [...ids].some(([other, id]) => other !== group && id === ids.get(group))
  return difference.some((group) => !hasTwin(group))
}
