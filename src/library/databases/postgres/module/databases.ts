// Databases, tablespaces, schemas and languages.
import { type Dict, misuse, PyError, repr, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import {
  byColumn,
  type Connection,
  execute,
  identifier,
  literal,
  plainIdentifier,
  psql,
  select,
  succeeded,
} from './psql.ts'

const DATABASES = `SELECT datname as "Name", pga.rolname as "Owner", pg_encoding_to_char(encoding) as "Encoding",
 datcollate as "Collate", datctype as "Ctype", datacl as "Access privileges", spcname as "Tablespace"
 FROM pg_database pgd, pg_roles pga, pg_tablespace pgts WHERE pga.oid = pgd.datdba AND pgts.oid = pgd.dattablespace`

const TABLESPACES = `SELECT spcname as "Name", pga.rolname as "Owner", spcacl as "ACL", spcoptions as "Opts",
 pg_tablespace_location(pgts.oid) as "Location" FROM pg_tablespace pgts, pg_roles pga WHERE pga.oid = pgts.spcowner`

export const databases = async (ctx: FunctionContext, given: Connection): Promise<Dict> =>
  byColumn(await select(ctx, given, DATABASES), 'Name')

export const tablespaces = async (ctx: FunctionContext, given: Connection): Promise<Dict> =>
  byColumn(await select(ctx, given, TABLESPACES), 'Name')

interface Named extends Connection {
  readonly name: string
}

interface DatabaseOptions extends Named {
  readonly tablespace: string | null
  readonly encoding: string | null
  readonly lc_collate: string | null
  readonly lc_ctype: string | null
  readonly owner: string | null
  readonly template: string | null
}

/** Return a value between quotes; a value that contains the quote is an error. */
function between(value: string | null, quote: string): string | null {
  if (value?.includes(quote)) {
    throw misuse(`Unsupported character ${quote} in value: ${value}`)
  }
  return value === null ? null : `${quote}${value}${quote}`
}

export function createDatabase(ctx: FunctionContext, given: DatabaseOptions): Promise<boolean> {
  const options: [string, string | null][] = [
    ['TABLESPACE', between(given.tablespace, '"')],
    ['OWNER', between(given.owner, '"')],
    ['TEMPLATE', given.template && plainIdentifier(given.template)],
    ['ENCODING', between(given.encoding, "'")],
    ['LC_COLLATE', between(given.lc_collate, "'")],
    ['LC_CTYPE', between(given.lc_ctype, "'")],
  ]
  const chosen = options.filter(([, value]) => value !== null).map(([key, value]) => `${key} = ${value}`)
  const clauses = chosen.length > 0 ? ` WITH ${chosen.join(' ')}` : ''
  return execute(ctx, given, `CREATE DATABASE ${identifier(given.name)}${clauses}`)
}

interface Alteration extends Named {
  readonly owner: string | null
  readonly owner_recurse: boolean
  readonly tablespace: string | null
}

export async function alterDatabase(ctx: FunctionContext, given: Alteration): Promise<boolean> {
  const { name, owner, owner_recurse, tablespace } = given
  if (owner && owner_recurse) return succeeded(await changeOwner(ctx, given, name, owner))
  return allOf(ctx, given, [
    ...(owner ? [`ALTER DATABASE ${identifier(name)} OWNER TO ${identifier(owner)}`] : []),
    ...(tablespace ? [`ALTER DATABASE ${identifier(name)} SET TABLESPACE ${identifier(tablespace)}`] : []),
  ])
}

/** Run statements until one fails; return whether all succeeded. */
async function allOf(ctx: FunctionContext, given: Connection, statements: readonly string[]): Promise<boolean> {
  for (const statement of statements) if (!(await execute(ctx, given, statement))) return false
  return true
}

export async function removeDatabase(ctx: FunctionContext, { name, ...at }: Named): Promise<boolean> {
  const statements = [
    `REVOKE CONNECT ON DATABASE ${identifier(name)} FROM public;`,
    `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${literal(name)} AND pid <> pg_backend_pid();`,
    `DROP DATABASE ${identifier(name)};`,
  ]
  for (const statement of statements) {
    const answer = await psql(ctx, at, ['-c', statement])
    if (!succeeded(answer)) throw new PyError('Exception', `Failed: ret=${repr(answer)}`)
  }
  return true
}

const OWN_ROUTINES = `select p.oid::regprocedure::text as n from pg_catalog.pg_proc p
 join pg_catalog.pg_namespace s on p.pronamespace = s.oid
 where s.nspname not in ('pg_catalog', 'information_schema') and`
const AGGREGATES = '(select aggfnoid from pg_catalog.pg_aggregate)'

/** Kind of object → a query for the names of the objects that users created. */
const OWNED: readonly (readonly [kind: string, query: string])[] = [
  [
    'schema',
    "select quote_ident(nspname) as n from pg_catalog.pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'",
  ],
  [
    'table',
    "select quote_ident(table_schema)||'.'||quote_ident(table_name) as n from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')",
  ],
  ['function', `${OWN_ROUTINES} p.oid not in ${AGGREGATES}`],
  ['aggregate', `${OWN_ROUTINES} p.oid in ${AGGREGATES}`],
  [
    'sequence',
    "select quote_ident(sequence_schema)||'.'||quote_ident(sequence_name) as n from information_schema.sequences",
  ],
]

/** Change the owner of a database and of all objects in it, in one transaction. */
export async function changeOwner(ctx: FunctionContext, given: Connection, name: string, owner: string): Promise<Dict> {
  const inside = { ...given, maintenance_db: name }
  const statements = [`alter database ${identifier(name)} owner to ${identifier(owner)}`]
  for (const [kind, query] of OWNED) {
    for (const row of await select(ctx, inside, query)) {
      statements.push(`alter ${kind} ${str(row.get('n') ?? '')} owner to ${identifier(owner)}`)
    }
  }
  return psql(ctx, inside, ['-c', `begin; ${statements.join('; ')}; commit;`])
}

interface TablespaceOptions extends Named {
  readonly location: string
  readonly options: Dict | null
  readonly owner: string | null
}

const setting = ([key, value]: [Value, Value]): string => `${plainIdentifier(str(key))} = ${settingValue(str(value))}`
const settingValue = (value: string): string => (/^[\w.+-]+$/.test(value) ? value : literal(value))

export function createTablespace(ctx: FunctionContext, given: TablespaceOptions): Promise<boolean> {
  const owner = given.owner ? ` OWNER ${identifier(given.owner)}` : ''
  const options = given.options?.size ? ` WITH ( ${[...given.options].map(setting).join(', ')} )` : ''
  return execute(
    ctx,
    given,
    `CREATE TABLESPACE ${identifier(given.name)}${owner} LOCATION ${literal(given.location)}${options}`,
  )
}

interface TablespaceAlteration extends Named {
  readonly new_name: string | null
  readonly new_owner: string | null
  readonly set_option: Dict | null
  readonly reset_option: string | null
}

export function alterTablespace(ctx: FunctionContext, given: TablespaceAlteration): Promise<boolean> {
  const { name, new_name, new_owner, set_option, reset_option } = given
  const [option] = set_option ?? []
  const clauses = [
    ...(new_name ? [`RENAME TO ${identifier(new_name)}`] : []),
    ...(new_owner ? [`OWNER TO ${identifier(new_owner)}`] : []),
    ...(option ? [`SET (${setting(option)})`] : []),
    ...(reset_option ? [`RESET (${plainIdentifier(reset_option)})`] : []),
  ]
  return allOf(
    ctx,
    given,
    clauses.map((clause) => `ALTER TABLESPACE ${identifier(name)} ${clause}`),
  )
}

/** A database, and how to connect to it; `user` is the system user that runs psql. */
interface Prefixed {
  readonly dbname: string
  readonly user: string | null
  readonly db_user: string | null
  readonly db_password: string | null
  readonly db_host: string | null
  readonly db_port: string | null
}

interface Schema extends Prefixed {
  readonly name: string
}

const connectionOf = (given: Prefixed): Connection => ({
  user: given.db_user,
  host: given.db_host,
  port: given.db_port,
  password: given.db_password,
  maintenance_db: given.dbname,
  runas: given.user,
})

const SCHEMAS = `SELECT n.nspname as "name", r.rolname as "owner", n.nspacl as "acl" FROM pg_namespace n
 LEFT JOIN pg_roles r ON r.oid = n.nspowner`

export const schemas = async (ctx: FunctionContext, given: Prefixed): Promise<Dict> =>
  byColumn(await select(ctx, connectionOf(given), SCHEMAS), 'name')

export const schemaExists = async (ctx: FunctionContext, given: Schema): Promise<boolean> =>
  (await schemas(ctx, given)).has(given.name)

export async function createSchema(ctx: FunctionContext, given: Schema & { owner: string | null }): Promise<boolean> {
  const { name, dbname, owner } = given
  if (await schemaExists(ctx, given)) {
    ctx.log('info', `'${name}' already exists in '${dbname}'`)
    return false
  }
  const clause = owner === null ? '' : ` AUTHORIZATION ${identifier(owner)}`
  return execute(ctx, connectionOf(given), `CREATE SCHEMA ${identifier(name)}${clause}`)
}

export async function removeSchema(ctx: FunctionContext, given: Schema): Promise<boolean> {
  const { name, dbname } = given
  if (!(await schemaExists(ctx, given))) {
    ctx.log('info', `Schema '${name}' does not exist in '${dbname}'`)
    return false
  }
  await execute(ctx, connectionOf(given), `DROP SCHEMA ${identifier(name)}`)
  const gone = !(await schemaExists(ctx, given))
  if (!gone) ctx.log('info', `Failed to delete schema '${name}'.`)
  return gone
}

export async function languages(ctx: FunctionContext, given: Connection): Promise<Dict> {
  const rows = await select(ctx, given, 'SELECT lanname AS "Name" FROM pg_language')
  return new Map(rows.map((row) => [row.get('Name') ?? null, row.get('Name') ?? null]))
}

/** Create or drop a language, unless it is as wanted already. */
export async function setLanguage(ctx: FunctionContext, given: Named, wanted: boolean): Promise<boolean> {
  const { name, maintenance_db } = given
  if ((await languages(ctx, given)).has(name) === wanted) {
    ctx.log('info', `Language ${name} ${wanted ? 'already exists' : 'does not exist'} in ${maintenance_db}`)
    return false
  }
  return execute(ctx, given, `${wanted ? 'CREATE' : 'DROP'} LANGUAGE ${plainIdentifier(name)}`)
}
