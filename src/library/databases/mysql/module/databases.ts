// Databases and tables of MySQL and MariaDB.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import type { Given } from './arguments.ts'
import { attempt, type Connection, dictOf, identifier, literal, rows } from './client.ts'

const firsts = (found: readonly ReadonlyMap<string, string | null>[]): Value[] =>
  found.map((row) => [...row.values()][0] ?? null)

export async function databaseList(ctx: FunctionContext, connection: Connection): Promise<Value[]> {
  return firsts((await rows(ctx, connection, 'SHOW DATABASES')) ?? [])
}

export async function databaseExists(ctx: FunctionContext, name: Value, connection: Connection): Promise<boolean> {
  const pattern = str(name).replace(/[\\_%]/g, '\\$&')
  return (await rows(ctx, connection, `SHOW DATABASES LIKE ${literal(pattern)}`))?.length === 1
}

/** Character set and collation; an empty list after a failure. */
export async function databaseGet(ctx: FunctionContext, name: Value, connection: Connection): Promise<Dict | Value[]> {
  const found = await rows(
    ctx,
    connection,
    `SELECT DEFAULT_CHARACTER_SET_NAME AS c, DEFAULT_COLLATION_NAME AS o FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME=${literal(name)}`,
  )
  if (!found) return []
  const row = found[0]
  if (!row) return new Map()
  return new Map([
    ['character_set', row.get('c') ?? null],
    ['collate', row.get('o') ?? null],
  ])
}

/** Without a collation, a new character set brings its own. */
export async function alterDatabase(ctx: FunctionContext, given: Given, connection: Connection): Promise<boolean> {
  const { character_set = null, collate = null } = given
  const settings = [
    ...(truthy(character_set) ? [`CHARACTER SET ${literal(character_set)}`] : []),
    ...(truthy(collate) ? [`COLLATE ${literal(collate)}`] : []),
  ]
  const statement = `ALTER DATABASE ${identifier(str(given['name']!))} ${settings.join(' ')}`
  const answer = await attempt(ctx, connection, statement)
  return answer !== undefined && answer.affected > 0
}

export async function createDatabase(ctx: FunctionContext, given: Given, connection: Connection): Promise<boolean> {
  const name = str(given['name']!)
  if (await databaseExists(ctx, name, connection)) {
    ctx.log('info', `DB '${name}' already exists`)
    return false
  }
  const { character_set = null, collate = null } = given
  const charset = character_set === null ? '' : ` CHARACTER SET ${literal(character_set)}`
  const collation = collate === null ? '' : ` COLLATE ${literal(collate)}`
  const statement = `CREATE DATABASE IF NOT EXISTS ${identifier(name)}${charset}${collation}`
  const answer = await attempt(ctx, connection, statement)
  return answer !== undefined && answer.affected > 0
}

export async function removeDatabase(ctx: FunctionContext, name: Value, connection: Connection): Promise<boolean> {
  if (!(await databaseExists(ctx, name, connection))) {
    ctx.log('info', `DB '${str(name)}' does not exist`)
    return false
  }
  if (['mysql', 'information_scheme'].includes(str(name))) {
    ctx.log('info', `DB '${str(name)}' may not be removed`)
    return false
  }
  if (!(await attempt(ctx, connection, `DROP DATABASE ${identifier(str(name))}`))) return false
  return !(await databaseExists(ctx, name, connection))
}

export async function tableList(ctx: FunctionContext, name: Value, connection: Connection): Promise<Value[] | false> {
  if (!(await databaseExists(ctx, name, connection))) {
    ctx.log('info', `Database '${str(name)}' does not exist`)
    return false
  }
  return firsts((await rows(ctx, connection, `SHOW TABLES IN ${identifier(str(name))}`)) ?? [])
}

/** Checks, repairs or optimises one table, or all of a database. */
export async function tend(ctx: FunctionContext, verb: string, given: Given, connection: Connection): Promise<Value> {
  const name = str(given['name']!)
  const one = async (table: Value): Promise<Value> => {
    const place = `${identifier(name)}.${identifier(str(table))}`
    const found = await rows(ctx, connection, `${verb} TABLE ${place}`)
    return found === undefined ? new Map() : found.map((row) => dictOf(row))
  }
  const table = given['table'] ?? null
  if (table !== null) return one(table)
  const results: Value[] = []
  for (const each of (await tableList(ctx, name, connection)) || []) results.push(await one(each))
  return results
}
