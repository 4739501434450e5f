// The differences between a user and the wanted one, under the names of Salt's reports.
import { contains, type Dict, equals, failure, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { groupChange } from './groups.ts'
import { isWindows, kernelIs, offers, shadowInfo, userInfo, type WantedUser } from './wanted.ts'

/** Options of password ages, and their fields of the shadow file. */
export const AGES = { date: 'lstchg', mindays: 'min', maxdays: 'max', inactdays: 'inact', warndays: 'warn' } as const

const WINDOWS = { win_homedrive: 'homedrive', win_profile: 'profile', win_logonscript: 'logonscript' } as const
export const WINDOWS_FIELDS = { ...WINDOWS, win_description: 'description' } as const

/** Return the changes; undefined if the user does not exist. A change of an ID that is not permitted is an error. */
export async function changesOf(ctx: StateContext, wanted: WantedUser): Promise<Dict | undefined> {
  const { name, uid, gid } = wanted
  const user = await userInfo(ctx, name, wanted.local)
  if (user.size === 0) return undefined
  const change: Dict = new Map()
  const held = (key: string): Value => user.get(key) ?? null
  if (truthy(uid) && !equals(held('uid'), uid)) change.set('uid', uid)
  const known = gid === null ? [] : [gid, await ctx.call('file.group_to_gid', [gid])]
  if (gid !== null && !contains(known, held('gid'))) change.set('gid', gid)
  const groups = await groupChange(ctx, wanted, user)
  if (groups !== undefined) change.set('groups', groups)
  await homeChanges(ctx, wanted, held('home'), change)
  if (wanted.shell && held('shell') !== wanted.shell) change.set('shell', wanted.shell)
  await passwordChanges(ctx, wanted, user, change)
  await noteChanges(ctx, wanted, user, change)
  refuseNumbers(wanted, user, change)
  return change
}

async function homeChanges(
  ctx: StateContext,
  { home, createhome }: WantedUser,
  held: Value,
  change: Dict,
): Promise<void> {
  if (home && held !== home) change.set('home', home)
  if (!createhome) return
  const wanted = home ? home : held
  if ((await ctx.host.stat(str(wanted)))?.type !== 'directory') change.set('homeDoesNotExist', wanted)
}

async function passwordChanges(ctx: StateContext, wanted: WantedUser, user: Dict, change: Dict): Promise<void> {
  const { name, password, expire, password_lock: lock } = wanted
  if (!(await offers(ctx, 'shadow.info'))) return
  const shadow = await shadowInfo(ctx, name)
  const asked = password && !wanted.empty_password
  if (!(await offers(ctx, 'shadow.default_hash'))) {
    if (isWindows(ctx)) await windowsPassword(ctx, wanted, user, change)
    return
  }
  const hash = str(shadow.get('passwd') ?? '')
  const unset = await ctx.call('shadow.default_hash')
  if (asked && (hash === unset || wanted.enforce_password) && hash !== password) change.set('passwd', password)
  if (wanted.empty_password && hash !== '') change.set('empty_password', true)
  for (const [option, field] of Object.entries(AGES)) {
    const value = wanted[option as keyof typeof AGES]
    if (value !== null && !equals(shadow.get(field) ?? null, value)) change.set(option, value)
  }
  if (truthy(expire) && !equals(shadow.get('expire') ?? null, expire)) change.set('expire', expire)
  const locked = hash.startsWith('!')
  if ((lock && !locked) || (lock === false && locked)) change.set('password_lock', lock)
}

async function windowsPassword(ctx: StateContext, wanted: WantedUser, user: Dict, change: Dict): Promise<void> {
  const { name, password, password_lock: lock } = wanted
  const asked = password && !wanted.empty_password && wanted.enforce_password
  const checkable = asked && (await offers(ctx, 'shadow.verify_password'))
  if (checkable && !truthy(await ctx.call('shadow.verify_password', [name, password]))) change.set('passwd', password)
  if (lock === false && truthy(user.get('account_locked') ?? false)) change.set('password_lock', lock)
}

/** Compare the notes about the user; macOS has only the full name. */
async function noteChanges(ctx: StateContext, wanted: WantedUser, user: Dict, change: Dict): Promise<void> {
  const note = (field: string, wanted: Value): void => {
    if (wanted !== null && !equals(user.get(field) ?? null, wanted)) change.set(field, wanted)
  }
  note('fullname', wanted.fullname)
  for (const [option, field] of Object.entries(WINDOWS_FIELDS)) {
    const value = wanted[option as keyof typeof WINDOWS_FIELDS]
    if (truthy(value) && !equals(user.get(field) ?? null, value)) change.set(option, value)
  }
  for (const field of ['roomnumber', 'workphone', 'homephone', 'other'] as const) {
    if (wanted[field] !== null && (await offers(ctx, `user.ch${field}`))) note(field, wanted[field])
  }
  if (kernelIs(ctx, 'OpenBSD', 'FreeBSD') && wanted.loginclass) {
    const held = await ctx.call('user.get_loginclass', [wanted.name])
    if (held !== wanted.loginclass) change.set('loginclass', wanted.loginclass)
  }
}

function refuseNumbers(wanted: WantedUser, user: Dict, change: Dict): void {
  const errors = (['uid', 'gid'] as const)
    .filter((key) => change.has(key) && !truthy(wanted[`allow_${key}_change`]))
    .map(
      (key) =>
        `Changing ${key} (${str(user.get(key)!)} -> ${str(wanted[key])}) not permitted, set allow_${key}_change to True to force this change. Note that this will not change file ownership.`,
    )
  if (errors.length === 0) return
  const listing = errors.map((error) => `- ${error}`).join('\n')
  throw failure(`Encountered error checking for needed changes. Additional info follows:\n\n${listing}`)
}
