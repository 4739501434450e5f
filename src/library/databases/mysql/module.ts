// MySQL and MariaDB, through their command line client. A failure is logged, kept for the state that asked, and
// answered with an empty value, as in Salt.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { asking, changing, flag, local, optional, required, secret } from './module/arguments.ts'
import {
  attempt,
  type Connection,
  dictOf,
  findClient,
  literal,
  numberOf,
  type Row,
  rows,
  serverVersion,
} from './module/client.ts'
import * as database from './module/databases.ts'
import { grantTokens } from './module/grant-tokens.ts'
import { addGrant, grantExists, revokeGrant, userGrants } from './module/grants.ts'
import { fileQuery, query } from './module/queries.ts'
import { changePassword, createUser, pluginStatus, removeUser, userExists } from './module/users.ts'

const name = required('The name of the database')
const user = required('The user')
const charset = {
  character_set: optional('The character set'),
  collate: optional('The collation'),
}
const login = {
  user,
  host: local,
  password: secret('The password'),
  password_hash: secret('The hash of the password'),
}
const column = optional('The column of the table of users that holds the hash')
const socket = flag('Whether the user logs in over the socket')
const free = flag('Whether the user needs no password')

const databases = {
  db_list: asking('All databases.', {}, 'db_list', (ctx, _given, at) => database.databaseList(ctx, at)),
  db_get: asking('Character set and collation of a database.', { name }, 'db_get app', (ctx, given, at) =>
    database.databaseGet(ctx, given['name']!, at),
  ),
  db_tables: asking('The tables of a database.', { name }, 'db_tables app', (ctx, given, at) =>
    database.tableList(ctx, given['name']!, at),
  ),
  db_exists: asking('Whether there is a database.', { name }, 'db_exists app', (ctx, given, at) =>
    database.databaseExists(ctx, given['name']!, at),
  ),
  db_create: changing('Make a database.', { name, ...charset }, 'db_create app utf8mb4', database.createDatabase),
  alter_db: changing(
    'Change the character set or collation of a database.',
    { name, ...charset },
    'alter_db app character_set=latin1',
    database.alterDatabase,
  ),
  db_remove: changing('Drop a database.', { name }, 'db_remove app', (ctx, given, at) =>
    database.removeDatabase(ctx, given['name']!, at),
  ),
}

const tending = (verb: string, doc: string) =>
  changing(
    doc,
    { name, table: optional('The table; all of them when not given') },
    `db_${verb} app`,
    (ctx, given, at) => database.tend(ctx, verb.toUpperCase(), given, at),
  )

const users = {
  user_list: asking('All users.', {}, 'user_list', async (ctx, _given, at) =>
    ((await rows(ctx, at, 'SELECT User,Host FROM mysql.user')) ?? []).map((row) => dictOf(row)),
  ),
  user_exists: asking(
    'Whether there is a user, with this password when one is given.',
    { ...login, passwordless: free, unix_socket: socket, password_column: column },
    'user_exists joe localhost',
    userExists,
  ),
  user_info: asking(
    'All that is known about a user.',
    { user, host: local },
    'user_info root',
    async (ctx, given, at) => {
      const own = `User = ${literal(given['user']!)} AND Host = ${literal(given['host']!)}`
      const found = await rows(ctx, at, `SELECT * FROM mysql.user WHERE ${own}`)
      if (!found) return false
      return found[0] ? dictOf(found[0], LIMITS) : null
    },
  ),
  user_create: changing(
    'Make a user.',
    {
      ...login,
      allow_passwordless: free,
      unix_socket: socket,
      password_column: column,
      auth_plugin: arg.any('How the password is checked', { default: 'mysql_native_password' }),
    },
    'user_create joe localhost secret',
    createUser,
  ),
  user_chpass: changing(
    'Change the password of a user.',
    {
      ...login,
      allow_passwordless: free,
      unix_socket: optional('Whether the user logs in over the socket'),
      password_column: column,
    },
    'user_chpass joe localhost secret',
    changePassword,
  ),
  user_remove: changing('Drop a user.', { user, host: local }, 'user_remove joe localhost', removeUser),
  verify_login: asking(
    'Whether a user can log in.',
    { user, password: secret('The password') },
    'verify_login joe secret',
    async (ctx, given, at) => {
      const { user = null, password = null } = given
      const own = new Map([...at, ['connection_user', user], ['connection_pass', password]] as [string, Value][])
      const worked = (await attempt(ctx, own, 'SELECT 1')) !== undefined
      if (!worked) ctx.memory.delete('mysql.error')
      return worked
    },
  ),
}

const LIMITS = new Set(['max_questions', 'max_updates', 'max_connections', 'max_user_connections'])

const grant = {
  grant: required('The privileges, with commas between'),
  database: required('The level: `*.*`, `db.*` or `db.table`'),
  user,
  host: local,
  grant_option: flag('Whether the user may grant them on'),
  escape: flag('Whether the level is quoted', true),
}

const grants = {
  user_grants: asking('The grants of a user.', { user, host: local }, 'user_grants joe', userGrants),
  grant_exists: asking('Whether a user has a grant.', grant, "grant_exists 'SELECT,INSERT' 'app.*' joe", grantExists),
  grant_add: changing(
    'Grant privileges.',
    { ...grant, ssl_option: flag('What the connection must be: a list of SSL, X509, CIPHER, ISSUER, SUBJECT') },
    "grant_add 'SELECT,INSERT' 'app.*' joe localhost",
    addGrant,
  ),
  grant_revoke: changing('Revoke privileges.', grant, "grant_revoke 'SELECT' 'app.*' joe localhost", revokeGrant),
}

/** Numbers where the driver that Salt uses gives numbers: whatever is all digits. */
const statusDict = (row: Row): Dict => new Map([...row].map(([key, text]) => [key, numberOf(text)]))

async function firstStatus(ctx: FunctionContext, connection: Connection, query: string): Promise<Dict | Value[]> {
  const row = (await rows(ctx, connection, query))?.[0]
  return row ? statusDict(row) : []
}

const listed = (doc: string, name: string, query: string) =>
  asking(doc, {}, name, async (ctx, _given, at) => {
    const found = await rows(ctx, at, query)
    return found && found.length > 0 ? found.map((row) => dictOf(row)) : found ? [[]] : []
  })

const server = {
  status: asking('The status variables of the server.', {}, 'status', async (ctx, _given, at) => {
    const found = (await rows(ctx, at, 'SHOW STATUS')) ?? []
    return new Map(found.map((row) => [row.get('Variable_name') ?? null, row.get('Value') ?? null] as [Value, Value]))
  }),
  version: asking('The version of the server.', {}, 'version', (ctx, _given, at) => serverVersion(ctx, at)),
  processlist: asking('What the server is doing.', {}, 'processlist', async (ctx, _given, at) =>
    ((await rows(ctx, at, 'SHOW FULL PROCESSLIST')) ?? []).map((row) =>
      dictOf(row, new Set(['Id', 'Time', 'Rows_sent', 'Rows_examined', 'Rows_read', 'Progress'])),
    ),
  ),
  slave_lag: asking(
    'How many seconds a replica is behind: -1 when it is none, -2 when it does not run, -3 after a failure.',
    {},
    'slave_lag',
    async (ctx, _given, at) => {
      const found = await rows(ctx, at, 'SHOW SLAVE STATUS')
      if (!found) return -3
      const row = found[0]
      if (!row) return -1
      if (row.get('Slave_IO_Running') !== 'Yes') return -2
      const behind = row.get('Seconds_Behind_Master') ?? null
      return numberOf(behind)
    },
  ),
  get_master_status: asking('Where the binary log of the server is.', {}, 'get_master_status', (ctx, _given, at) =>
    firstStatus(ctx, at, 'SHOW MASTER STATUS'),
  ),
  get_slave_status: asking('How a replica is doing.', {}, 'get_slave_status', (ctx, _given, at) =>
    firstStatus(ctx, at, 'SHOW SLAVE STATUS'),
  ),
  free_slave: changing('Make a replica independent.', {}, 'free_slave', async (ctx, _given, at) => {
    for (const statement of ['STOP SLAVE', 'RESET SLAVE ALL']) if (!(await attempt(ctx, at, statement))) return ''
    return (await rows(ctx, at, 'SHOW SLAVE STATUS'))?.length === 0 ? 'promoted' : 'failed'
  }),
  showvariables: listed('The variables of a session.', 'showvariables', 'SHOW VARIABLES'),
  showglobal: listed('The variables of the server.', 'showglobal', 'SHOW GLOBAL VARIABLES'),
}

const plugin = required('The plugin')

const plugins = {
  plugins_list: asking('All plugins and whether they are active.', {}, 'plugins_list', async (ctx, _given, at) =>
    ((await rows(ctx, at, 'SHOW PLUGINS')) ?? []).map((row) => ({
      name: row.get('Name') ?? null,
      status: row.get('Status') ?? null,
    })),
  ),
  plugin_status: asking(
    'Whether a plugin is active.',
    { name: plugin },
    'plugin_status auth_socket',
    (ctx, given, at) => pluginStatus(ctx, given['name']!, at),
  ),
  plugin_add: changing(
    'Install a plugin.',
    { name: plugin, soname: optional('Its library') },
    'plugin_add auth_socket',
    async (ctx, given, at) => {
      if ((await pluginStatus(ctx, given['name']!, at)) !== '') return true
      const library = truthy(given['soname']!) ? str(given['soname']!) : `${str(given['name']!)}.so`
      const statement = `INSTALL PLUGIN ${str(given['name']!)} SONAME ${literal(library)}`
      return (await attempt(ctx, at, statement)) !== undefined
    },
  ),
  plugin_remove: changing('Remove a plugin.', { name: plugin }, 'plugin_remove auth_socket', async (ctx, given, at) => {
    if ((await pluginStatus(ctx, given['name']!, at)) === '') return true
    return (await attempt(ctx, at, `UNINSTALL PLUGIN ${str(given['name']!)}`)) !== undefined
  }),
}

export default defineModule({
  name: 'mysql',
  doc: 'Work with MySQL and MariaDB.',
  when: async ({ host }) => (await findClient(host)) !== undefined || 'The mysql client program was not found',
  functions: {
    query: changing(
      'Run a query.',
      { database: required('The database'), query: required('The query') },
      'query app "UPDATE users SET active=1 LIMIT 1"',
      query,
    ),
    file_query: changing(
      'Run the statements of a file.',
      { database: required('The database'), file_name: required('A path, or a file of the file server') },
      'file_query app file_name=salt://schema.sql',
      fileQuery,
    ),
    ...server,
    ...databases,
    db_check: tending('check', 'Check tables.'),
    db_repair: tending('repair', 'Repair tables.'),
    db_optimize: tending('optimize', 'Optimise tables.'),
    ...users,
    ...grants,
    ...plugins,
    tokenize_grant: reads({
      doc: 'A GRANT statement by its parts.',
      args: { grant: arg.string('The statement') },
      returns: ret.dict('`user`, `host`, `grant` and `database`'),
      example: `mysql.tokenize_grant "GRANT SELECT ON app.* TO 'joe'@'localhost'"`,
      run: (_ctx, { grant }) => ({ ...grantTokens(grant) }),
    }),
    quote_identifier: reads({
      doc: 'A name as statements have it, with `%` doubled for a driver.',
      args: {
        identifier: arg.string('The name'),
        for_grants: arg.flag('Whether it is the database of a grant', { default: false }),
      },
      returns: ret.string('The name between back quotes'),
      example: "mysql.quote_identifier 'foo`bar'",
      run: (_ctx, { identifier, for_grants }) => {
        const doubled = identifier.replaceAll('`', '``')
        const escaped = for_grants ? doubled.replaceAll('_', '\\_') : doubled
        return `\`${escaped.replaceAll('%', '%%')}\``
      },
    }),
  },
})
