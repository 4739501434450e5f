// The parameters of user.present, and small questions about the platform.
import { contains, type Dict } from '../../../../data/mod.ts'
import { arg, type Bound, type StateContext } from '../../../../sdk/mod.ts'

export const userArgs = {
  name: arg.string('Name of the user'),
  uid: arg.any('User ID', { optional: true }),
  gid: arg.any('Primary group: a name or an ID', { optional: true }),
  usergroup: arg.flag('Whether a group of the same name is created. Default: the system decides', { optional: true }),
  groups: arg.any('List of supplementary groups, which must exist', { optional: true }),
  optional_groups: arg.any('List of supplementary groups that are left out if they do not exist', { optional: true }),
  remove_groups: arg.flag('Whether the user leaves other groups', { default: true }),
  home: arg.text('Home directory', { optional: true }),
  createhome: arg.flag('Whether the home directory is created', { default: true }),
  persist_home: arg.flag('Whether files move with the home directory', { default: false }),
  password: arg.text('Hash of the password', { optional: true, secret: true }),
  hash_password: arg.flag('Whether the password is clear text, and is hashed first', { default: false }),
  enforce_password: arg.flag('Whether another password is replaced', { default: true }),
  empty_password: arg.flag('Whether the user needs no password', { default: false }),
  shell: arg.text('Login shell', { optional: true }),
  unique: arg.flag('Whether the user ID must be unique', { default: true }),
  system: arg.flag('Whether it is a system user', { default: false }),
  fullname: arg.text('Full name', { optional: true }),
  roomnumber: arg.text('Room number', { optional: true }),
  workphone: arg.text('Work phone number', { optional: true }),
  homephone: arg.text('Home phone number', { optional: true }),
  other: arg.text('Other notes', { optional: true }),
  loginclass: arg.text('Login class, on BSD', { optional: true }),
  date: arg.any('Day of the last change of the password, in days since 1970', { optional: true }),
  mindays: arg.any('Minimum number of days between changes of the password', { optional: true }),
  maxdays: arg.any('Number of days that a password is valid', { optional: true }),
  inactdays: arg.any('Number of days that an expired password still works', { optional: true }),
  warndays: arg.any('Number of days of warning before a password expires', { optional: true }),
  expire: arg.any('Day on which the account expires, in days since 1970', { optional: true }),
  win_homedrive: arg.text('Drive letter of the home directory, on Windows', { optional: true }),
  win_profile: arg.text('Profile directory, on Windows', { optional: true }),
  win_logonscript: arg.text('Logon script, on Windows', { optional: true }),
  win_description: arg.text('Description, on Windows', { optional: true }),
  nologinit: arg.flag('Whether to add no entries for the user to the lastlog and faillog databases', {
    default: false,
  }),
  allow_uid_change: arg.flag('Whether the user ID may change', { default: false }),
  allow_gid_change: arg.flag('Whether the primary group may change', { default: false }),
  password_lock: arg.flag('Whether the password is locked', { optional: true }),
  local: arg.flag('Whether only local users are looked at and changed', { default: false }),
}

export type WantedUser = Bound<typeof userArgs>

export const REDACTED = 'XXX-REDACTED-XXX'

export const kernelIs = (ctx: StateContext, ...kernels: string[]): boolean =>
  contains(kernels, ctx.grains.get('kernel') ?? '')

export const isWindows = (ctx: StateContext): boolean => kernelIs(ctx, 'Windows')

/** Return whether the module of this minion has a function. */
export async function offers(ctx: StateContext, name: string): Promise<boolean> {
  if (!ctx.has(name)) return false
  const [module = '', fun = ''] = name.split('.')
  const declared = await ctx.module(module).catch(() => undefined)
  return declared !== undefined && fun in declared.functions
}

/** Return the facts about a user, from the local files only if `local`; Windows has no such difference. */
export async function userInfo(ctx: StateContext, name: string, local: boolean): Promise<Dict> {
  const where = local && !isWindows(ctx) ? { root: '/' } : {}
  return ctx.call('user.info', [name], where)
}

export const shadowInfo = async (ctx: StateContext, name: string): Promise<Dict> =>
  await ctx.call('shadow.info', [name])
