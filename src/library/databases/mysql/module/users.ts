// Users of MySQL and MariaDB. The statements for passwords differ by server and version.
import { createHash } from 'node:crypto'
import { str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isTrue } from '../../../../sdk/mod.ts'
import {
  account,
  attempt,
  type Connection,
  identifier,
  isAtLeast,
  isMaria,
  keepError,
  literal,
  rows,
  serverVersion,
} from './client.ts'

const NATIVE = 'mysql_native_password'

/** A user, and the arguments about its password, as the functions take them. */
export interface LoginArguments {
  user: string
  host: string
  password?: string | null
  password_hash?: string | null
  passwordless?: Value
  allow_passwordless?: Value
  unix_socket?: Value
  password_column?: string | null
  auth_plugin?: string
}

interface Login {
  user: string
  host: string
  password: string | null
  hash: string | null
  passwordless: boolean
  socket: boolean
}

const loginOf = (given: LoginArguments): Login => ({
  user: given.user,
  host: given.host,
  password: given.password ?? null,
  hash: given.password_hash ?? null,
  passwordless: isTrue(given.passwordless ?? given.allow_passwordless ?? false),
  socket: isTrue(given.unix_socket ?? false),
})

interface Session {
  connection: Connection
  version: string
}

/** Open a session, with the password of the user itself if the configured login fails. */
async function open(
  ctx: FunctionContext,
  connection: Connection,
  password: string | null,
): Promise<Session | undefined> {
  const version = await serverVersion(ctx, connection)
  if (version !== '') return { connection, version }
  if (!password) return undefined
  ctx.memory.delete('mysql.error')
  const own = new Map<string, Value>([...connection, ['connection_pass', password]])
  const found = await serverVersion(ctx, own)
  if (found !== '') return { connection: own, version: found }
  const last = str(ctx.memory.get('mysql.error') ?? null)
  ctx.log('error', `MySQL Error: Unable to fetch current server version. Last error was: "${last}"`)
  return undefined
}

async function passwordColumn(ctx: FunctionContext, connection: Connection, given?: string | null) {
  if (given) return given
  const known = ctx.memory.get('mysql.password_column')
  if (known !== undefined) return str(known)
  const query =
    "SELECT column_name FROM information_schema.COLUMNS WHERE table_schema='mysql' AND table_name='user' AND column_name='Password'"
  const found = await rows(ctx, connection, query)
  if (found === undefined) return 'Password'
  const column = found.length > 0 ? 'Password' : 'authentication_string'
  ctx.memory.set('mysql.password_column', column)
  return column
}

async function pluginOf(ctx: FunctionContext, connection: Connection, { user, host }: Login): Promise<string> {
  const query = `SELECT plugin FROM mysql.user WHERE User=${literal(user)} AND Host=${literal(host)}`
  return (await rows(ctx, connection, query))?.[0]?.get('plugin') ?? NATIVE
}

const nativeHash = (password: string): string => {
  const once = createHash('sha1').update(password).digest()
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`
}

export async function userExists(
  ctx: FunctionContext,
  given: LoginArguments,
  connection: Connection,
): Promise<boolean> {
  const login = loginOf(given)
  const session = await open(ctx, connection, login.password)
  if (!session) return false
  const column = identifier(await passwordColumn(ctx, session.connection, given.password_column))
  const condition = await passwordCondition(ctx, login, session, column)
  const own = `User = ${literal(login.user)} AND Host = ${literal(login.host)}`
  const found = await rows(ctx, session.connection, `SELECT User,Host FROM mysql.user WHERE ${own}${condition}`)
  return found?.length === 1
}

async function passwordCondition(
  ctx: FunctionContext,
  login: Login,
  { connection, version }: Session,
  column: string,
): Promise<string> {
  const maria = isMaria(version)
  if (login.passwordless) {
    return login.socket ? ` AND plugin='${maria ? 'unix_socket' : 'auth_socket'}'` : ` AND ${column} = ''`
  }
  if (login.password) {
    if (maria || !isAtLeast(version, '8.0.11')) return ` AND ${column} = PASSWORD(${literal(login.password)})`
    if ((await pluginOf(ctx, connection, login)) === NATIVE) return ` AND ${column} = '${nativeHash(login.password)}'`
    keepError(ctx, 'Unable to verify password.')
    return ''
  }
  return login.hash ? ` AND ${column} = ${literal(login.hash)}` : ''
}

export async function pluginStatus(ctx: FunctionContext, name: string, connection: Connection): Promise<string> {
  const query = `SELECT PLUGIN_STATUS FROM INFORMATION_SCHEMA.PLUGINS WHERE PLUGIN_NAME = ${literal(name)}`
  return (await rows(ctx, connection, query))?.[0]?.get('PLUGIN_STATUS') ?? ''
}

/** Return `IDENTIFIED …` for logins over the socket; undefined if the server cannot do it. */
async function socketClause(ctx: FunctionContext, login: Login, { connection, version }: Session) {
  const plugin = isMaria(version) ? 'unix_socket' : 'auth_socket'
  if ((await pluginStatus(ctx, plugin, connection)) === '') {
    keepError(ctx, `The ${plugin} plugin is not enabled.`)
    return undefined
  }
  if (login.host !== 'localhost') {
    keepError(ctx, 'Auth via unix_socket can be set only for host=localhost')
    return undefined
  }
  return ` IDENTIFIED ${isMaria(version) ? 'VIA' : 'WITH'} ${plugin}`
}

async function creationClause(ctx: FunctionContext, login: Login, plugin: string, session: Session) {
  if (login.socket) return socketClause(ctx, login, session)
  if (login.passwordless) return ''
  const { password, hash } = login
  if (password === null && hash === null) {
    ctx.log('error', 'password or password_hash must be specified, unless allow_passwordless=True')
    return undefined
  }
  const named = !isMaria(session.version) && isAtLeast(session.version, '8.0.11')
  const how = named ? ` WITH ${literal(plugin)}` : ''
  if (password !== null) return ` IDENTIFIED${how} BY ${literal(password)}`
  return ` IDENTIFIED${how} ${named ? 'AS' : 'BY PASSWORD'} ${literal(hash ?? '')}`
}

export async function createUser(
  ctx: FunctionContext,
  given: LoginArguments,
  connection: Connection,
): Promise<boolean> {
  const login = loginOf(given)
  const session = await open(ctx, connection, login.password)
  if (!session) return false
  const { user, host } = login
  const name = `'${user}'@'${host}'`
  if (await userExists(ctx, { user, host }, session.connection)) {
    ctx.log('info', `User ${name} already exists`)
    return false
  }
  const clause = await creationClause(ctx, login, given.auth_plugin ?? NATIVE, session)
  if (clause === undefined) return false
  if (!(await attempt(ctx, session.connection, `CREATE USER ${account(user, host)}${clause}`))) return false
  const { password, hash } = login
  const wanted = { user, host, password, password_hash: hash, password_column: given.password_column ?? null }
  const made = await userExists(ctx, wanted, session.connection)
  ctx.log('info', `User ${name} ${made ? 'has been' : 'was not'} created`)
  return made
}

/** Return the statement that changes the login of a user; undefined without a password. */
async function changeStatement(
  ctx: FunctionContext,
  login: Login,
  session: Session,
  column?: string | null,
): Promise<string | undefined> {
  const { user, host, password, hash } = login
  const { connection, version } = session
  const maria = isMaria(version)
  const modern = isAtLeast(version, maria ? '10.4' : '8.0.11')
  const who = account(user, host)
  if (password === null && hash === null && !login.passwordless) {
    ctx.log('error', 'password or password_hash must be specified, unless allow_passwordless=True')
    return undefined
  }
  const viaSocket = login.passwordless && login.socket
  if (viaSocket && modern) {
    const clause = await socketClause(ctx, login, session)
    return clause === undefined ? undefined : `ALTER USER ${who}${clause}`
  }
  const plain = password === null ? (hash === null ? "''" : literal(hash)) : literal(password)
  const hashed = password === null ? plain : `PASSWORD(${plain})`
  if (!modern) {
    const hashColumn = identifier(await passwordColumn(ctx, connection, column))
    const plugin = viaSocket ? `, plugin='${maria ? 'unix_socket' : 'auth_socket'}'` : ''
    const own = `User=${literal(user)} AND Host=${literal(host)}`
    return `UPDATE mysql.user SET ${hashColumn}=${hashed}${plugin} WHERE ${own}`
  }
  const plugin = literal(await pluginOf(ctx, connection, login))
  if (maria) return `ALTER USER ${who} IDENTIFIED VIA ${plugin} USING ${hashed}`
  return `ALTER USER ${who} IDENTIFIED WITH ${plugin} ${password === null && hash !== null ? 'AS' : 'BY'} ${plain}`
}

export async function changePassword(
  ctx: FunctionContext,
  given: LoginArguments,
  connection: Connection,
): Promise<boolean> {
  const login = loginOf(given)
  const session = await open(ctx, connection, login.password)
  if (!session) return false
  const { user, host } = login
  const name = `'${user}'@'${host}'`
  if (!(await userExists(ctx, { user, host }, session.connection))) {
    ctx.log('info', `User ${name} does not exists`)
    return false
  }
  const statement = await changeStatement(ctx, login, session, given.password_column)
  if (statement === undefined) return false
  const answer = await attempt(ctx, session.connection, statement)
  if (!answer) return false
  const done = statement.startsWith('ALTER') || answer.affected > 0
  if (done) await attempt(ctx, session.connection, 'FLUSH PRIVILEGES')
  const change = login.password !== null || login.hash !== null ? 'changed' : 'cleared'
  ctx.log('info', `Password for user ${name} ${done ? 'has been' : 'was not'} ${change}`)
  return done
}

export async function removeUser(
  ctx: FunctionContext,
  given: LoginArguments,
  connection: Connection,
): Promise<boolean> {
  const { user, host } = loginOf(given)
  const name = `'${user}'@'${host}'`
  if (!(await userExists(ctx, { user, host }, connection))) {
    ctx.log('info', `User ${name} does not exists`)
    return false
  }
  if (!(await attempt(ctx, connection, `DROP USER ${account(user, host)}`))) return false
  const gone = !(await userExists(ctx, { user, host }, connection))
  ctx.log('info', `User ${name} has ${gone ? '' : 'NOT '}been removed`)
  return gone
}
