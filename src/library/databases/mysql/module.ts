// MySQL and MariaDB, through their command line client. A failure is logged, kept for the state that called, and
// answered with an empty value, as in Salt.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, optionalText, reads, ret } from '../../../sdk/mod.ts'
import {
  attempt,
  type Connection,
  connectionArgs,
  dictOf,
  findClient,
  fresh,
  identifier,
  literal,
  numberOf,
  type Row,
  rows,
  serverVersion,
} from './module/client.ts'
import * as databases from './module/databases.ts'
import { grantTokens } from './module/grant-tokens.ts'
import { addGrant, grantExists, revokeGrant, userGrants } from './module/grants.ts'
import { fileQuery, query } from './module/queries.ts'
import { changePassword, createUser, pluginStatus, removeUser, userExists } from './module/users.ts'

const connection_args = connectionArgs
const database = { name: arg.text('Name of the database'), connection_args }
const charset = {
  name: database.name,
  character_set: arg.text('Character set', { optional: true }),
  collate: arg.text('Collation', { optional: true }),
  connection_args,
}
const inside = arg.text('Database that the statements run in')

const databaseFunctions = {
  query: changes({
    doc: 'Run a query.',
    args: { database: inside, query: arg.text('Query'), connection_args },
    returns: ret.orFalse(
      ret.dict(
        '`query time`, and `rows returned`, `columns`, `results` or `rows affected`; empty without a connection',
      ),
    ),
    example: 'mysql.query app "UPDATE users SET active=1 LIMIT 1"',
    run: (ctx, { database, query: text, connection_args }) => query(ctx, text, database, fresh(ctx, connection_args)),
  }),
  file_query: changes({
    doc: 'Run the statements of a file.',
    args: {
      database: inside,
      file_name: arg.text('Path, or URL of a file of the file server'),
      connection_args,
    },
    returns: ret.orFalse(ret.dict('What `mysql.query` returns, summed over the statements')),
    example: 'mysql.file_query app file_name=salt://schema.sql',
    run: (ctx, { database, file_name, connection_args }) =>
      fileQuery(ctx, file_name, database, fresh(ctx, connection_args)),
  }),
  db_list: reads({
    doc: 'Return all databases.',
    args: { connection_args },
    returns: ret.list('Names of the databases; empty after a failure'),
    run: (ctx, { connection_args }) => databases.databaseList(ctx, fresh(ctx, connection_args)),
  }),
  db_get: reads({
    doc: 'Return the character set and collation of a database.',
    args: database,
    returns: ret.any(
      '`character_set` and `collate`; an empty dict without such a database, an empty list after a failure',
    ),
    example: 'mysql.db_get app',
    run: (ctx, { name, connection_args }) => databases.databaseGet(ctx, name, fresh(ctx, connection_args)),
  }),
  db_tables: reads({
    doc: 'Return the tables of a database.',
    args: database,
    returns: ret.orFalse(ret.list('Names of the tables; False without such a database')),
    example: 'mysql.db_tables app',
    run: (ctx, { name, connection_args }) => databases.tableList(ctx, name, fresh(ctx, connection_args)),
  }),
  db_exists: reads({
    doc: 'Return whether a database exists.',
    args: database,
    returns: ret.boolean('Whether the database exists'),
    example: 'mysql.db_exists app',
    run: (ctx, { name, connection_args }) => databases.databaseExists(ctx, name, fresh(ctx, connection_args)),
  }),
  db_create: changes({
    doc: 'Create a database.',
    args: charset,
    returns: ret.boolean('Whether the database was created'),
    example: 'mysql.db_create app utf8mb4',
    run: (ctx, { connection_args, ...wanted }) => databases.createDatabase(ctx, wanted, fresh(ctx, connection_args)),
  }),
  alter_db: changes({
    doc: 'Change the character set or collation of a database.',
    args: charset,
    returns: ret.boolean('Whether the database was changed'),
    example: 'mysql.alter_db app character_set=latin1',
    run: (ctx, { connection_args, ...wanted }) => databases.alterDatabase(ctx, wanted, fresh(ctx, connection_args)),
  }),
  db_remove: changes({
    doc: 'Drop a database.',
    args: database,
    returns: ret.boolean('Whether the database was dropped'),
    example: 'mysql.db_remove app',
    run: (ctx, { name, connection_args }) => databases.removeDatabase(ctx, name, fresh(ctx, connection_args)),
  }),
}

const maintenance = (verb: string, doc: string) =>
  changes({
    doc,
    args: {
      name: database.name,
      table: arg.text('Table. Default: all tables of the database', { optional: true }),
      connection_args,
    },
    returns: ret.any('Rows of the server; a list of them for all tables'),
    example: `mysql.db_${verb} app`,
    run: (ctx, { name, table, connection_args }) =>
      databases.maintain(ctx, verb.toUpperCase(), { name, table }, fresh(ctx, connection_args)),
  })

const user = arg.text('Name of the user')
const host = arg.text('Host that the user connects from', { default: 'localhost' })
const account = { user, host, connection_args }
const login = {
  user,
  host,
  password: arg.text('Password', { optional: true, secret: true }),
  password_hash: arg.text('Hash of the password', { optional: true, secret: true }),
}
const password_column = optionalText('Column of the table mysql.user that holds the hash. Default: found by a query')
const passwordless = arg.any('Whether the user needs no password; a text counts if it is `true`', { default: false })
const socket = 'Whether the user logs in over the socket; a text counts if it is `true`'
const unix_socket = arg.any(socket, { default: false })

const LIMITS = new Set(['max_questions', 'max_updates', 'max_connections', 'max_user_connections'])

const users = {
  user_list: reads({
    doc: 'Return all users.',
    args: { connection_args },
    returns: ret.dicts('One dict with `User` and `Host` for each user'),
    run: async (ctx, { connection_args }) => {
      const found = await rows(ctx, fresh(ctx, connection_args), 'SELECT User,Host FROM mysql.user')
      return (found ?? []).map((row) => dictOf(row))
    },
  }),
  user_exists: reads({
    doc: 'Return whether a user exists, with this password if one is given.',
    args: { ...login, passwordless, unix_socket, password_column, connection_args },
    returns: ret.boolean('Whether the user exists'),
    example: 'mysql.user_exists joe localhost',
    run: (ctx, { connection_args, ...login }) => userExists(ctx, login, fresh(ctx, connection_args)),
  }),
  user_info: reads({
    doc: 'Return the row of a user in the table mysql.user.',
    args: account,
    returns: ret.any('Values by column; None without such a user, False after a failure'),
    example: 'mysql.user_info root',
    run: async (ctx, { user, host, connection_args }) => {
      const own = `User = ${literal(user)} AND Host = ${literal(host)}`
      const found = await rows(ctx, fresh(ctx, connection_args), `SELECT * FROM mysql.user WHERE ${own}`)
      if (!found) return false
      return found[0] ? dictOf(found[0], LIMITS) : null
    },
  }),
  user_create: changes({
    doc: 'Create a user.',
    args: {
      ...login,
      allow_passwordless: passwordless,
      unix_socket,
      password_column,
      auth_plugin: arg.text('Authentication plugin', { default: 'mysql_native_password' }),
      connection_args,
    },
    returns: ret.boolean('Whether the user was created'),
    example: 'mysql.user_create joe localhost secret',
    run: (ctx, { connection_args, ...login }) => createUser(ctx, login, fresh(ctx, connection_args)),
  }),
  user_chpass: changes({
    doc: 'Change the password of a user.',
    args: {
      ...login,
      allow_passwordless: passwordless,
      unix_socket: arg.any(socket, { optional: true }),
      password_column,
      connection_args,
    },
    returns: ret.boolean('Whether the password was changed'),
    example: 'mysql.user_chpass joe localhost secret',
    run: (ctx, { connection_args, ...login }) => changePassword(ctx, login, fresh(ctx, connection_args)),
  }),
  user_remove: changes({
    doc: 'Drop a user.',
    args: account,
    returns: ret.boolean('Whether the user was dropped'),
    example: 'mysql.user_remove joe localhost',
    run: (ctx, { connection_args, ...login }) => removeUser(ctx, login, fresh(ctx, connection_args)),
  }),
  verify_login: reads({
    doc: 'Return whether a user can log in.',
    args: { user, password: login.password, connection_args },
    returns: ret.boolean('Whether the login works'),
    example: 'mysql.verify_login joe secret',
    run: async (ctx, { user, password, connection_args }) => {
      const own: [string, Value][] = [
        ['connection_user', user],
        ['connection_pass', password],
      ]
      const connection = new Map([...fresh(ctx, connection_args), ...own])
      const works = (await attempt(ctx, connection, 'SELECT 1')) !== undefined
      if (!works) ctx.memory.delete('mysql.error')
      return works
    },
  }),
}

const grant = {
  grant: arg.text('Privileges, separated by commas'),
  database: arg.text('Level: `*.*`, `db.*` or `db.table`'),
  user,
  host,
  grant_option: arg.any('Whether the user may grant the privileges to others; a text counts if it is `true`', {
    default: false,
  }),
  escape: arg.flag('Whether names in the level are quoted', { default: true }),
}

const grants = {
  user_grants: reads({
    doc: 'Return the grants of a user.',
    args: account,
    returns: ret.orFalse(ret.texts('GRANT statements; False without such a user')),
    example: 'mysql.user_grants joe',
    run: (ctx, { connection_args, ...login }) => userGrants(ctx, login, fresh(ctx, connection_args)),
  }),
  grant_exists: reads({
    doc: 'Return whether a user has privileges.',
    args: { ...grant, connection_args },
    returns: ret.boolean('Whether the user has all the privileges'),
    example: "mysql.grant_exists 'SELECT,INSERT' 'app.*' joe",
    run: (ctx, { connection_args, ...grant }) => grantExists(ctx, grant, fresh(ctx, connection_args)),
  }),
  grant_add: changes({
    doc: 'Grant privileges to a user.',
    args: {
      ...grant,
      ssl_option: arg.any('List of requirements: dicts of SSL, X509, CIPHER, ISSUER or SUBJECT; False for none', {
        default: false,
      }),
      connection_args,
    },
    returns: ret.boolean('Whether the user has the privileges now'),
    example: "mysql.grant_add 'SELECT,INSERT' 'app.*' joe localhost",
    run: (ctx, { connection_args, ...grant }) => addGrant(ctx, grant, fresh(ctx, connection_args)),
  }),
  grant_revoke: changes({
    doc: 'Revoke privileges from a user.',
    args: { ...grant, connection_args },
    returns: ret.boolean('Whether the user no longer has the privileges'),
    example: "mysql.grant_revoke 'SELECT' 'app.*' joe localhost",
    run: (ctx, { connection_args, ...grant }) => revokeGrant(ctx, grant, fresh(ctx, connection_args)),
  }),
}

/** Return a row with numbers for all digits, as the driver of Salt does. */
const statusDict = (row: Row): Dict => new Map([...row].map(([key, text]) => [key, numberOf(text)]))

const firstStatus = (doc: string, name: string, statement: string) =>
  reads({
    doc,
    args: { connection_args },
    returns: ret.any('Values by name; an empty list if there are none'),
    example: `mysql.${name}`,
    run: async (ctx, { connection_args }) => {
      const row = (await rows(ctx, fresh(ctx, connection_args), statement))?.[0]
      return row ? statusDict(row) : []
    },
  })

const listed = (doc: string, name: string, statement: string) =>
  reads({
    doc,
    args: { connection_args },
    returns: ret.list('One dict with `Variable_name` and `Value` for each variable'),
    example: `mysql.${name}`,
    run: async (ctx, { connection_args }) => {
      const found = await rows(ctx, fresh(ctx, connection_args), statement)
      return found && found.length > 0 ? found.map((row) => dictOf(row)) : found ? [[]] : []
    },
  })

const PROCESS_NUMBERS = new Set(['Id', 'Time', 'Rows_sent', 'Rows_examined', 'Rows_read', 'Progress'])

/** Return the lag in seconds of a replica from its status. */
function lagOf(found: Row[] | undefined): Value {
  const row = found?.[0]
  if (!row) return found ? -1 : -3
  return row.get('Slave_IO_Running') === 'Yes' ? numberOf(row.get('Seconds_Behind_Master') ?? null) : -2
}

async function freeSlave(ctx: FunctionContext, at: Connection): Promise<string> {
  for (const statement of ['STOP SLAVE', 'RESET SLAVE ALL']) if (!(await attempt(ctx, at, statement))) return ''
  return (await rows(ctx, at, 'SHOW SLAVE STATUS'))?.length === 0 ? 'promoted' : 'failed'
}

const server = {
  status: reads({
    doc: 'Return the status variables of the server.',
    args: { connection_args },
    returns: ret.dict('Values by variable'),
    run: async (ctx, { connection_args }) => {
      const found = (await rows(ctx, fresh(ctx, connection_args), 'SHOW STATUS')) ?? []
      return new Map<Value, Value>(found.map((row) => [row.get('Variable_name') ?? null, row.get('Value') ?? null]))
    },
  }),
  version: reads({
    doc: 'Return the version of the server.',
    args: { connection_args },
    returns: ret.string('Version; empty after a failure'),
    run: (ctx, { connection_args }) => serverVersion(ctx, fresh(ctx, connection_args)),
  }),
  processlist: reads({
    doc: 'Return the threads of the server and their statements.',
    args: { connection_args },
    returns: ret.dicts('One dict for each thread'),
    run: async (ctx, { connection_args }) => {
      const found = await rows(ctx, fresh(ctx, connection_args), 'SHOW FULL PROCESSLIST')
      return (found ?? []).map((row) => dictOf(row, PROCESS_NUMBERS))
    },
  }),
  slave_lag: reads({
    doc: 'Return the lag of a replica in seconds.',
    args: { connection_args },
    returns: ret.any('Seconds; -1 if the server is no replica, -2 if replication is stopped, -3 after a failure'),
    run: async (ctx, { connection_args }) => lagOf(await rows(ctx, fresh(ctx, connection_args), 'SHOW SLAVE STATUS')),
  }),
  get_master_status: firstStatus(
    'Return the position of the binary log of the server.',
    'get_master_status',
    'SHOW MASTER STATUS',
  ),
  get_slave_status: firstStatus('Return the status of a replica.', 'get_slave_status', 'SHOW SLAVE STATUS'),
  free_slave: changes({
    doc: 'End the replication of a replica, and promote it.',
    args: { connection_args },
    returns: ret.string('`promoted` or `failed`; empty after an error'),
    run: (ctx, { connection_args }) => freeSlave(ctx, fresh(ctx, connection_args)),
  }),
  showvariables: listed('Return the variables of a session.', 'showvariables', 'SHOW VARIABLES'),
  showglobal: listed('Return the variables of the server.', 'showglobal', 'SHOW GLOBAL VARIABLES'),
}

const plugin = { name: arg.text('Name of the plugin'), connection_args }

const plugins = {
  plugins_list: reads({
    doc: 'Return all plugins and their status.',
    args: { connection_args },
    returns: ret.dicts('One dict with `name` and `status` for each plugin'),
    run: async (ctx, { connection_args }) =>
      ((await rows(ctx, fresh(ctx, connection_args), 'SHOW PLUGINS')) ?? []).map((row) => ({
        name: row.get('Name') ?? null,
        status: row.get('Status') ?? null,
      })),
  }),
  plugin_status: reads({
    doc: 'Return the status of a plugin.',
    args: plugin,
    returns: ret.string('Status such as `ACTIVE`; empty without such a plugin'),
    example: 'mysql.plugin_status auth_socket',
    run: (ctx, { name, connection_args }) => pluginStatus(ctx, name, fresh(ctx, connection_args)),
  }),
  plugin_add: changes({
    doc: 'Install a plugin.',
    args: {
      name: plugin.name,
      soname: arg.text('Library of the plugin. Default: its name with `.so`', { optional: true }),
      connection_args,
    },
    returns: ret.boolean('Whether the plugin is installed'),
    example: 'mysql.plugin_add auth_socket',
    run: async (ctx, { name, soname, connection_args }) => {
      const connection = fresh(ctx, connection_args)
      if ((await pluginStatus(ctx, name, connection)) !== '') return true
      const statement = `INSTALL PLUGIN ${identifier(name)} SONAME ${literal(soname || `${name}.so`)}`
      return (await attempt(ctx, connection, statement)) !== undefined
    },
  }),
  plugin_remove: changes({
    doc: 'Remove a plugin.',
    args: plugin,
    returns: ret.boolean('Whether the plugin is gone'),
    example: 'mysql.plugin_remove auth_socket',
    run: async (ctx, { name, connection_args }) => {
      const connection = fresh(ctx, connection_args)
      if ((await pluginStatus(ctx, name, connection)) === '') return true
      return (await attempt(ctx, connection, `UNINSTALL PLUGIN ${identifier(name)}`)) !== undefined
    },
  }),
}

export default defineModule({
  name: 'mysql',
  doc: 'Manage MySQL and MariaDB.',
  when: async ({ host }) => (await findClient(host)) !== undefined || 'The mysql client program was not found',
  functions: {
    ...databaseFunctions,
    db_check: maintenance('check', 'Check tables for errors.'),
    db_repair: maintenance('repair', 'Repair tables.'),
    db_optimize: maintenance('optimize', 'Optimise tables.'),
    ...server,
    ...users,
    ...grants,
    ...plugins,
    tokenize_grant: reads({
      doc: 'Parse a GRANT statement.',
      args: { grant: arg.string('GRANT statement') },
      returns: ret.dict('`user`, `host`, `grant` and `database`'),
      example: `mysql.tokenize_grant "GRANT SELECT ON app.* TO 'joe'@'localhost'"`,
      run: (_ctx, { grant }) => ({ ...grantTokens(grant) }),
    }),
    quote_identifier: reads({
      doc: 'Quote a name for a statement; `%` is doubled for the driver of Salt.',
      args: {
        identifier: arg.string('Name'),
        for_grants: arg.flag('Whether the name is the database of a grant', { default: false }),
      },
      returns: ret.string('Name between back quotes'),
      example: "mysql.quote_identifier 'foo`bar'",
      run: (_ctx, { identifier, for_grants }) => {
        const doubled = identifier.replaceAll('`', '``')
        const escaped = for_grants ? doubled.replaceAll('_', '\\_') : doubled
        return `\`${escaped.replaceAll('%', '%%')}\``
      },
    }),
  },
})
