// Who shall own a file: users and groups by name or number, and what is assumed when they are not given.
import { isInt, str, truthy, type Value } from '../../../../data/mod.ts'
import { option, type StateContext } from '../../../../sdk/mod.ts'

/** `owner` is accepted for `user`. */
export function userOf(ctx: StateContext, user: Value, kwargs: ReadonlyMap<string, Value>): Value {
  if (truthy(user) || !kwargs.has('owner')) return user
  ctx.log('warning', 'Use of argument owner found, "owner" is invalid, please use "user"')
  return kwargs.get('owner')!
}

/** Which of the two does not exist; in a dry run that is no failure, for other states may make them. */
export async function unknownOwners(ctx: StateContext, user: Value, group: Value): Promise<string> {
  let fault = ''
  if (truthy(user) && (await ctx.call('file.user_to_uid', [user])) === '') {
    fault += `User ${str(user)} is not available `
  }
  if (truthy(group) && (await ctx.call('file.group_to_gid', [group])) === '') {
    fault += `Group ${str(group)} is not available`
  }
  if (fault !== '' && ctx.test) {
    ctx.log('warning', fault)
    return ''
  }
  return fault
}

export const ownUser = (ctx: StateContext): Value => option(ctx.opts, 'user')

/** The main group of a user. */
export async function mainGroup({ host }: StateContext, user: Value): Promise<Value> {
  const gid = (await host.user(isInt(user) ? Number(user) : str(user)))?.gid ?? 0
  return (await host.group(gid))?.name ?? gid
}
