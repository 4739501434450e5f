// Users of the machine.
import { lookup } from '../../../base/mod.ts'
import { type Dict, isFailure, iterate, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { addUser } from './user/adding.ts'
import { changesOf } from './user/changes.ts'
import { updateUser } from './user/updating.ts'
import { isWindows, REDACTED, shadowInfo, userArgs, userInfo, type WantedUser } from './user/wanted.ts'

const ALGORITHMS: Readonly<Record<string, string>> = lookup({ 1: 'md5', '2a': 'blowfish', 5: 'sha256', 6: 'sha512' })

/** Return the hash of a clear password, with the salt of the present hash: the same password gives the same hash. */
async function hashed(ctx: StateContext, { name, password }: WantedUser): Promise<string> {
  const parts = str((await shadowInfo(ctx, name)).get('passwd') ?? '').split('$')
  if (parts.length !== 4) return ctx.call('shadow.gen_password', [password])
  const [, algorithm = '', crypt_salt = ''] = parts
  if (algorithm === '1') ctx.log('warning', 'Using MD5 for hashing passwords is considered insecure!')
  return ctx.call('shadow.gen_password', [password], { crypt_salt, algorithm: ALGORITHMS[algorithm] ?? null })
}

/** Return the wanted user with a hash as password. */
async function withHashedPassword(ctx: StateContext, wanted: WantedUser): Promise<WantedUser> {
  return {
    ...wanted,
    ...(wanted.password && wanted.hash_password && { password: await hashed(ctx, wanted) }),
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

/** Return the comment of a dry run about changes. */
function foreseen(changes: Dict, missing: string): string {
  const lines = [...changes].map(([key, value]) => `${str(key)}: ${key === 'passwd' ? REDACTED : str(value)}\n`)
  const pending = missing === '' ? '' : `groups (pending creation): ${missing}\n`
  return `The following user attributes are set to be changed:\n${lines.join('')}${pending}`
}

async function present(ctx: StateContext, given: WantedUser): Promise<StateReturn> {
  const wanted = await withHashedPassword(ctx, given)
  const { name } = wanted
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  // a comma would move the rest of the text to the next field
  const broken = [wanted.fullname, wanted.roomnumber, wanted.workphone].find((note) => note?.includes(','))
  if (broken !== undefined) return report(false, `Unsupported char ',' in ${broken}`)
  const required = await partition(ctx, wanted.groups)
  const missing = required.missing.map((group) => str(group)).join(',')
  if (missing !== '' && !ctx.test) return report(false, `The following group(s) are not present: ${missing}`)
  const optional = truthy(wanted.optional_groups) ? (await partition(ctx, wanted.optional_groups)).there : null
  wanted.groups = missing === '' ? wanted.groups : required.there
  wanted.optional_groups = optional
  const ownGroup = wanted.usergroup && (await ctx.call('file.group_to_gid', [name])) !== ''
  let changes: Dict | undefined
  try {
    changes = await changesOf(ctx, ownGroup ? { ...wanted, gid: name } : wanted)
  } catch (error) {
    if (isFailure(error)) return report(false, error.message)
    throw error
  }
  if (changes === undefined) {
    const pending = missing === '' ? '' : ` (pending groups: ${missing})`
    if (ctx.test) return report(null, `User ${name} set to be added${pending}`)
    const groups =
      optional === null || optional.length === 0 ? wanted.groups : [...((wanted.groups ?? []) as Value[]), ...optional]
    return addUser(ctx, { ...wanted, groups })
  }
  if (changes.size === 0) return report(true, `User ${name} is present and up to date`)
  return ctx.test ? report(null, foreseen(changes, missing)) : updateUser(ctx, wanted, changes)
}

interface Removal {
  name: string
  purge: boolean
  force: boolean
  local: boolean
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

export default defineState({
  name: 'user',
  doc: 'Manage users of the machine.',
  functions: {
    present: state({
      doc: 'Ensure that a user exists with the given properties.',
      args: userArgs,
      run: (ctx, wanted) => present(ctx, { ...wanted }),
    }),
    absent: state({
      doc: 'Ensure that a user does not exist.',
      args: {
        name: arg.string('Name of the user'),
        purge: arg.flag('Whether the files of the user are removed too', { default: false }),
        force: arg.flag('Whether a user who is logged in is removed too', { default: false }),
        local: arg.flag('Whether only local users are looked at and changed', { default: false }),
      },
      run: absent,
    }),
  },
})
