// What user.present is asked for, and small questions about the platform.
import { contains, type Dict, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

export type Wish = Record<
  | 'uid'
  | 'gid'
  | 'usergroup'
  | 'groups'
  | 'optional_groups'
  | 'remove_groups'
  | 'home'
  | 'createhome'
  | 'persist_home'
  | 'password'
  | 'hash_password'
  | 'enforce_password'
  | 'empty_password'
  | 'shell'
  | 'unique'
  | 'system'
  | 'fullname'
  | 'roomnumber'
  | 'workphone'
  | 'homephone'
  | 'other'
  | 'loginclass'
  | 'date'
  | 'mindays'
  | 'maxdays'
  | 'inactdays'
  | 'warndays'
  | 'expire'
  | 'win_homedrive'
  | 'win_profile'
  | 'win_logonscript'
  | 'win_description'
  | 'nologinit'
  | 'allow_uid_change'
  | 'allow_gid_change'
  | 'password_lock'
  | 'local',
  Value
> & { name: string }

export const REDACTED = 'XXX-REDACTED-XXX'

export const kernelIs = (ctx: StateContext, ...kernels: string[]): boolean =>
  contains(kernels, ctx.grains.get('kernel') ?? '')

export const isWindows = (ctx: StateContext): boolean => kernelIs(ctx, 'Windows')

/** Whether the module that serves this minion has a function. */
export async function offers(ctx: StateContext, name: string): Promise<boolean> {
  if (!ctx.has(name)) return false
  const [module, fun] = name.split('.') as [string, string]
  const declared = await ctx.module(module).catch(() => undefined)
  return declared !== undefined && fun in declared.functions
}

/** Users in the local files only, when asked so; Windows knows no such difference. */
export async function userInfo(ctx: StateContext, name: string, local: Value): Promise<Dict> {
  const where = local && !isWindows(ctx) ? { root: '/' } : {}
  return ctx.call('user.info', [name], where)
}

export const shadowInfo = async (ctx: StateContext, name: string): Promise<Dict> =>
  await ctx.call('shadow.info', [name])
