// Users of MongoDB and their roles.
import { isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'
import { login, whenMongo } from './state/login.ts'

const name = arg.text('Name of the user')
const database = arg.text('Database of the user', { default: 'admin' })
const { authdb } = login

const user = {
  name,
  passwd: arg.text('Password of a new user', { secret: true }),
  database,
  ...login.user,
  host: arg.text('Host of the server', { default: 'localhost' }),
  port: arg.any('Port of the server; anything but digits is an error', { default: 27017 }),
  authdb,
  roles: arg.any('List of roles in the database', { optional: true }),
}

/** The user does not exist; or exists with these roles in the database. */
type Gap = 'missing' | { held: Value[] }

const lacking = (roles: readonly Value[], others: readonly Value[]): Value[] =>
  roles.filter((role) => !others.includes(role))

async function look(ctx: StateContext, given: Bound<typeof user>, wanted: readonly Value[]): Promise<Gap | Verdict> {
  const { passwd: _, roles: __, ...found } = given
  if (!/^\d+$/.test(str(given.port))) return failed(`Port (${str(given.port)}) is not an integer.`)
  const users = await ctx.call('mongodb.user_find', [], found)
  if (!isList(users)) return failed(str(users))
  if (users[0] === false) return failed(`Mongo Err: ${str(users[1] ?? null)}`)
  if (users.length === 0) return 'missing'
  const roles = users.filter(isDict).flatMap((each) => each.get('roles') ?? [])
  const own = roles.filter(isDict).filter((role) => role.get('db') === given.database)
  const held = own.map((role) => role.get('role') ?? null)
  const same = lacking(wanted, held).length === 0 && lacking(held, wanted).length === 0
  return same ? settled(`User ${given.name} is already present`) : { held }
}

function present(ctx: StateContext, given: Bound<typeof user>): Promise<StateReturn> {
  const { passwd, roles, ...target } = given
  const { name, database } = target
  const wanted = isList(roles) ? roles : []
  const roleChanges = (held: Value[]) => ({ [name]: { database, roles: { old: held, new: wanted } } })
  return ensure<Gap>(ctx, {
    name,
    look: () => look(ctx, given, wanted),
    foresee: (gap) =>
      gap === 'missing'
        ? `User ${name} is not present and needs to be created`
        : foreseen(`Roles of user ${name} are set to be changed`, roleChanges(gap.held)),
    act: async (gap) => {
      if (gap === 'missing') {
        const created = truthy(await ctx.call('mongodb.user_create', [], { ...target, passwd, roles: wanted }))
        if (!created) return failed(`Failed to create database ${name}`)
        return changed(`User ${name} has been created`, { [name]: 'Present' })
      }
      const missing = lacking(wanted, gap.held)
      const surplus = lacking(gap.held, wanted)
      if (missing.length > 0) await ctx.call('mongodb.user_grant_roles', [], { ...target, roles: missing })
      if (surplus.length > 0) await ctx.call('mongodb.user_revoke_roles', [], { ...target, roles: surplus })
      return changed(`User ${name} is already present`, roleChanges(gap.held))
    },
  })
}

export default defineState({
  name: 'mongodb_user',
  doc: 'Manage users of MongoDB.',
  when: whenMongo,
  functions: {
    present: state({
      doc: 'Ensure that a user exists with the given roles.',
      args: user,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a user does not exist.',
      args: { name, ...login.user, ...login.server, database, authdb },
      run: (ctx, given) => {
        const { name } = given
        return ensure(ctx, {
          name,
          look: async () => {
            const exists: Value = await ctx.call('mongodb.user_exists', [], given)
            if (typeof exists !== 'boolean') return failed(str(exists))
            return exists ? 'there' : settled(`User ${name} is not present`)
          },
          foresee: () => `User ${name} is present and needs to be removed`,
          act: async () => {
            if (!truthy(await ctx.call('mongodb.user_remove', [], given)))
              return failed(`Failed to remove user ${name}`)
            return changed(`User ${name} has been removed`, { [name]: 'Absent' })
          },
        })
      },
    }),
  },
})
