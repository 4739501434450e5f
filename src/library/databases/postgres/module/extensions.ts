// Extensions of a database: available ones, installed ones, and whether one needs an upgrade or a move.
import { compareLoose, type Dict, isDict, str } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Connection, execute, identifier, select } from './psql.ts'

const NOT_INSTALLED = 'EXTENSION NOT INSTALLED'
const INSTALLED = 'EXTENSION INSTALLED'
const TO_UPGRADE = 'EXTENSION TO UPGRADE'
const TO_MOVE = 'EXTENSION TO MOVE'

interface Named extends Connection {
  readonly name: string
}

interface Wanted extends Named {
  readonly schema: string | null
  readonly ext_version: string | null
}

interface Creation extends Wanted {
  readonly if_not_exists: boolean | null
  readonly from_version: string | null
}

interface Removal extends Named {
  readonly if_exists: boolean | null
  readonly restrict: boolean | null
  readonly cascade: boolean | null
}

async function keyed(
  ctx: FunctionContext,
  given: Connection,
  query: string,
  key: string,
  needed: string,
): Promise<Dict> {
  const rows = (await select(ctx, given, query)).filter((row) => row.has(key) && row.has(needed))
  return new Map(rows.map((row) => [row.get(key) ?? null, row]))
}

export const availableExtensions = (ctx: FunctionContext, given: Connection): Promise<Dict> =>
  keyed(ctx, given, 'select * from pg_available_extensions();', 'name', 'default_version')

export const installedExtensions = (ctx: FunctionContext, given: Connection): Promise<Dict> =>
  keyed(
    ctx,
    given,
    'select a.*, b.nspname as schema_name from pg_extension a, pg_namespace b where a.extnamespace = b.oid;',
    'extname',
    'extversion',
  )

export async function isAvailable(ctx: FunctionContext, { name, ...at }: Named): Promise<boolean> {
  const wanted = name.toLowerCase()
  return [...(await availableExtensions(ctx, at)).keys()].some((name) => str(name).toLowerCase() === wanted)
}

export const isInstalled = async (ctx: FunctionContext, { name, ...at }: Named): Promise<boolean> =>
  (await installedExtensions(ctx, at)).has(name)

/** Return flags for the differences between an extension and the wanted one. */
export async function extensionStatus(ctx: FunctionContext, given: Wanted): Promise<string[]> {
  const { name, ext_version, schema, ...at } = given
  const installed = (await installedExtensions(ctx, at)).get(name) ?? null
  if (!isDict(installed)) return [NOT_INSTALLED]
  const flags = [INSTALLED]
  if (ext_version !== null && compareLoose(str(installed.get('extversion') ?? ''), ext_version) === -1) {
    flags.push(TO_UPGRADE)
  }
  const movable = installed.get('extrelocatable') === 't'
  if (schema !== null && movable && installed.get('schema_name') !== schema) flags.push(TO_MOVE)
  return flags
}

function creation({ name, schema, ext_version, from_version, if_not_exists }: Creation): string {
  const options = [
    ...(schema ? [`SCHEMA ${identifier(schema)}`] : []),
    ...(ext_version ? [`VERSION ${versionLiteral(ext_version)}`] : []),
    ...(from_version ? [`FROM ${versionLiteral(from_version)}`] : []),
  ]
  const clauses = options.length > 0 ? ` WITH ${options.join(' ')}` : ''
  return `CREATE EXTENSION ${if_not_exists === false ? '' : 'IF NOT EXISTS '}${identifier(name)}${clauses};`
}

/** Return a version between quotes, which the user may have written already. */
const versionLiteral = (version: string): string => (/^(['"])[^'"]*\1$/.test(version) ? version : identifier(version))

function alteration({ name, schema, ext_version }: Wanted, flags: readonly string[]): string {
  const alter = `ALTER EXTENSION ${identifier(name)}`
  const parts: string[] = []
  if (schema && flags.includes(TO_MOVE)) parts.push(`${alter} SET SCHEMA ${identifier(schema)};`)
  if (ext_version && flags.includes(TO_UPGRADE)) parts.push(`${alter} UPDATE TO ${versionLiteral(ext_version)};`)
  return parts.join(' ')
}

export async function createExtension(ctx: FunctionContext, given: Creation): Promise<boolean> {
  const flags = await extensionStatus(ctx, given)
  if (await isAvailable(ctx, given)) {
    const statement = flags.includes(NOT_INSTALLED) ? creation(given) : alteration(given, flags)
    if (statement !== '') await execute(ctx, given, statement)
  }
  const done = (await extensionStatus(ctx, given)).every((flag) => flag === INSTALLED)
  if (!done) ctx.log('info', `Failed to create ext: ${given.name}`)
  return done
}

export async function dropExtension(ctx: FunctionContext, given: Removal): Promise<boolean> {
  const { name, if_exists, restrict, cascade } = given
  const words = ['DROP EXTENSION', ...(if_exists ? ['IF EXISTS'] : []), identifier(name)]
  if (cascade !== false) words.push('CASCADE')
  else if (restrict) words.push('RESTRICT')
  if (await isInstalled(ctx, given)) await execute(ctx, given, `${words.join(' ')};`)
  const gone = !(await isInstalled(ctx, given))
  if (!gone) ctx.log('info', `Failed to drop ext: ${name}`)
  return gone
}
