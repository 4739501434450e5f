// InfluxDB 1.x: databases, users and their privileges, retention policies, continuous queries.
import { type Dict, dumpJson, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { type Connection, execute, identifier, literal, query, rows, type Series } from './module/client.ts'

const client_args = arg.open('Connection: influxdb_host, influxdb_port, influxdb_user, influxdb_password, ssl')
const database = arg.text('Name of the database')
const user = { name: arg.text('Name of the user'), client_args }
const passwd = arg.text('Password of the user', { secret: true })
const executed = ret.boolean('True; a refusal of the server is an error')

async function databaseExists(ctx: FunctionContext, at: Connection, name: string): Promise<boolean> {
  return (await rows(ctx, at, 'SHOW DATABASES')).some((row) => row.get('name') === name)
}

async function userInfo(ctx: FunctionContext, at: Connection, name: string): Promise<Dict | undefined> {
  return (await rows(ctx, at, 'SHOW USERS')).find((row) => row.get('user') === name)
}

/** Log why a statement is not needed, and return false. */
function unneeded(ctx: FunctionContext, note: string): false {
  ctx.log('info', note)
  return false
}

const databases = {
  list_dbs: reads({
    doc: 'Return all databases.',
    args: { client_args },
    returns: ret.dicts('One dict with `name` for each database'),
    run: (ctx, { client_args }) => rows(ctx, client_args, 'SHOW DATABASES'),
  }),
  db_exists: reads({
    doc: 'Return whether a database exists.',
    args: { name: database, client_args },
    returns: ret.boolean('Whether the database exists'),
    example: 'influxdb.db_exists app',
    run: (ctx, { name, client_args }) => databaseExists(ctx, client_args, name),
  }),
  create_db: changes({
    doc: 'Create a database.',
    args: { name: database, client_args },
    returns: ret.boolean('False if the database already exists'),
    example: 'influxdb.create_db app',
    run: async (ctx, { name, client_args }) => {
      if (await databaseExists(ctx, client_args, name)) return unneeded(ctx, `DB '${name}' already exists`)
      return execute(ctx, client_args, `CREATE DATABASE ${identifier(name)}`)
    },
  }),
  drop_db: changes({
    doc: 'Drop a database.',
    args: { name: database, client_args },
    returns: ret.boolean('False if there is no such database'),
    example: 'influxdb.drop_db app',
    run: async (ctx, { name, client_args }) => {
      if (!(await databaseExists(ctx, client_args, name))) return unneeded(ctx, `DB '${name}' does not exist`)
      return execute(ctx, client_args, `DROP DATABASE ${identifier(name)}`)
    },
  }),
}

const users = {
  list_users: reads({
    doc: 'Return all users.',
    args: { client_args },
    returns: ret.dicts('One dict with `user` and `admin` for each user'),
    run: (ctx, { client_args }) => rows(ctx, client_args, 'SHOW USERS'),
  }),
  user_exists: reads({
    doc: 'Return whether a user exists.',
    args: user,
    returns: ret.boolean('Whether the user exists'),
    example: 'influxdb.user_exists joe',
    run: async (ctx, { name, client_args }) => (await userInfo(ctx, client_args, name)) !== undefined,
  }),
  user_info: reads({
    doc: 'Return what the server knows about a user.',
    args: user,
    returns: ret.optional(ret.dict('`user` and `admin`; None if there is no such user')),
    example: 'influxdb.user_info joe',
    run: (ctx, { name, client_args }) => userInfo(ctx, client_args, name),
  }),
  create_user: changes({
    doc: 'Create a user.',
    args: {
      name: user.name,
      passwd,
      admin: arg.flag('Whether the user gets all privileges', { default: false }),
      client_args,
    },
    returns: ret.boolean('False if the user already exists'),
    example: 'influxdb.create_user joe secret',
    run: async (ctx, { name, passwd, admin, client_args }) => {
      if (await userInfo(ctx, client_args, name)) return unneeded(ctx, `User '${name}' already exists`)
      const privileges = admin ? ' WITH ALL PRIVILEGES' : ''
      const statement = `CREATE USER ${identifier(name)} WITH PASSWORD ${literal(passwd)}${privileges}`
      return execute(ctx, client_args, statement)
    },
  }),
  set_user_password: changes({
    doc: 'Set the password of a user.',
    args: { name: user.name, passwd, client_args },
    returns: ret.boolean('False if there is no such user'),
    example: 'influxdb.set_user_password joe new',
    run: async (ctx, { name, passwd, client_args }) => {
      if (!(await userInfo(ctx, client_args, name))) return unneeded(ctx, `User '${name}' does not exist`)
      return execute(ctx, client_args, `SET PASSWORD FOR ${identifier(name)} = ${literal(passwd)}`)
    },
  }),
  remove_user: changes({
    doc: 'Drop a user.',
    args: user,
    returns: ret.boolean('False if there is no such user'),
    example: 'influxdb.remove_user joe',
    run: async (ctx, { name, client_args }) => {
      if (!(await userInfo(ctx, client_args, name))) return unneeded(ctx, `User '${name}' does not exist`)
      return execute(ctx, client_args, `DROP USER ${identifier(name)}`)
    },
  }),
  grant_admin_privileges: changes({
    doc: 'Grant all privileges to a user.',
    args: user,
    returns: executed,
    example: 'influxdb.grant_admin_privileges joe',
    run: (ctx, { name, client_args }) => execute(ctx, client_args, `GRANT ALL PRIVILEGES TO ${identifier(name)}`),
  }),
  revoke_admin_privileges: changes({
    doc: 'Revoke all privileges from a user.',
    args: user,
    returns: executed,
    example: 'influxdb.revoke_admin_privileges joe',
    run: (ctx, { name, client_args }) => execute(ctx, client_args, `REVOKE ALL PRIVILEGES FROM ${identifier(name)}`),
  }),
}

const grant = {
  database,
  privilege: arg.text('Privilege: read, write or all'),
  username: arg.text('Name of the user'),
  client_args,
}

/** Return a privilege as a word of InfluxQL. Other text could end the statement and begin another one. */
function privilegeWord(privilege: string): string {
  if (/^(read|write|all)$/i.test(privilege)) return privilege.toUpperCase()
  throw misuse(`Invalid privilege '${privilege}', valid: read, write, all`)
}

const privileges = {
  list_privileges: reads({
    doc: 'Return the privileges of a user.',
    args: user,
    returns: ret.dict('`read`, `write` or `all` by database'),
    example: 'influxdb.list_privileges joe',
    run: async (ctx, { name, client_args }) => {
      const found = await rows(ctx, client_args, `SHOW GRANTS FOR ${identifier(name)}`)
      const word = (row: Dict): string => str(row.get('privilege') ?? '').replace(/ .*/, '')
      return new Map(found.map((row) => [row.get('database') ?? null, word(row).toLowerCase()]))
    },
  }),
  grant_privilege: changes({
    doc: 'Grant a user a privilege on a database.',
    args: grant,
    returns: executed,
    example: 'influxdb.grant_privilege app read joe',
    run: (ctx, { database, privilege, username, client_args }) => {
      const place = `ON ${identifier(database)} TO ${identifier(username)}`
      return execute(ctx, client_args, `GRANT ${privilegeWord(privilege)} ${place}`)
    },
  }),
  revoke_privilege: changes({
    doc: 'Revoke a privilege on a database from a user.',
    args: grant,
    returns: executed,
    example: 'influxdb.revoke_privilege app read joe',
    run: (ctx, { database, privilege, username, client_args }) => {
      const place = `ON ${identifier(database)} FROM ${identifier(username)}`
      return execute(ctx, client_args, `REVOKE ${privilegeWord(privilege)} ${place}`)
    },
  }),
}

const policyName = { database, name: arg.text('Name of the retention policy'), client_args }
const policy = {
  database,
  name: policyName.name,
  duration: arg.text('How long data is kept, such as 7d'),
  replication: arg.text('Number of copies'),
  default: arg.flag('Whether it is the default policy of the database', { default: false }),
  client_args,
}

/** Return a duration of InfluxQL, such as 7d, 1h30m or INF. */
function duration(text: string): string {
  if (/^(inf|0|(\d+(ns|u|µ|ms|s|m|h|d|w))+)$/i.test(text)) return text
  throw misuse(`Invalid duration '${text}', expected a number with a unit, such as 7d, or INF`)
}

function copies(text: string): string {
  if (/^\d+$/.test(text)) return text
  throw misuse(`Invalid replication '${text}', expected a number`)
}

const place = (name: string, database: string): string => `${identifier(name)} ON ${identifier(database)}`

async function policyOf(ctx: FunctionContext, { database, name, client_args }: Bound<typeof policyName>) {
  const found = await rows(ctx, client_args, `SHOW RETENTION POLICIES ON ${identifier(database)}`)
  return found.find((row) => row.get('name') === name) ?? new Map()
}

function setPolicy(ctx: FunctionContext, verb: string, given: Bound<typeof policy>): Promise<boolean> {
  const { name, database, duration: kept, replication } = given
  const settings = `DURATION ${duration(kept)} REPLICATION ${copies(replication)}${given.default ? ' DEFAULT' : ''}`
  return execute(ctx, given.client_args, `${verb} RETENTION POLICY ${place(name, database)} ${settings}`)
}

const policies = {
  get_retention_policy: reads({
    doc: 'Return a retention policy.',
    args: policyName,
    returns: ret.dict('Properties of the policy; empty if there is no such policy'),
    example: 'influxdb.get_retention_policy app week',
    run: (ctx, given) => policyOf(ctx, given),
  }),
  retention_policy_exists: reads({
    doc: 'Return whether a retention policy exists.',
    args: policyName,
    returns: ret.boolean('Whether the policy exists'),
    example: 'influxdb.retention_policy_exists app week',
    run: async (ctx, given) => (await policyOf(ctx, given)).size > 0,
  }),
  create_retention_policy: changes({
    doc: 'Create a retention policy.',
    args: policy,
    returns: executed,
    example: 'influxdb.create_retention_policy app week 7d 1',
    run: (ctx, given) => setPolicy(ctx, 'CREATE', given),
  }),
  alter_retention_policy: changes({
    doc: 'Change a retention policy.',
    args: policy,
    returns: executed,
    example: 'influxdb.alter_retention_policy app week 14d 1',
    run: (ctx, given) => setPolicy(ctx, 'ALTER', given),
  }),
  drop_retention_policy: changes({
    doc: 'Drop a retention policy.',
    args: policyName,
    returns: executed,
    example: 'influxdb.drop_retention_policy app week',
    run: (ctx, { name, database, client_args }) =>
      execute(ctx, client_args, `DROP RETENTION POLICY ${place(name, database)}`),
  }),
}

const queryName = { database, name: arg.text('Name of the continuous query'), client_args }

async function continuousQuery(ctx: FunctionContext, { database, name, client_args }: Bound<typeof queryName>) {
  const series = (await query(ctx, client_args, 'SHOW CONTINUOUS QUERIES')).flat()
  const own = series.filter((each) => each.name === database).flatMap((each) => each.rows)
  return own.find((row) => row.get('name') === name) ?? new Map<Value, Value>()
}

/** Return the query of a continuous query. A semicolon outside of quotes would begin another statement. */
function singleQuery(query: string): string {
  if (!query.replace(/"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/gs, '').includes(';')) return query
  throw misuse('A continuous query holds one statement, without a semicolon')
}

const continuous = {
  get_continuous_query: reads({
    doc: 'Return a continuous query.',
    args: queryName,
    returns: ret.dict('`name` and `query`; empty if there is no such query'),
    example: 'influxdb.get_continuous_query app cq',
    run: (ctx, given) => continuousQuery(ctx, given),
  }),
  continuous_query_exists: reads({
    doc: 'Return whether a continuous query exists.',
    args: queryName,
    returns: ret.boolean('Whether the query exists'),
    example: 'influxdb.continuous_query_exists app cq',
    run: async (ctx, given) => (await continuousQuery(ctx, given)).size > 0,
  }),
  create_continuous_query: changes({
    doc: 'Create a continuous query.',
    args: {
      database,
      name: queryName.name,
      query: arg.text('Query'),
      resample_time: arg.text('Interval between runs, such as 1h', { optional: true }),
      coverage_period: arg.text('Period that a run covers, such as 2h', { optional: true }),
      client_args,
    },
    returns: executed,
    example: "influxdb.create_continuous_query app cq 'SELECT mean(v) INTO w FROM m GROUP BY time(1h)'",
    run: (ctx, { database, name, query, resample_time, coverage_period, client_args }) => {
      const every = resample_time ? ` RESAMPLE EVERY ${duration(resample_time)}` : ''
      const period = coverage_period ? ` FOR ${duration(coverage_period)}` : ''
      const head = `CREATE CONTINUOUS QUERY ${place(name, database)}${every}${period}`
      return execute(ctx, client_args, `${head} BEGIN ${singleQuery(query)} END`)
    },
  }),
  drop_continuous_query: changes({
    doc: 'Drop a continuous query.',
    args: queryName,
    returns: executed,
    example: 'influxdb.drop_continuous_query app cq',
    run: (ctx, { name, database, client_args }) =>
      execute(ctx, client_args, `DROP CONTINUOUS QUERY ${place(name, database)}`),
  }),
}

/** Return series by name; series with tags are keyed by their tags as well. */
function gathered(series: readonly Series[]): Dict {
  const found: Dict = new Map()
  for (const { name, tags, rows } of [...series].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const same = found.get(name) ?? null
    if (tags === null) found.set(name, rows)
    else found.set(name, new Map<Value, Value>([...(isDict(same) ? same : []), [dumpJson(tags), rows]]))
  }
  return found
}

export default defineModule({
  name: 'influxdbmod',
  virtual: 'influxdb',
  doc: 'Manage InfluxDB 1.x.',
  functions: {
    ...databases,
    ...users,
    ...privileges,
    ...policies,
    ...continuous,
    query: changes({
      doc: 'Run a query.',
      args: { database, query: arg.text('Query'), client_args },
      returns: ret.dicts('Rows by series, for each statement'),
      example: "influxdb.query app 'SELECT * FROM m'",
      run: async (ctx, { database, query: statement, client_args }) =>
        (await query(ctx, client_args, statement, database)).map(gathered),
    }),
  },
})
