// Databases and tables of MySQL and MariaDB.
import { type Dict, dictFrom, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { attempt, type Connection, dictOf, identifier, literal, type Row, rows } from './client.ts'

interface Wanted {
  name: string
  character_set: string | null
  collate: string | null
}

/** Return the first column of rows. */
const firsts = (found: readonly Row[]): string[] => found.map((row) => [...row.values()][0] ?? '')

export async function databaseList(ctx: FunctionContext, connection: Connection): Promise<string[]> {
  return firsts((await rows(ctx, connection, 'SHOW DATABASES')) ?? [])
}

export async function databaseExists(ctx: FunctionContext, name: string, connection: Connection): Promise<boolean> {
  const pattern = name.replace(/[\\_%]/g, '\\$&')
  return (await rows(ctx, connection, `SHOW DATABASES LIKE ${literal(pattern)}`))?.length === 1
}

/** Return character set and collation; an empty list after a failure. */
export async function databaseGet(ctx: FunctionContext, name: string, connection: Connection): Promise<Dict | Value[]> {
  const found = await rows(
    ctx,
    connection,
    `SELECT DEFAULT_CHARACTER_SET_NAME AS c, DEFAULT_COLLATION_NAME AS o FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME=${literal(name)}`,
  )
  if (!found) return []
  const row = found[0]
  if (!row) return new Map()
  return dictFrom({ character_set: row.get('c') ?? null, collate: row.get('o') ?? null })
}

/** Change character set and collation. Without a collation, the server takes the default one of the character set. */
export async function alterDatabase(ctx: FunctionContext, wanted: Wanted, connection: Connection): Promise<boolean> {
  const { name, character_set, collate } = wanted
  const settings = [
    ...(character_set ? [`CHARACTER SET ${literal(character_set)}`] : []),
    ...(collate ? [`COLLATE ${literal(collate)}`] : []),
  ]
  const statement = `ALTER DATABASE ${identifier(name)} ${settings.join(' ')}`
  const answer = await attempt(ctx, connection, statement)
  return answer !== undefined && answer.affected > 0
}

export async function createDatabase(ctx: FunctionContext, wanted: Wanted, connection: Connection): Promise<boolean> {
  const { name, character_set, collate } = wanted
  if (await databaseExists(ctx, name, connection)) {
    ctx.log('info', `DB '${name}' already exists`)
    return false
  }
  const charset = character_set === null ? '' : ` CHARACTER SET ${literal(character_set)}`
  const collation = collate === null ? '' : ` COLLATE ${literal(collate)}`
  const statement = `CREATE DATABASE IF NOT EXISTS ${identifier(name)}${charset}${collation}`
  const answer = await attempt(ctx, connection, statement)
  return answer !== undefined && answer.affected > 0
}

export async function removeDatabase(ctx: FunctionContext, name: string, connection: Connection): Promise<boolean> {
  if (!(await databaseExists(ctx, name, connection))) {
    ctx.log('info', `DB '${name}' does not exist`)
    return false
  }
  if (['mysql', 'information_scheme'].includes(name)) {
    ctx.log('info', `DB '${name}' may not be removed`)
    return false
  }
  if (!(await attempt(ctx, connection, `DROP DATABASE ${identifier(name)}`))) return false
  return !(await databaseExists(ctx, name, connection))
}

export async function tableList(ctx: FunctionContext, name: string, connection: Connection): Promise<string[] | false> {
  if (!(await databaseExists(ctx, name, connection))) {
    ctx.log('info', `Database '${name}' does not exist`)
    return false
  }
  return firsts((await rows(ctx, connection, `SHOW TABLES IN ${identifier(name)}`)) ?? [])
}

/** Check, repair or optimise one table, or all tables of a database. */
export async function maintain(
  ctx: FunctionContext,
  verb: string,
  { name, table }: { name: string; table: string | null },
  connection: Connection,
): Promise<Value> {
  const maintainTable = async (table: string): Promise<Value> => {
    const place = `${identifier(name)}.${identifier(table)}`
    const found = await rows(ctx, connection, `${verb} TABLE ${place}`)
    return found === undefined ? new Map() : found.map((row) => dictOf(row))
  }
  if (table !== null) return maintainTable(table)
  const results: Value[] = []
  for (const each of (await tableList(ctx, name, connection)) || []) results.push(await maintainTable(each))
  return results
}
