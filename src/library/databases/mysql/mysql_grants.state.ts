// Grants of MySQL and MariaDB users. The name of the state is only a name.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { because, connectionArgs, type Given, parted, report, takeError, whenMysql } from './state/connection.ts'

interface Wish {
  ctx: StateContext
  given: Given
  connection: Record<string, Value>
  name: string
}

const NAMES = ['grant', 'database', 'user', 'host', 'grant_option', 'escape']

const wished = ({ given }: Wish, names: readonly string[]): Value[] => names.map((name) => given[name] ?? null)

/** `select on app.* to joe@localhost` */
function sentence(wish: Wish, preposition: string): string {
  const [grant, database, user, host] = wished(wish, NAMES).map((value) => str(value))
  return `${grant} on ${database} ${preposition} ${user}@${host}`
}

const exists = async (wish: Wish): Promise<boolean> =>
  truthy(await wish.ctx.call('mysql.grant_exists', wished(wish, NAMES), wish.connection))

/** Takes away what the user has on the same level, so that less can be granted than before. */
async function revokeOthers({ ctx, given, connection }: Wish): Promise<void> {
  const { user = null, host = null, grant_option = null } = given
  const grants = await ctx.call('mysql.user_grants', [user, host], connection)
  const database = str(given['database']!)
  const bare = (text: string): string => text.replace(/[`\\]/g, '')
  for (const held of truthy(grants) ? (grants as Value[]) : []) {
    const tokens = await ctx.call('mysql.tokenize_grant', [held])
    if (bare(str(tokens.get('database')!)) !== bare(database)) continue
    const grant = (tokens.get('grant') as Value[]).map((each) => str(each)).join(',')
    await ctx.call('mysql.grant_revoke', [], { grant, database, user, host, grant_option, ...connection })
  }
}

async function present(wish: Wish): Promise<StateReturn> {
  const { ctx, given, connection, name } = wish
  if (await exists(wish)) return report(name, `Grant ${sentence(wish, 'to')} is already present`)
  const error = takeError(ctx)
  if (error !== undefined) return report(name, error, false)
  if (ctx.test) return report(name, `MySQL grant ${name} is set to be created`, null)
  if (truthy(given['revoke_first']!)) await revokeOthers(wish)
  if (truthy(await ctx.call('mysql.grant_add', wished(wish, [...NAMES, 'ssl_option']), connection))) {
    return report(name, `Grant ${sentence(wish, 'to')} has been added`, true, { [name]: 'Present' })
  }
  const [grant, database, user, host] = wished(wish, NAMES).map((value) => str(value))
  const comment = `Failed to execute: "GRANT ${grant} ON ${database} TO ${user}@${host}"`
  return report(name, because(ctx, comment), false)
}

async function absent(wish: Wish): Promise<StateReturn> {
  const { ctx, connection, name } = wish
  const held = await exists(wish)
  if (held && ctx.test) return report(name, `MySQL grant ${name} is set to be revoked`, null)
  if (held && truthy(await ctx.call('mysql.grant_revoke', wished(wish, NAMES.slice(0, 5)), connection))) {
    return report(name, `Grant ${sentence(wish, 'for')} has been revoked`, true, { [name]: 'Absent' })
  }
  const error = takeError(ctx)
  if (error !== undefined) {
    const what = sentence(wish, 'for')
    const comment = held ? `Unable to revoke grant ${what}` : `Unable to determine if grant ${what} exists`
    return report(name, `${comment} (${error})`, false)
  }
  return report(name, `Grant ${sentence(wish, 'to')} is not present, so it cannot be revoked`)
}

const optional = (doc: string) => arg.any(doc, { optional: true })

const grant = {
  name: arg.any('A name for the grant'),
  grant: optional('The privileges, with commas between'),
  database: optional('The level: `*.*`, `db.*` or `db.table`'),
  user: optional('The user'),
  host: arg.any('The host that the user connects from', { default: 'localhost' }),
  grant_option: arg.flag('Whether the user may grant them on', { default: false }),
  escape: arg.flag('Whether the level is quoted', { default: true }),
}

const run = (body: (wish: Wish) => Promise<StateReturn>) => (ctx: StateContext, args: object) => {
  const { given, connection } = parted(args)
  return body({ ctx, given, connection, name: str(given['name']!) })
}

export default defineState({
  name: 'mysql_grants',
  doc: 'Keep grants of MySQL and MariaDB users.',
  when: whenMysql,
  functions: {
    present: state({
      doc: 'A user has these privileges.',
      args: {
        ...grant,
        revoke_first: arg.flag('Whether all that the user has there is revoked first', { default: false }),
        ssl_option: arg.any('What the connection must be: a list of SSL, X509, CIPHER, ISSUER, SUBJECT', {
          default: false,
        }),
        connection_args: connectionArgs,
      },
      run: run(present),
    }),
    absent: state({
      doc: 'A user does not have these privileges.',
      args: { ...grant, connection_args: connectionArgs },
      run: run(absent),
    }),
  },
})
