// Users of MongoDB and their roles.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Given = Readonly<Record<string, Value>>

const report = (name: Value, result: boolean | null, comment: string, changes = {}): StateReturn => ({
  name,
  changes,
  result,
  comment,
})

const loginOf = (given: Given): Record<string, Value> =>
  Object.fromEntries(['user', 'password', 'host', 'port', 'database', 'authdb'].map((key) => [key, given[key] ?? null]))

/** Grants the roles that are missing, and takes away those that are too many. */
async function setRoles(ctx: StateContext, given: Given, users: readonly Dict[]): Promise<StateReturn> {
  const { name = null, database = null } = given
  const wanted = (given['roles'] ?? []) as Value[]
  const held = users
    .flatMap((user) => (user.get('roles') ?? []) as Dict[])
    .filter((role) => role.get('db') === database)
  const current = held.map((role) => role.get('role') ?? null)
  const missing = wanted.filter((role) => !current.includes(role))
  const surplus = current.filter((role) => !wanted.includes(role))
  if (missing.length === 0 && surplus.length === 0) return report(name, true, `User ${str(name)} is already present`)
  const changes = { [str(name)]: { database, roles: { old: current, new: wanted } } }
  if (ctx.test) return report(name, null, `Roles of user ${str(name)} are set to be changed`, changes)
  if (missing.length > 0) await ctx.call('mongodb.user_grant_roles', [], { ...loginOf(given), name, roles: missing })
  if (surplus.length > 0) await ctx.call('mongodb.user_revoke_roles', [], { ...loginOf(given), name, roles: surplus })
  return report(name, true, `User ${str(name)} is already present`, changes)
}

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const { name = null, passwd = null } = given
  const port = given['port'] ?? null
  if (!/^\d+$/.test(str(port))) return report(name, false, `Port (${str(port)}) is not an integer.`)
  const users = await ctx.call('mongodb.user_find', [], { ...loginOf(given), name })
  if (!isList(users)) return report(name, false, str(users))
  const found = users as Value[]
  if (found[0] === false) return report(name, false, `Mongo Err: ${str(found[1] ?? null)}`)
  if (found.length > 0) return setRoles(ctx, given, found.filter((each) => isDict(each)) as Dict[])
  if (ctx.test) return report(name, null, `User ${str(name)} is not present and needs to be created`)
  const made = await ctx.call('mongodb.user_create', [], {
    ...loginOf(given),
    name,
    passwd,
    roles: given['roles'] ?? [],
  })
  if (!truthy(made)) return report(name, false, `Failed to create database ${str(name)}`)
  return report(name, true, `User ${str(name)} has been created`, { [str(name)]: 'Present' })
}

async function absent(ctx: StateContext, given: Given): Promise<StateReturn> {
  const { name = null } = given
  const exists = await ctx.call('mongodb.user_exists', [], { ...loginOf(given), name })
  if (typeof exists !== 'boolean') return report(name, false, str(exists))
  if (!exists) return report(name, true, `User ${str(name)} is not present`)
  if (ctx.test) return report(name, null, `User ${str(name)} is present and needs to be removed`)
  if (!truthy(await ctx.call('mongodb.user_remove', [], { ...loginOf(given), name }))) {
    return report(name, false, `Failed to remove user ${str(name)}`)
  }
  return report(name, true, `User ${str(name)} has been removed`, { [str(name)]: 'Absent' })
}

const optional = (doc: string) => arg.any(doc, { optional: true })
const name = arg.any('The name of the user')
const user = optional('Who logs in')
const password = arg.any('The password of who logs in', { optional: true, secret: true })
const database = arg.any('The database', { default: 'admin' })
const authdb = optional('The database that knows the user who logs in')

export default defineState({
  name: 'mongodb_user',
  doc: 'Keep users of MongoDB.',
  when: async ({ host }) =>
    (await host.which('mongosh')) !== undefined ||
    (await host.which('mongo')) !== undefined ||
    'mongodb module could not be loaded',
  functions: {
    present: state({
      doc: 'A user is there, with these roles.',
      args: {
        name,
        passwd: arg.any('The password', { secret: true }),
        database,
        user,
        password,
        host: arg.any('The host', { default: 'localhost' }),
        port: arg.any('The port', { default: 27017 }),
        authdb,
        roles: optional('Roles in the database'),
      },
      run: (ctx, given) => present(ctx, given),
    }),
    absent: state({
      doc: 'A user is not there.',
      args: { name, user, password, host: optional('The host'), port: optional('The port'), database, authdb },
      run: (ctx, given) => absent(ctx, given),
    }),
  },
})
