// Users of the machine.
import { lookup } from '../../../base/mod.ts'
import { type Dict, iterate, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { addUser } from './user/adding.ts'
import { changesOf } from './user/changes.ts'
import { updateUser } from './user/updating.ts'
import { isWindows, REDACTED, shadowInfo, userInfo, type Wish } from './user/wish.ts'

const ALGORITHMS: Readonly<Record<string, string>> = lookup({ 1: 'md5', '2a': 'blowfish', 5: 'sha256', 6: 'sha512' })

/** The hash of a clear password, with the salt of the present one, so that the same password stays the same hash. */
async function hashed(ctx: StateContext, { name, password }: Wish): Promise<Value> {
  const parts = str((await shadowInfo(ctx, name)).get('passwd') ?? '').split('$')
  if (parts.length !== 4) return ctx.call('shadow.gen_password', [password])
  const [, algorithm = '', crypt_salt = ''] = parts
  if (algorithm === '1') ctx.log('warning', 'Using MD5 for hashing passwords is considered insecure!')
  return ctx.call('shadow.gen_password', [password], { crypt_salt, algorithm: ALGORITHMS[algorithm] ?? null })
}

const NOTES = ['fullname', 'roomnumber', 'workphone', 'homephone', 'other'] as const

/** The same with its texts as texts and its password as hash. */
async function settled(ctx: StateContext, wish: Wish): Promise<Wish> {
  const notes = NOTES.map((key) => [key, wish[key] === null ? null : str(wish[key])])
  return {
    ...wish,
    ...Object.fromEntries(notes),
    ...(truthy(wish.password) && truthy(wish.hash_password) && { password: await hashed(ctx, wish) }),
    ...(isWindows(ctx) && { createhome: false }),
  }
}

async function partition(ctx: StateContext, groups: Value): Promise<{ there: Value[]; missing: Value[] }> {
  const there: Value[] = []
  const missing: Value[] = []
  for (const group of truthy(groups) ? iterate(groups) : []) {
    const info = await ctx.call('group.info', [group])
    ;(info.size > 0 ? there : missing).push(group)
  }
  return { there, missing }
}

/** What a dry run says of changes. */
function foreseen(changes: Dict, missing: string): string {
  const lines = [...changes].map(([key, value]) => `${str(key)}: ${key === 'passwd' ? REDACTED : str(value)}\n`)
  const pending = missing === '' ? '' : `groups (pending creation): ${missing}\n`
  return `The following user attributes are set to be changed:\n${lines.join('')}${pending}`
}

async function present(ctx: StateContext, asked: Wish): Promise<StateReturn> {
  const wish = await settled(ctx, asked)
  const { name } = wish
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  // a comma would move everything behind it to the next field
  const broken = [wish.fullname, wish.roomnumber, wish.workphone].find(
    (note) => note !== null && str(note).includes(','),
  )
  if (broken !== undefined) return report(false, `Unsupported char ',' in ${str(broken)}`)
  const required = await partition(ctx, wish.groups)
  const missing = required.missing.map((group) => str(group)).join(',')
  if (missing !== '' && !ctx.test) return report(false, `The following group(s) are not present: ${missing}`)
  const optional = truthy(wish.optional_groups) ? (await partition(ctx, wish.optional_groups)).there : null
  wish.groups = missing === '' ? wish.groups : required.there
  wish.optional_groups = optional
  const ownGroup = truthy(wish.usergroup) && (await ctx.call('file.group_to_gid', [name])) !== ''
  let changes: Dict | undefined
  try {
    changes = await changesOf(ctx, ownGroup ? { ...wish, gid: name } : wish)
  } catch (error) {
    if (error instanceof SaltError && error.code === 'CommandExecutionError') return report(false, error.message)
    throw error
  }
  if (changes === undefined) {
    const pending = missing === '' ? '' : ` (pending groups: ${missing})`
    if (ctx.test) return report(null, `User ${name} set to be added${pending}`)
    const groups =
      optional === null || optional.length === 0 ? wish.groups : [...((wish.groups ?? []) as Value[]), ...optional]
    return addUser(ctx, { ...wish, groups })
  }
  if (changes.size === 0) return report(true, `User ${name} is present and up to date`)
  return ctx.test ? report(null, foreseen(changes, missing)) : updateUser(ctx, wish, changes)
}

interface Removal {
  name: string
  purge: Value
  force: Value
  local: Value
}

async function absent(ctx: StateContext, { name, purge, force, local }: Removal): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  if ((await userInfo(ctx, name, local)).size === 0) return report(true, `User ${name} is not present`)
  if (ctx.test) return report(null, `User ${name} set for removal`)
  const groups = await ctx.call('user.list_groups', [name])
  const gone = await ctx.call('user.delete', [name, purge, force], isWindows(ctx) ? {} : { local })
  if (!truthy(gone)) return report(false, `Failed to remove user ${name}`)
  const { missing } = await partition(ctx, groups)
  const changes: Dict = new Map(missing.map((group): [Value, Value] => [`${str(group)} group`, 'removed']))
  changes.set(name, 'removed')
  return { ...report(true, `Removed user ${name}`), changes }
}

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })

export default defineState({
  name: 'user',
  doc: 'Keep users of the machine.',
  functions: {
    present: state({
      doc: 'A user is there, and is as it should be.',
      args: {
        name: arg.string('The user'),
        uid: optional('Its number'),
        gid: optional('Its primary group: a name or a number'),
        usergroup: optional('Whether it gets a group of its own name; the system decides when not given'),
        groups: optional('Further groups, which must be there'),
        optional_groups: optional('Further groups, as far as they are there'),
        remove_groups: arg.flag('Whether it leaves groups that are not named', { default: true }),
        home: optional('Its home directory'),
        createhome: arg.flag('Whether the home directory is made', { default: true }),
        persist_home: arg.flag('Whether files move with the home directory', { default: false }),
        password: arg.any('The hash of its password', { optional: true, secret: true }),
        hash_password: arg.flag('Whether the password is in clear and is hashed first', { default: false }),
        enforce_password: arg.flag('Whether a password that was set already is replaced', { default: true }),
        empty_password: arg.flag('Whether it needs no password', { default: false }),
        shell: optional('Its login shell'),
        unique: arg.flag('Whether nobody else may have the number', { default: true }),
        system: arg.flag('Whether it is a system account', { default: false }),
        fullname: optional('Full name'),
        roomnumber: optional('Room number'),
        workphone: optional('Phone at work'),
        homephone: optional('Phone at home'),
        other: optional('Other remarks'),
        loginclass: optional('Login class, on BSD'),
        date: optional('When the password was changed, in days since 1970'),
        mindays: optional('Days between changes of the password'),
        maxdays: optional('Days a password is valid'),
        inactdays: optional('Days an expired password still works'),
        warndays: optional('Days of warning'),
        expire: optional('When the account ends, in days since 1970'),
        win_homedrive: optional('Drive letter of the home directory, on Windows'),
        win_profile: optional('Profile directory, on Windows'),
        win_logonscript: optional('Script at logon, on Windows'),
        win_description: optional('Description, on Windows'),
        nologinit: off('Keep it out of the lastlog and faillog databases'),
        allow_uid_change: arg.flag('Whether its number may change', { default: false }),
        allow_gid_change: arg.flag('Whether its primary group may change', { default: false }),
        password_lock: optional('Whether the password is locked'),
        local: off('Look at and change local accounts only'),
      },
      run: (ctx, wish) => present(ctx, { ...wish } as Wish),
    }),
    absent: state({
      doc: 'A user is not there.',
      args: {
        name: arg.string('The user'),
        purge: arg.flag('Remove its files too', { default: false }),
        force: arg.flag('Remove it even when it is logged in', { default: false }),
        local: off('Look at and change local accounts only'),
      },
      run: absent,
    }),
  },
})
