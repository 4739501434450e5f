// What differs between a user and what is wanted of it, by the names that Salt reports it under.
import { contains, type Dict, equals, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { groupChange } from './groups.ts'
import { isWindows, kernelIs, offers, shadowInfo, userInfo, type Wish } from './wish.ts'

/** Options of password ages and where the shadow file has them. */
export const AGES = { date: 'lstchg', mindays: 'min', maxdays: 'max', inactdays: 'inact', warndays: 'warn' } as const

const WINDOWS = { win_homedrive: 'homedrive', win_profile: 'profile', win_logonscript: 'logonscript' } as const
export const WINDOWS_FIELDS = { ...WINDOWS, win_description: 'description' } as const

/** Undefined when there is no such user. Changes of numbers that are not allowed are an error. */
export async function changesOf(ctx: StateContext, wish: Wish): Promise<Dict | undefined> {
  const { name, uid, gid } = wish
  const user = await userInfo(ctx, name, wish.local)
  if (user.size === 0) return undefined
  const change: Dict = new Map()
  const held = (key: string): Value => user.get(key) ?? null
  if (truthy(uid) && !equals(held('uid'), uid)) change.set('uid', uid)
  const known = gid === null ? [] : [gid, await ctx.call('file.group_to_gid', [gid])]
  if (gid !== null && !contains(known, held('gid'))) change.set('gid', gid)
  const groups = await groupChange(ctx, wish, user)
  if (groups !== undefined) change.set('groups', groups)
  await homeChanges(ctx, wish, held('home'), change)
  if (truthy(wish.shell) && held('shell') !== wish.shell) change.set('shell', wish.shell)
  await passwordChanges(ctx, wish, user, change)
  await noteChanges(ctx, wish, user, change)
  refuseNumbers(wish, user, change)
  return change
}

async function homeChanges(ctx: StateContext, { home, createhome }: Wish, held: Value, change: Dict): Promise<void> {
  if (truthy(home) && held !== home) change.set('home', home)
  if (!truthy(createhome)) return
  const wanted = truthy(home) ? home : held
  if ((await ctx.host.stat(str(wanted)))?.type !== 'directory') change.set('homeDoesNotExist', wanted)
}

async function passwordChanges(ctx: StateContext, wish: Wish, user: Dict, change: Dict): Promise<void> {
  const { name, password, expire, password_lock: lock } = wish
  if (!(await offers(ctx, 'shadow.info'))) return
  const shadow = await shadowInfo(ctx, name)
  const asked = truthy(password) && !truthy(wish.empty_password)
  if (!(await offers(ctx, 'shadow.default_hash'))) {
    if (isWindows(ctx)) await windowsPassword(ctx, wish, user, change)
    return
  }
  const hash = str(shadow.get('passwd') ?? '')
  const unset = await ctx.call('shadow.default_hash')
  if (asked && (hash === unset || truthy(wish.enforce_password)) && hash !== password) change.set('passwd', password)
  if (truthy(wish.empty_password) && hash !== '') change.set('empty_password', true)
  for (const [option, field] of Object.entries(AGES)) {
    const value = wish[option as keyof typeof AGES]
    if (value !== null && !equals(shadow.get(field) ?? null, value)) change.set(option, value)
  }
  if (truthy(expire) && !equals(shadow.get('expire') ?? null, expire)) change.set('expire', expire)
  const locked = hash.startsWith('!')
  if ((truthy(lock) && !locked) || (lock === false && locked)) change.set('password_lock', lock)
}

async function windowsPassword(ctx: StateContext, wish: Wish, user: Dict, change: Dict): Promise<void> {
  const { name, password, password_lock: lock } = wish
  const asked = truthy(password) && !truthy(wish.empty_password) && truthy(wish.enforce_password)
  const checkable = asked && (await offers(ctx, 'shadow.verify_password'))
  if (checkable && !truthy(await ctx.call('shadow.verify_password', [name, password]))) change.set('passwd', password)
  if (lock === false && truthy(user.get('account_locked') ?? false)) change.set('password_lock', lock)
}

/** What is noted about the user; macOS knows only the full name. */
async function noteChanges(ctx: StateContext, wish: Wish, user: Dict, change: Dict): Promise<void> {
  const note = (field: string, wanted: Value): void => {
    if (wanted !== null && !equals(user.get(field) ?? null, wanted)) change.set(field, wanted)
  }
  note('fullname', wish.fullname)
  for (const [option, field] of Object.entries(WINDOWS_FIELDS)) {
    const value = wish[option as keyof typeof WINDOWS_FIELDS]
    if (truthy(value) && !equals(user.get(field) ?? null, value)) change.set(option, value)
  }
  for (const field of ['roomnumber', 'workphone', 'homephone', 'other'] as const) {
    if (wish[field] !== null && (await offers(ctx, `user.ch${field}`))) note(field, wish[field])
  }
  if (kernelIs(ctx, 'OpenBSD', 'FreeBSD') && truthy(wish.loginclass)) {
    const held = await ctx.call('user.get_loginclass', [wish.name])
    if (held !== wish.loginclass) change.set('loginclass', wish.loginclass)
  }
}

function refuseNumbers(wish: Wish, user: Dict, change: Dict): void {
  const errors = (['uid', 'gid'] as const)
    .filter((key) => change.has(key) && !truthy(wish[`allow_${key}_change`]))
    .map(
      (key) =>
        `Changing ${key} (${str(user.get(key)!)} -> ${str(wish[key])}) not permitted, set allow_${key}_change to True to force this change. Note that this will not change file ownership.`,
    )
  if (errors.length === 0) return
  const listing = errors.map((error) => `- ${error}`).join('\n')
  throw new SaltError(
    'CommandExecutionError',
    `Encountered error checking for needed changes. Additional info follows:\n\n${listing}`,
  )
}
