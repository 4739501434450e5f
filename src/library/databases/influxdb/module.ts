// InfluxDB 1.x: databases, users and their privileges, retention policies, continuous queries.
import { type Dict, dumpJson, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  type Result,
  type Returns,
  ret,
} from '../../../sdk/mod.ts'
import { type Connection, identifier, literal, query, rows, type Series } from './module/client.ts'

type Given = Readonly<Record<string, Value>>

const declare =
  (effect: FunctionDeclaration['effect']) =>
  <R extends Result = Result>(
    doc: string,
    args: Readonly<Record<string, Arg<Value>>>,
    example: string,
    run: (ctx: FunctionContext, given: Given, at: Connection) => Promise<NoInfer<R>>,
    returns?: Returns<R>,
  ): FunctionDeclaration =>
    fn({
      doc,
      args: {
        ...args,
        client_args: arg.open('How to connect: influxdb_host, influxdb_port, influxdb_user, influxdb_password'),
      },
      returns: returns ?? ret.any('What InfluxDB tells'),
      examples: [`salt '*' influxdb.${example}`],
      effect,
      run: (ctx, all) => {
        const { client_args, ...given } = all as unknown as Given & { client_args: Connection }
        return run(ctx, given as Given, client_args)
      },
    })

const asking = declare('read')
const changing = declare('change')

const name = arg.any('The name')
const database = arg.any('The database')
const passwd = arg.any('The password', { secret: true })
const username = arg.any('The user')
const privilege = arg.any('read, write or all')

const of = (given: Given, key: string): Value => given[key] ?? null

/** A function that is one statement, and answers true. */
const doing = (doc: string, args: Record<string, Arg<Value>>, example: string, statement: (given: Given) => string) =>
  changing(doc, args, example, async (ctx, given, at) => {
    await query(ctx, at, statement(given))
    return true
  })

async function databaseExists(ctx: FunctionContext, at: Connection, wanted: Value): Promise<boolean> {
  return (await rows(ctx, at, 'SHOW DATABASES')).some((row) => row.get('name') === str(wanted))
}

async function userInfo(ctx: FunctionContext, at: Connection, wanted: Value): Promise<Dict | undefined> {
  return (await rows(ctx, at, 'SHOW USERS')).find((row) => row.get('user') === str(wanted))
}

/** Runs a statement when a thing is there or is not, as wanted. */
async function unless(
  ctx: FunctionContext,
  at: Connection,
  settled: boolean,
  note: string,
  statement: string,
): Promise<boolean> {
  if (settled) {
    ctx.log('info', note)
    return false
  }
  await query(ctx, at, statement)
  return true
}

const databases = {
  list_dbs: asking('All databases.', {}, 'list_dbs', (ctx, _given, at) => rows(ctx, at, 'SHOW DATABASES')),
  db_exists: asking('Whether there is a database.', { name }, 'db_exists app', (ctx, given, at) =>
    databaseExists(ctx, at, of(given, 'name')),
  ),
  create_db: changing('Make a database.', { name }, 'create_db app', async (ctx, given, at) => {
    const wanted = of(given, 'name')
    const there = await databaseExists(ctx, at, wanted)
    return unless(ctx, at, there, `DB '${str(wanted)}' already exists`, `CREATE DATABASE ${identifier(wanted)}`)
  }),
  drop_db: changing('Drop a database.', { name }, 'drop_db app', async (ctx, given, at) => {
    const wanted = of(given, 'name')
    const gone = !(await databaseExists(ctx, at, wanted))
    return unless(ctx, at, gone, `DB '${str(wanted)}' does not exist`, `DROP DATABASE ${identifier(wanted)}`)
  }),
}

const users = {
  list_users: asking('All users.', {}, 'list_users', (ctx, _given, at) => rows(ctx, at, 'SHOW USERS')),
  user_exists: asking(
    'Whether there is a user.',
    { name },
    'user_exists joe',
    async (ctx, given, at) => (await userInfo(ctx, at, of(given, 'name'))) !== undefined,
  ),
  user_info: asking(
    'A user.',
    { name },
    'user_info joe',
    (ctx, given, at) => userInfo(ctx, at, of(given, 'name')),
    ret.optional(ret.dict('The user')),
  ),
  create_user: changing(
    'Make a user.',
    { name, passwd, admin: arg.any('Whether the user may do everything', { default: false }) },
    'create_user joe secret',
    async (ctx, given, at) => {
      const wanted = of(given, 'name')
      const there = (await userInfo(ctx, at, wanted)) !== undefined
      const all = truthy(of(given, 'admin')) ? ' WITH ALL PRIVILEGES' : ''
      const statement = `CREATE USER ${identifier(wanted)} WITH PASSWORD ${literal(of(given, 'passwd'))}${all}`
      return unless(ctx, at, there, `User '${str(wanted)}' already exists`, statement)
    },
  ),
  set_user_password: changing(
    'Change a password.',
    { name, passwd },
    'set_user_password joe new',
    async (ctx, given, at) => {
      const wanted = of(given, 'name')
      const gone = (await userInfo(ctx, at, wanted)) === undefined
      const statement = `SET PASSWORD FOR ${identifier(wanted)} = ${literal(of(given, 'passwd'))}`
      return unless(ctx, at, gone, `User '${str(wanted)}' does not exist`, statement)
    },
  ),
  remove_user: changing('Remove a user.', { name }, 'remove_user joe', async (ctx, given, at) => {
    const wanted = of(given, 'name')
    const gone = (await userInfo(ctx, at, wanted)) === undefined
    return unless(ctx, at, gone, `User '${str(wanted)}' does not exist`, `DROP USER ${identifier(wanted)}`)
  }),
  grant_admin_privileges: doing(
    'Let a user do everything.',
    { name },
    'grant_admin_privileges joe',
    (given) => `GRANT ALL PRIVILEGES TO ${identifier(of(given, 'name'))}`,
  ),
  revoke_admin_privileges: doing(
    'Do not let a user do everything.',
    { name },
    'revoke_admin_privileges joe',
    (given) => `REVOKE ALL PRIVILEGES FROM ${identifier(of(given, 'name'))}`,
  ),
  list_privileges: asking(
    'What a user may do, by database.',
    { name },
    'list_privileges joe',
    async (ctx, given, at) => {
      const found = await rows(ctx, at, `SHOW GRANTS FOR ${identifier(of(given, 'name'))}`)
      return new Map(
        found.map((row) => [row.get('database')!, str(row.get('privilege')!).split(' ')[0]!.toLowerCase()]),
      )
    },
    ret.dict('The privileges, by database'),
  ),
  grant_privilege: doing(
    'Allow a user something with a database.',
    { database, privilege, username },
    'grant_privilege app read joe',
    (given) =>
      `GRANT ${str(of(given, 'privilege')).toUpperCase()} ON ${identifier(of(given, 'database'))} TO ${identifier(of(given, 'username'))}`,
  ),
  revoke_privilege: doing(
    'Forbid a user something with a database.',
    { database, privilege, username },
    'revoke_privilege app read joe',
    (given) =>
      `REVOKE ${str(of(given, 'privilege')).toUpperCase()} ON ${identifier(of(given, 'database'))} FROM ${identifier(of(given, 'username'))}`,
  ),
}

async function policyOf(ctx: FunctionContext, at: Connection, given: Given): Promise<Dict> {
  const found = await rows(ctx, at, `SHOW RETENTION POLICIES ON ${identifier(of(given, 'database'))}`)
  return found.find((row) => row.get('name') === str(of(given, 'name'))) ?? new Map()
}

const policy = {
  database,
  name,
  duration: arg.any('How long data is kept'),
  replication: arg.any('How many copies there are'),
  default: arg.any('Whether it is the default of its database', { default: false }),
}

const policyStatement = (verb: string, given: Given): string =>
  `${verb} RETENTION POLICY ${identifier(of(given, 'name'))} ON ${identifier(of(given, 'database'))} DURATION ${str(of(given, 'duration'))} REPLICATION ${str(of(given, 'replication'))}${truthy(of(given, 'default')) ? ' DEFAULT' : ''}`

const policies = {
  get_retention_policy: asking(
    'A retention policy.',
    { database, name },
    'get_retention_policy app week',
    (ctx, given, at) => policyOf(ctx, at, given),
    ret.optional(ret.dict('The policy')),
  ),
  retention_policy_exists: asking(
    'Whether there is a retention policy.',
    { database, name },
    'retention_policy_exists app week',
    async (ctx, given, at) => (await policyOf(ctx, at, given)).size > 0,
  ),
  create_retention_policy: doing('Make a retention policy.', policy, 'create_retention_policy app week 7d 1', (given) =>
    policyStatement('CREATE', given),
  ),
  alter_retention_policy: doing(
    'Change a retention policy.',
    policy,
    'alter_retention_policy app week 14d 1',
    (given) => policyStatement('ALTER', given),
  ),
  drop_retention_policy: doing(
    'Drop a retention policy.',
    { database, name },
    'drop_retention_policy app week',
    (given) => `DROP RETENTION POLICY ${identifier(of(given, 'name'))} ON ${identifier(of(given, 'database'))}`,
  ),
}

async function continuousQuery(ctx: FunctionContext, at: Connection, given: Given): Promise<Dict> {
  const series = (await query(ctx, at, 'SHOW CONTINUOUS QUERIES')).flat()
  const own = series.filter((each) => each.name === str(of(given, 'database'))).flatMap((each) => each.rows)
  return own.find((row) => row.get('name') === str(of(given, 'name'))) ?? new Map()
}

const continuous = {
  get_continuous_query: asking(
    'A continuous query.',
    { database, name },
    'get_continuous_query app cq',
    (ctx, given, at) => continuousQuery(ctx, at, given),
  ),
  continuous_query_exists: asking(
    'Whether there is a continuous query.',
    { database, name },
    'continuous_query_exists app cq',
    async (ctx, given, at) => (await continuousQuery(ctx, at, given)).size > 0,
  ),
  create_continuous_query: doing(
    'Make a continuous query.',
    {
      database,
      name,
      query: arg.any('The query'),
      resample_time: arg.any('How often it runs', { optional: true }),
      coverage_period: arg.any('What time it covers', { optional: true }),
    },
    "create_continuous_query app cq 'SELECT mean(v) INTO w FROM m GROUP BY time(1h)'",
    (given) => {
      const every = truthy(of(given, 'resample_time')) ? ` RESAMPLE EVERY ${str(of(given, 'resample_time'))}` : ''
      const period = truthy(of(given, 'coverage_period')) ? ` FOR ${str(of(given, 'coverage_period'))}` : ''
      const place = `${identifier(of(given, 'name'))} ON ${identifier(of(given, 'database'))}`
      return `CREATE CONTINUOUS QUERY ${place}${every}${period} BEGIN ${str(of(given, 'query'))} END`
    },
  ),
  drop_continuous_query: doing(
    'Drop a continuous query.',
    { database, name },
    'drop_continuous_query app cq',
    (given) => `DROP CONTINUOUS QUERY ${identifier(of(given, 'name'))} ON ${identifier(of(given, 'database'))}`,
  ),
}

/** Series by name; those with tags by their tags as well. */
function gathered(series: readonly Series[]): Dict {
  const found: Dict = new Map()
  for (const { name, tags, rows } of [...series].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (tags === null) found.set(name, rows)
    else found.set(name, new Map([...((found.get(name) ?? []) as Dict), [dumpJson(tags), rows]] as [Value, Value][]))
  }
  return found
}

export default defineModule({
  name: 'influxdbmod',
  virtual: 'influxdb',
  doc: 'Work with InfluxDB.',
  functions: {
    ...databases,
    ...users,
    ...policies,
    ...continuous,
    query: changing(
      'Run a query.',
      { database, query: arg.any('The query') },
      "query app 'SELECT * FROM m'",
      async (ctx, given, at) =>
        (await query(ctx, at, str(of(given, 'query')), str(of(given, 'database')))).map(gathered),
    ),
  },
})
