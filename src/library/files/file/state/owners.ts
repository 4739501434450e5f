// Owners of files: users and groups by name or id, and their defaults.
import { isInt, str, truthy, type Value } from '../../../../data/mod.ts'
import { option, type StateContext, textOrNumber } from '../../../../sdk/mod.ts'
import type { FileRequest } from '../managed-request.ts'

export type Owner = FileRequest['user']

/** Return the user; `owner` is accepted for `user`. */
export function userOf(ctx: StateContext, user: Owner, kwargs: ReadonlyMap<string, Value>): Owner {
  const owner = kwargs.get('owner')
  if (truthy(user) || owner === undefined) return user
  ctx.log('warning', 'Use of argument owner found, "owner" is invalid, please use "user"')
  return owner === null ? null : textOrNumber(owner)
}

/** Return the error about an unknown user or group; a dry run only logs it, because other states may create them. */
export async function unknownOwners(ctx: StateContext, user: Owner, group: Owner): Promise<string> {
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

export const ownUser = (ctx: StateContext): string => option(ctx.opts, 'user')

/** Return the primary group of a user. */
export async function mainGroup({ host }: StateContext, user: Owner): Promise<string | number> {
  const gid = (await host.user(isInt(user) ? Number(user) : str(user)))?.gid ?? 0
  return (await host.group(gid))?.name ?? gid
}
