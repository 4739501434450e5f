// Grants: privileges of users on databases and tables.
import { lookup } from '../../../../base/mod.ts'
import { isDict, isList, PyError, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isTrue } from '../../../../sdk/mod.ts'
import {
  account,
  attempt,
  type Connection,
  identifier,
  isAtLeast,
  isMaria,
  literal,
  rows,
  serverVersion,
} from './client.ts'
import { type GrantTokens, grantTokens } from './grant-tokens.ts'
import { userExists } from './users.ts'

/** Privileges; those with an underscore in MySQL and a space in MariaDB are listed twice. */
const PRIVILEGES = new Set(
  `ALL PRIVILEGES,ALTER,ALTER ROUTINE,BACKUP_ADMIN,BINLOG_ADMIN,BINLOG ADMIN,BINLOG MONITOR,BINLOG REPLAY,
CONNECTION_ADMIN,CONNECTION ADMIN,CREATE,CREATE ROLE,CREATE ROUTINE,CREATE TABLESPACE,CREATE TEMPORARY TABLES,
CREATE USER,CREATE VIEW,DELETE,DELETE HISTORY,DROP,DROP ROLE,ENCRYPTION_KEY_ADMIN,EVENT,EXECUTE,FEDERATED ADMIN,FILE,
GRANT OPTION,GROUP_REPLICATION_ADMIN,INDEX,INSERT,LOCK TABLES,PERSIST_RO_VARIABLES_ADMIN,PROCESS,READ_ONLY ADMIN,
REFERENCES,RELOAD,REPLICA MONITOR,REPLICATION CLIENT,REPLICATION MASTER ADMIN,REPLICATION REPLICA,REPLICATION SLAVE,
REPLICATION_SLAVE_ADMIN,REPLICATION SLAVE ADMIN,RESOURCE_GROUP_ADMIN,RESOURCE_GROUP_USER,ROLE_ADMIN,SELECT,SET USER,
SET_USER_ID,SERVICE_CONNECTION_ADMIN,SHOW DATABASES,SHOW VIEW,SHUTDOWN,SLAVE MONITOR,SUPER,SYSTEM_VARIABLES_ADMIN,
TRIGGER,UPDATE,USAGE,XA_RECOVER_ADMIN`
    .split(',')
    .map((word) => word.trim()),
)

/** Privileges that MariaDB shows under another name since a version. */
const ALIASES: Readonly<Record<string, readonly [shown: string, since: string]>> = lookup({
  'REPLICATION REPLICA': ['REPLICATION SLAVE', '10.5.1'],
  'REPLICATION CLIENT': ['BINLOG MONITOR', '10.5.2'],
  'REPLICA MONITOR': ['SLAVE MONITOR', '10.5.9'],
})

function asShown(grants: readonly string[], version: string): string[] {
  if (!isMaria(version)) return [...grants]
  return grants.map((grant) => {
    const alias = ALIASES[grant]
    return alias && isAtLeast(version, alias[1]) ? alias[0] : grant
  })
}

/** The privileges of a list, each with its columns: commas between parentheses separate columns. */
const PRIVILEGE_PARTS = /[^,()]+(\([^()]*\))?[^,]*/g
const PRIVILEGE = /^([\w\s]+)(\([^()]*\))?\s*$/
const COLUMN = '\\s*([\\p{L}\\p{N}_$]+|`[^`]+`)\\s*'
const COLUMNS = new RegExp(`^$|^\\((${COLUMN},)*${COLUMN}\\)$`, 'u')

/** Return privileges as in a statement; throw for an unknown one. */
function normalized(grant: string): string {
  if (grant.trim().toUpperCase() === 'ALL') return 'ALL PRIVILEGES'
  for (const part of grant.match(PRIVILEGE_PARTS) ?? []) {
    const [, name, columns] = PRIVILEGE.exec(part) ?? []
    const isKnown = name !== undefined && PRIVILEGES.has(name.trim().toUpperCase())
    // the columns become a part of the statement unchanged
    if (!isKnown || !COLUMNS.test(columns ?? '')) throw new PyError('Exception', `Invalid grant : '${name ?? part}'`)
  }
  return grant
}

const SSL_TEXTS = ['CIPHER', 'ISSUER', 'SUBJECT']
const SSL_FLAGS = ['SSL', 'X509']

function sslClause(options: Value): string {
  if (!truthy(options) || !isList(options)) return ''
  const clauses = options.flatMap((option) => {
    const [key, value] = [...(isDict(option) ? option : new Map<Value, Value>())][0] ?? ['', null]
    const name = str(key).trim().toUpperCase()
    if (SSL_TEXTS.includes(name)) return [`${name} ${literal(str(value).replaceAll("'", ''))}`]
    if (!SSL_FLAGS.includes(name)) throw new PyError('Exception', `Invalid SSL option : '${str(key)}'`)
    return truthy(value) ? [name] : []
  })
  return ` REQUIRE ${clauses.join(' AND ')}`
}

/** Return `db.table` as a statement has it. */
function level(database: string, quoted: boolean): string {
  const dot = database.lastIndexOf('.')
  const [name, table] = [dot < 0 ? '' : database.slice(0, dot), database.slice(dot + 1)]
  if (!quoted) return `${name}.${table}`
  return `${name === '*' ? name : identifier(name, table === '*')}.${table === '*' ? table : identifier(table)}`
}

interface Account {
  user: string
  host: string
}

interface Grant extends Account {
  /** Privileges, separated by commas. */
  grant: string
  /** Level, such as `db.*`. */
  database: string
  grant_option: Value
  escape: boolean
  ssl_option?: Value
}

function generate(wanted: Grant): { statement: string; tokens: GrantTokens } {
  const { grant, database, user, host, grant_option, ssl_option = false } = wanted
  const privileges = normalized(grant.replace(/\s*,\s*/g, ', ').toUpperCase())
  const option = isTrue(grant_option) ? ' WITH GRANT OPTION' : ''
  const head = `GRANT ${privileges} ON ${level(database, wanted.escape)} TO `
  return {
    statement: `${head}${account(user, host)}${sslClause(ssl_option)}${option}`,
    tokens: grantTokens(`${head}x@y`, { user, host }),
  }
}

export async function userGrants(
  ctx: FunctionContext,
  { user, host }: Account,
  connection: Connection,
): Promise<string[] | false> {
  if (!(await userExists(ctx, { user, host }, connection))) {
    ctx.log('info', `User '${user}'@'${host}' does not exist`)
    return false
  }
  const found = await rows(ctx, connection, `SHOW GRANTS FOR ${account(user, host)}`)
  if (!found) return false
  return found.map((row) => {
    const text = [...row.values()][0] ?? ''
    const head = text.split(' IDENTIFIED BY')[0]!
    const lost = text.includes('WITH GRANT OPTION') && !head.includes('WITH GRANT OPTION')
    return lost ? `${head} WITH GRANT OPTION` : head
  })
}

/** Return all privileges of MySQL 8, which lists them one by one. */
async function allPrivileges(ctx: FunctionContext, connection: Connection): Promise<string[]> {
  const found = (await rows(ctx, connection, 'SHOW PRIVILEGES')) ?? []
  const names = found.map((row) => ([...row.values()][0] ?? '').trim().toUpperCase())
  return names.filter((name) => !['', 'USAGE', 'GRANT OPTION', 'PROXY'].includes(name))
}

const plain = (text: string): string => text.replace(/["\\`]/g, '')

async function wantedTokens(
  ctx: FunctionContext,
  wanted: Grant,
  connection: Connection,
  version: string,
): Promise<GrantTokens | undefined> {
  const { user, host, database } = wanted
  const everything = wanted.grant.toUpperCase().includes('ALL')
  if (everything && !isMaria(version) && isAtLeast(version, '8.0') && database === '*.*') {
    return { user, host, grant: await allPrivileges(ctx, connection), database }
  }
  try {
    return generate(everything ? { ...wanted, grant: 'ALL PRIVILEGES' } : wanted).tokens
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    ctx.log('error', `Error during grant generation. ${error.message}`)
    return undefined
  }
}

export async function grantExists(ctx: FunctionContext, given: Grant, connection: Connection): Promise<boolean> {
  const version = await serverVersion(ctx, connection)
  if (version === '') {
    const last = str(ctx.memory.get('mysql.error') ?? null)
    ctx.log('error', `MySQL Error: Unable to fetch current server version. Last error was: "${last}"`)
    return false
  }
  const wanted = await wantedTokens(ctx, given, connection, version)
  if (!wanted) return false
  const grants = await userGrants(ctx, given, connection)
  if (grants === false) {
    ctx.log('error', 'Grant does not exist or may not be ordered properly. Check the connection, too.')
    return false
  }
  const held = new Map<string, GrantTokens>()
  for (const text of grants) {
    const tokens = grantTokens(text)
    const shown = asShown(tokens.grant, version)
    const same = held.get(tokens.database)
    if (same) same.grant.push(...shown)
    else held.set(tokens.database, { ...tokens, grant: shown })
  }
  const privileges = asShown(wanted.grant, version)
  return [...held.values()].some(
    (own) =>
      plain(own.user) === plain(wanted.user) &&
      plain(own.database) === plain(wanted.database) &&
      plain(own.host) === plain(wanted.host) &&
      privileges.every((privilege) => own.grant.includes(privilege)),
  )
}

export async function addGrant(ctx: FunctionContext, given: Grant, connection: Connection): Promise<boolean> {
  const wanted = { ...given, grant: given.grant.trim() }
  let statement: string
  try {
    statement = generate(wanted).statement
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    ctx.log('error', 'Error during grant generation')
    return false
  }
  if (!(await attempt(ctx, connection, statement))) return false
  return logged(ctx, given, await grantExists(ctx, wanted, connection), 'added')
}

export async function revokeGrant(ctx: FunctionContext, given: Grant, connection: Connection): Promise<boolean> {
  const { user, host } = given
  const grant = normalized(given.grant)
  const place = level(given.database, true)
  const withOption = isTrue(given.grant_option)
  // servers refuse GRANT OPTION and ALL PRIVILEGES in one statement
  const everything = grant.trim().toUpperCase() === 'ALL PRIVILEGES'
  const parts = withOption ? (everything ? ['GRANT OPTION', grant] : [`${grant}, GRANT OPTION`]) : [grant]
  for (const part of parts) {
    if (!(await attempt(ctx, connection, `REVOKE ${part} ON ${place} FROM ${account(user, host)}`))) return false
  }
  return logged(ctx, given, !(await grantExists(ctx, { ...given, grant }, connection)), 'revoked')
}

function logged(ctx: FunctionContext, { grant, database, user }: Grant, done: boolean, verb: string): boolean {
  const outcome = done ? 'has been' : 'has NOT been'
  ctx.log('info', `Grant '${grant}' on '${database}' for user '${user}' ${outcome} ${verb}`)
  return done
}
