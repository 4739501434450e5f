// Databases, tablespaces, schemas and languages: what there is, and the statements that make, change and drop it.
import { type Dict, PyError, repr, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Given, has, prefixedConnection, text } from './arguments.ts'
import { byColumn, execute, psql, select, succeeded } from './psql.ts'

const DATABASES = `SELECT datname as "Name", pga.rolname as "Owner", pg_encoding_to_char(encoding) as "Encoding",
 datcollate as "Collate", datctype as "Ctype", datacl as "Access privileges", spcname as "Tablespace"
 FROM pg_database pgd, pg_roles pga, pg_tablespace pgts WHERE pga.oid = pgd.datdba AND pgts.oid = pgd.dattablespace`

const TABLESPACES = `SELECT spcname as "Name", pga.rolname as "Owner", spcacl as "ACL", spcoptions as "Opts",
 pg_tablespace_location(pgts.oid) as "Location" FROM pg_tablespace pgts, pg_roles pga WHERE pga.oid = pgts.spcowner`

export const databases = async (ctx: FunctionContext, given: Given): Promise<Dict> =>
  byColumn(await select(ctx, given, DATABASES), 'Name')

export const tablespaces = async (ctx: FunctionContext, given: Given): Promise<Dict> =>
  byColumn(await select(ctx, given, TABLESPACES), 'Name')

/** A value between quotes; one with the quote inside is refused. */
function between(value: Value, quote: string): string | null {
  if (value === null) return null
  if (str(value).includes(quote)) {
    throw new SaltError('SaltInvocationError', `Unsupported character ${quote} in value: ${str(value)}`)
  }
  return `${quote}${str(value)}${quote}`
}

export function createDatabase(ctx: FunctionContext, given: Given): Promise<boolean> {
  const value = (name: string): Value => given[name] ?? null
  const options: [string, string | null][] = [
    ['TABLESPACE', between(value('tablespace'), '"')],
    ['OWNER', between(value('owner'), '"')],
    ['TEMPLATE', value('template') === null ? null : text(given, 'template')],
    ['ENCODING', between(value('encoding'), "'")],
    ['LC_COLLATE', between(value('lc_collate'), "'")],
    ['LC_CTYPE', between(value('lc_ctype'), "'")],
  ]
  const chosen = options.filter(([, wish]) => wish !== null).map(([key, wish]) => `${key} = ${wish}`)
  const clauses = chosen.length > 0 ? ` WITH ${chosen.join(' ')}` : ''
  return execute(ctx, given, `CREATE DATABASE "${text(given, 'name')}"${clauses}`)
}

export async function alterDatabase(ctx: FunctionContext, given: Given): Promise<boolean> {
  const name = text(given, 'name')
  if (has(given, 'owner') && has(given, 'owner_recurse')) {
    return succeeded(await changeOwner(ctx, given, name, text(given, 'owner')))
  }
  const statements: string[] = []
  if (has(given, 'owner')) statements.push(`ALTER DATABASE "${name}" OWNER TO "${text(given, 'owner')}"`)
  if (has(given, 'tablespace'))
    statements.push(`ALTER DATABASE "${name}" SET TABLESPACE "${text(given, 'tablespace')}"`)
  return allOf(ctx, given, statements)
}

async function allOf(ctx: FunctionContext, given: Given, statements: readonly string[]): Promise<boolean> {
  for (const statement of statements) if (!(await execute(ctx, given, statement))) return false
  return true
}

export async function removeDatabase(ctx: FunctionContext, given: Given): Promise<boolean> {
  const name = text(given, 'name')
  const statements = [
    `REVOKE CONNECT ON DATABASE "${name}" FROM public;`,
    `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid();`,
    `DROP DATABASE "${name}";`,
  ]
  for (const statement of statements) {
    const answer = await psql(ctx, given, ['-c', statement])
    if (!succeeded(answer)) throw new PyError('Exception', `Failed: ret=${repr(answer)}`)
  }
  return true
}

const OWN_ROUTINES = `select p.oid::regprocedure::text as n from pg_catalog.pg_proc p
 join pg_catalog.pg_namespace s on p.pronamespace = s.oid
 where s.nspname not in ('pg_catalog', 'information_schema') and`
const AGGREGATES = '(select aggfnoid from pg_catalog.pg_aggregate)'

/** Kind of object → a query for the names of those that users made. */
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

/** Gives a database and all in it to another role, in one transaction. */
export async function changeOwner(ctx: FunctionContext, given: Given, name: string, owner: string): Promise<Dict> {
  const inside = { ...given, maintenance_db: name }
  const statements = [`alter database "${name}" owner to "${owner}"`]
  for (const [kind, query] of OWNED) {
    for (const row of await select(ctx, inside, query)) {
      statements.push(`alter ${kind} ${str(row.get('n')!)} owner to "${owner}"`)
    }
  }
  return psql(ctx, inside, ['-c', `begin; ${statements.join('; ')}; commit;`])
}

export function createTablespace(ctx: FunctionContext, given: Given): Promise<boolean> {
  const owner = has(given, 'owner') ? ` OWNER "${text(given, 'owner')}"` : ''
  const options = has(given, 'options')
    ? ` WITH ( ${[...(given['options'] as Dict)].map(([key, value]) => `${str(key)} = ${str(value)}`).join(', ')} )`
    : ''
  const statement = `CREATE TABLESPACE "${text(given, 'name')}"${owner} LOCATION '${text(given, 'location')}'${options}`
  return execute(ctx, given, statement)
}

export function alterTablespace(ctx: FunctionContext, given: Given): Promise<boolean> {
  const alter = `ALTER TABLESPACE "${text(given, 'name')}"`
  const statements: string[] = []
  if (has(given, 'new_name')) statements.push(`${alter} RENAME TO "${text(given, 'new_name')}"`)
  if (has(given, 'new_owner')) statements.push(`${alter} OWNER TO "${text(given, 'new_owner')}"`)
  if (has(given, 'set_option')) {
    const [key, value] = [...(given['set_option'] as Dict)][0]!
    statements.push(`${alter} SET (${str(key)} = ${str(value)})`)
  }
  if (has(given, 'reset_option')) statements.push(`${alter} RESET (${text(given, 'reset_option')})`)
  return allOf(ctx, given, statements)
}

const SCHEMAS = `SELECT n.nspname as "name", r.rolname as "owner", n.nspacl as "acl" FROM pg_namespace n
 LEFT JOIN pg_roles r ON r.oid = n.nspowner`

export const schemas = async (ctx: FunctionContext, given: Given): Promise<Dict> =>
  byColumn(await select(ctx, prefixedConnection(given), SCHEMAS), 'name')

export const schemaExists = async (ctx: FunctionContext, given: Given): Promise<boolean> =>
  (await schemas(ctx, given)).has(text(given, 'name'))

export async function createSchema(ctx: FunctionContext, given: Given): Promise<boolean> {
  const name = text(given, 'name')
  if (await schemaExists(ctx, given)) {
    ctx.log('info', `'${name}' already exists in '${text(given, 'dbname')}'`)
    return false
  }
  const owner = (given['owner'] ?? null) === null ? '' : ` AUTHORIZATION "${text(given, 'owner')}"`
  return execute(ctx, prefixedConnection(given), `CREATE SCHEMA "${name}"${owner}`)
}

export async function removeSchema(ctx: FunctionContext, given: Given): Promise<boolean> {
  const name = text(given, 'name')
  if (!(await schemaExists(ctx, given))) {
    ctx.log('info', `Schema '${name}' does not exist in '${text(given, 'dbname')}'`)
    return false
  }
  await execute(ctx, prefixedConnection(given), `DROP SCHEMA "${name}"`)
  const gone = !(await schemaExists(ctx, given))
  if (!gone) ctx.log('info', `Failed to delete schema '${name}'.`)
  return gone
}

export async function languages(ctx: FunctionContext, given: Given): Promise<Dict> {
  const rows = await select(ctx, given, 'SELECT lanname AS "Name" FROM pg_language')
  return new Map(rows.map((row) => [row.get('Name')!, row.get('Name')!]))
}

/** Makes or drops a language, unless it is as wanted already. */
export async function setLanguage(ctx: FunctionContext, given: Given, wanted: boolean): Promise<boolean> {
  const name = text(given, 'name')
  if ((await languages(ctx, given)).has(name) === wanted) {
    const fact = wanted ? 'already exists' : 'does not exist'
    ctx.log('info', `Language ${name} ${fact} in ${text(given, 'maintenance_db')}`)
    return false
  }
  return execute(ctx, given, `${wanted ? 'CREATE' : 'DROP'} LANGUAGE ${name}`)
}

export const nothingToAlter = (given: Given, ...names: string[]): boolean =>
  !names.some((name) => truthy(given[name] ?? null))
