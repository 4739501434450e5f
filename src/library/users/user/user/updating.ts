// Changes an existing user step by step, and reports the differences.
import { type Dict, equals, str, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { AGES, changesOf, WINDOWS_FIELDS } from './changes.ts'
import { isWindows, kernelIs, offers, REDACTED, shadowInfo, userInfo, type WantedUser } from './wanted.ts'

interface Facts {
  user: Dict
  shadow: Dict
  loginClass: Value
}

async function look(ctx: StateContext, { name, local }: WantedUser): Promise<Facts> {
  return {
    shadow: (await offers(ctx, 'shadow.info')) ? await shadowInfo(ctx, name) : new Map(),
    loginClass: kernelIs(ctx, 'OpenBSD', 'FreeBSD') ? await ctx.call('user.get_loginclass', [name]) : null,
    user: await userInfo(ctx, name, local),
  }
}

/** `wanted`: the whole request; `change`: the part that must be changed. */
export async function updateUser(
  ctx: StateContext,
  wanted: WantedUser,
  change: ReadonlyMap<Value, Value>,
): Promise<StateReturn> {
  const { name } = wanted
  const before = await look(ctx, wanted)
  const left = new Map(change)
  await setPassword(ctx, wanted, left)
  await setHome(ctx, wanted, left, before.user)
  await setAges(ctx, wanted, left)
  for (const key of [...left.keys()].map(str)) {
    if (key !== 'groups' && (await offers(ctx, `user.ch${key}`)))
      await ctx.call(`user.ch${key}`, [name, take(left, key)!])
  }
  // groups come last: a new primary group would change their order
  const groups = take(left, 'groups')
  if (groups !== undefined) await ctx.call('user.chgroups', [name, groups, !wanted.remove_groups])
  const changes = differences(before, await look(ctx, wanted), wanted)
  if (isWindows(ctx) && change.has('passwd') && !wanted.empty_password) {
    changes.set('passwd', REDACTED)
    for (const key of ['password_changed', 'lstchg']) changes.delete(key)
  }
  const unmet = await changesOf(ctx, { ...wanted, allow_uid_change: true, allow_gid_change: true })
  if (unmet === undefined || unmet.size > 0) {
    const comment = unmet === undefined ? `User ${name} is gone` : `These values could not be changed: ${str(unmet)}`
    return { name, changes, result: false, comment }
  }
  const comment = changes.size > 0 ? `Updated user ${name}` : `User ${name} is present and up to date`
  return { name, changes, result: true, comment }
}

function take(changes: Map<Value, Value>, key: string): Value | undefined {
  const value = changes.get(key)
  changes.delete(key)
  return value
}

async function setPassword(ctx: StateContext, wanted: WantedUser, left: Map<Value, Value>): Promise<void> {
  const { name, password } = wanted
  if (take(left, 'passwd') !== undefined) {
    if (!wanted.empty_password) await ctx.call('shadow.set_password', [name, password])
    else ctx.log('warning', 'No password will be set when empty_password=True')
  }
  if (take(left, 'empty_password') === true) await ctx.call('shadow.del_password', [name])
  const lock = take(left, 'password_lock')
  if (lock === undefined) return
  if (!lock) await ctx.call(isWindows(ctx) ? 'shadow.unlock_account' : 'shadow.unlock_password', [name])
  else if (isWindows(ctx)) ctx.log('warning', 'Account locking is not available on Windows.')
  else await ctx.call('shadow.lock_password', [name])
}

async function setHome(ctx: StateContext, wanted: WantedUser, left: Map<Value, Value>, before: Dict): Promise<void> {
  const missing = take(left, 'homeDoesNotExist')
  const home = take(left, 'home') ?? missing
  if (home === undefined) return
  const options = kernelIs(ctx, 'Darwin', 'Windows') ? {} : { persist: wanted.persist_home }
  await ctx.call('user.chhome', [wanted.name, missing ?? home], options)
  if (missing === undefined || (await ctx.host.stat(str(missing)))?.type === 'directory') return
  await ctx.call('file.mkdir', [missing, before.get('uid')!, before.get('gid')!, 0o755])
}

async function setAges(ctx: StateContext, wanted: WantedUser, left: Map<Value, Value>): Promise<void> {
  const { name } = wanted
  for (const option of [...(Object.keys(AGES) as (keyof typeof AGES)[]), 'expire' as const]) {
    if (take(left, option) !== undefined) await ctx.call(`shadow.set_${option}`, [name, wanted[option]])
  }
  for (const [option, field] of Object.entries(WINDOWS_FIELDS)) {
    const value = take(left, option)
    if (value !== undefined) await ctx.call('user.update', [], { name, [field]: value })
  }
}

function differences(before: Facts, after: Facts, { password }: WantedUser): Dict {
  const changes: Dict = new Map()
  for (const [key, value] of after.user) {
    if (!equals(value, before.user.get(key) ?? null)) changes.set(key, value)
  }
  // a password that was set already makes Salt look away from all of the shadow file
  const lookedAt = before.shadow.get('passwd') === password ? new Map<Value, Value>() : after.shadow
  for (const [key, value] of lookedAt) {
    if (!equals(value, before.shadow.get(key) ?? null)) changes.set(key, key === 'passwd' ? REDACTED : value)
  }
  if (after.loginClass !== before.loginClass) changes.set('loginclass', after.loginClass)
  return changes
}
