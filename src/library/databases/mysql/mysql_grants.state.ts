// Grants of MySQL and MariaDB users. The name of the state is only a label.
import { str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { because, type Connection, connectionArgs, takeError, whenMysql } from './state/connection.ts'

const grantArgs = {
  name: arg.text('Label of the grant'),
  grant: arg.text('Privileges, separated by commas', { optional: true }),
  database: arg.text('Level: `*.*`, `db.*` or `db.table`', { optional: true }),
  user: arg.text('Name of the user', { optional: true }),
  host: arg.text('Host that the user connects from', { default: 'localhost' }),
  grant_option: arg.any('Whether the user may grant the privileges to others; a text counts if it is `true`', {
    default: false,
  }),
  escape: arg.flag('Whether names in the level are quoted', { default: true }),
}

type Grant = Bound<typeof grantArgs>

/** Return the arguments of the functions about grants, in their order. */
function positional(wanted: Grant): Value[] {
  const { grant, database, user, host, grant_option } = wanted
  return [grant, database, user, host, grant_option, wanted.escape]
}

/** Return `select on app.* to joe@localhost`. */
const sentence = ({ grant, database, user, host }: Grant, preposition: string): string =>
  `${str(grant)} on ${str(database)} ${preposition} ${str(user)}@${host}`

/** Revoke all that the user has on the same level, so that a grant can also take away privileges. */
async function revokeOthers(ctx: StateContext, wanted: Grant, connection: Connection): Promise<void> {
  const { user, host, grant_option } = wanted
  const database = str(wanted.database)
  const bare = (text: string): string => text.replace(/[`\\]/g, '')
  const grants = await ctx.call('mysql.user_grants', [user, host], connection)
  for (const held of grants === false ? [] : grants) {
    const tokens = await ctx.call('mysql.tokenize_grant', [held])
    if (bare(str(tokens.get('database') ?? null)) !== bare(database)) continue
    const privileges = tokens.get('grant') ?? []
    const grant = Array.isArray(privileges) ? privileges.map(str).join(',') : ''
    await ctx.call('mysql.grant_revoke', [], { grant, database, user, host, grant_option, ...connection })
  }
}

interface Addition {
  revoke_first: boolean
  ssl_option: Value
}

function present(ctx: StateContext, wanted: Grant & Addition, connection: Connection): Promise<StateReturn> {
  const { name, grant, database, user, host, revoke_first, ssl_option } = wanted
  return ensure(ctx, {
    name,
    look: async () => {
      if (truthy(await ctx.call('mysql.grant_exists', positional(wanted), connection))) {
        return settled(`Grant ${sentence(wanted, 'to')} is already present`)
      }
      const error = takeError(ctx)
      return error === undefined ? 'missing' : failed(error)
    },
    foresee: () => `MySQL grant ${name} is set to be created`,
    act: async () => {
      if (revoke_first) await revokeOthers(ctx, wanted, connection)
      if (truthy(await ctx.call('mysql.grant_add', [...positional(wanted), ssl_option], connection))) {
        return changed(`Grant ${sentence(wanted, 'to')} has been added`, { [name]: 'Present' })
      }
      const statement = `GRANT ${str(grant)} ON ${str(database)} TO ${str(user)}@${host}`
      return failed(because(ctx, `Failed to execute: "${statement}"`))
    },
  })
}

function absent(ctx: StateContext, wanted: Grant, connection: Connection): Promise<StateReturn> {
  const { name } = wanted
  const unrevoked = (problem: string) => {
    const error = takeError(ctx)
    if (error !== undefined) return failed(`${problem} (${error})`)
    return settled(`Grant ${sentence(wanted, 'to')} is not present, so it cannot be revoked`)
  }
  return ensure(ctx, {
    name,
    look: async () =>
      truthy(await ctx.call('mysql.grant_exists', positional(wanted), connection))
        ? 'there'
        : unrevoked(`Unable to determine if grant ${sentence(wanted, 'for')} exists`),
    foresee: () => `MySQL grant ${name} is set to be revoked`,
    act: async () => {
      if (truthy(await ctx.call('mysql.grant_revoke', positional(wanted).slice(0, 5), connection))) {
        return changed(`Grant ${sentence(wanted, 'for')} has been revoked`, { [name]: 'Absent' })
      }
      return unrevoked(`Unable to revoke grant ${sentence(wanted, 'for')}`)
    },
  })
}

export default defineState({
  name: 'mysql_grants',
  doc: 'Manage grants of MySQL and MariaDB users.',
  when: whenMysql,
  functions: {
    present: state({
      doc: 'Ensure that a user has privileges.',
      args: {
        ...grantArgs,
        revoke_first: arg.flag('Whether all privileges of the user on the level are revoked first', {
          default: false,
        }),
        ssl_option: arg.any('List of requirements: dicts of SSL, X509, CIPHER, ISSUER or SUBJECT; False for none', {
          default: false,
        }),
        connection_args: connectionArgs,
      },
      run: (ctx, { connection_args, ...wanted }) => present(ctx, wanted, Object.fromEntries(connection_args)),
    }),
    absent: state({
      doc: 'Ensure that a user does not have privileges.',
      args: { ...grantArgs, connection_args: connectionArgs },
      run: (ctx, { connection_args, ...wanted }) => absent(ctx, wanted, Object.fromEntries(connection_args)),
    }),
  },
})
