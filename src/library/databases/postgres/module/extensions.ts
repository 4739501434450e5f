// Extensions of a database: which the server offers, which are installed, and whether one is to be upgraded or moved.
import { compareLoose, type Dict, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Given, has, text } from './arguments.ts'
import { execute, select } from './psql.ts'

const NOT_INSTALLED = 'EXTENSION NOT INSTALLED'
const INSTALLED = 'EXTENSION INSTALLED'
const TO_UPGRADE = 'EXTENSION TO UPGRADE'
const TO_MOVE = 'EXTENSION TO MOVE'

async function keyed(ctx: FunctionContext, given: Given, query: string, key: string, needed: string): Promise<Dict> {
  const rows = (await select(ctx, given, query)).filter((row) => row.has(key) && row.has(needed))
  return new Map(rows.map((row) => [row.get(key)!, row]))
}

export const availableExtensions = (ctx: FunctionContext, given: Given): Promise<Dict> =>
  keyed(ctx, given, 'select * from pg_available_extensions();', 'name', 'default_version')

export const installedExtensions = (ctx: FunctionContext, given: Given): Promise<Dict> =>
  keyed(
    ctx,
    given,
    'select a.*, b.nspname as schema_name from pg_extension a, pg_namespace b where a.extnamespace = b.oid;',
    'extname',
    'extversion',
  )

export async function isAvailable(ctx: FunctionContext, given: Given): Promise<boolean> {
  const wanted = text(given, 'name').toLowerCase()
  return [...(await availableExtensions(ctx, given)).keys()].some((name) => str(name).toLowerCase() === wanted)
}

export const isInstalled = async (ctx: FunctionContext, given: Given): Promise<boolean> =>
  (await installedExtensions(ctx, given)).has(text(given, 'name'))

/** Flags that tell how an extension stands to what is wanted. */
export async function extensionStatus(ctx: FunctionContext, given: Given): Promise<string[]> {
  const installed = (await installedExtensions(ctx, given)).get(text(given, 'name')) as Dict | undefined
  if (!installed) return [NOT_INSTALLED]
  const flags = [INSTALLED]
  const version = given['ext_version'] ?? null
  const schema = given['schema'] ?? null
  if (version !== null && compareLoose(str(installed.get('extversion')!), str(version)) === -1) {
    flags.push(TO_UPGRADE)
  }
  const movable = installed.get('extrelocatable') === 't'
  if (schema !== null && movable && installed.get('schema_name') !== str(schema)) flags.push(TO_MOVE)
  return flags
}

function creation(given: Given): string {
  const name = text(given, 'name')
  const options: [string, Value][] = []
  if (has(given, 'schema')) options.push(['SCHEMA', `"${text(given, 'schema')}"`])
  if (has(given, 'ext_version')) options.push(['VERSION', versionLiteral(given['ext_version']!)])
  if (has(given, 'from_version')) options.push(['FROM', versionLiteral(given['from_version']!)])
  const clauses = options.length > 0 ? ` WITH ${options.map((option) => option.join(' ')).join(' ')}` : ''
  const guard = given['if_not_exists'] === null || has(given, 'if_not_exists') ? 'IF NOT EXISTS ' : ''
  return `CREATE EXTENSION ${guard}"${name}"${clauses};`
}

/** A version may be written with its quotes or without. */
function versionLiteral(version: Value): string {
  const text = str(version)
  return /^(['"]).*\1$/.test(text) ? text : `"${text}"`
}

function alteration(given: Given, flags: readonly string[]): string {
  const alter = `ALTER EXTENSION "${text(given, 'name')}"`
  const parts: string[] = []
  if (has(given, 'schema') && flags.includes(TO_MOVE)) parts.push(`${alter} SET SCHEMA "${text(given, 'schema')}";`)
  if (has(given, 'ext_version') && flags.includes(TO_UPGRADE)) {
    parts.push(`${alter} UPDATE TO ${versionLiteral(given['ext_version']!)};`)
  }
  return parts.join(' ')
}

export async function createExtension(ctx: FunctionContext, given: Given): Promise<boolean> {
  const flags = await extensionStatus(ctx, given)
  if (await isAvailable(ctx, given)) {
    const statement = flags.includes(NOT_INSTALLED) ? creation(given) : alteration(given, flags)
    if (statement !== '') await execute(ctx, given, statement)
  }
  const done = (await extensionStatus(ctx, given)).every((flag) => flag === INSTALLED)
  if (!done) ctx.log('info', `Failed to create ext: ${text(given, 'name')}`)
  return done
}

export async function dropExtension(ctx: FunctionContext, given: Given): Promise<boolean> {
  const name = text(given, 'name')
  const words = ['DROP EXTENSION']
  if (has(given, 'if_exists')) words.push('IF EXISTS')
  words.push(`"${name}"`)
  if (given['cascade'] === null || has(given, 'cascade')) words.push('CASCADE')
  else if (has(given, 'restrict')) words.push('RESTRICT')
  if (await isInstalled(ctx, given)) await execute(ctx, given, `${words.join(' ')};`)
  const gone = !(await isInstalled(ctx, given))
  if (!gone) ctx.log('info', `Failed to drop ext: ${name}`)
  return gone
}
