// Databases of MySQL and MariaDB.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { because, connectionArgs, type Given, parted, report, takeError, whenMysql } from './state/connection.ts'

type Connection = Record<string, Value>

async function present(ctx: StateContext, given: Given, connection: Connection): Promise<StateReturn> {
  const name = str(given['name']!)
  const { character_set = null, collate = null } = given
  const existing = await ctx.call('mysql.db_get', [name], connection)
  if (truthy(existing) && isDict(existing)) return keep(ctx, given, existing, connection)
  const error = takeError(ctx)
  if (error !== undefined) return report(name, error, false)
  if (ctx.test) return report(name, `Database ${name} is not present and needs to be created`, null)
  if (truthy(await ctx.call('mysql.db_create', [name], { character_set, collate, ...connection }))) {
    return report(name, `The database ${name} has been created`, true, { [name]: 'Present' })
  }
  return report(name, because(ctx, `Failed to create database ${name}`), false)
}

/** Alters what differs, and tells what the server made of it. */
async function keep(ctx: StateContext, given: Given, before: Dict, connection: Connection): Promise<StateReturn> {
  const name = str(given['name']!)
  const { character_set = null, collate = null } = given
  const current = (fact: string): string => str(before.get(fact) ?? null)
  let comment = `Database ${name} is already present`
  const otherSet = truthy(character_set) && str(character_set) !== current('character_set')
  const otherOrder = truthy(collate) && str(collate) !== current('collate')
  if (otherSet) {
    comment = `Database character set ${str(character_set)} != ${current('character_set')} needs to be updated`
  }
  if (otherOrder) comment += `\nDatabase collate ${str(collate)} != ${current('collate')} needs to be updated`
  if (!otherSet && !otherOrder) return report(name, comment)
  if (ctx.test) {
    return report(name, otherOrder ? comment : `${comment}\nDatabase ${name} is going to be updated`, null)
  }
  await ctx.call('mysql.alter_db', [name], { character_set, collate, ...connection })
  const now = (await ctx.call('mysql.db_get', [name], connection)) as Dict
  const changed = ['collate', 'character_set'].filter((fact) => before.get(fact) !== now.get(fact))
  const changes = changed.map((fact) => [fact, { before: before.get(fact) ?? null, now: now.get(fact) ?? null }])
  return report(name, comment, true, Object.fromEntries(changes))
}

async function absent(ctx: StateContext, name: string, connection: Connection): Promise<StateReturn> {
  const exists = truthy(await ctx.call('mysql.db_exists', [name], connection))
  if (exists && ctx.test) return report(name, `Database ${name} is present and needs to be removed`, null)
  if (exists && truthy(await ctx.call('mysql.db_remove', [name], connection))) {
    return report(name, `Database ${name} has been removed`, true, { [name]: 'Absent' })
  }
  const error = takeError(ctx)
  if (error !== undefined) return report(name, exists ? `Unable to remove database ${name} (${error})` : error, false)
  return report(name, `Database ${name} is not present, so it cannot be removed`)
}

const name = arg.any('The name of the database')

export default defineState({
  name: 'mysql_database',
  doc: 'Keep databases of MySQL and MariaDB.',
  when: whenMysql,
  functions: {
    present: state({
      doc: 'A database is there.',
      args: {
        name,
        character_set: arg.any('Its character set', { optional: true }),
        collate: arg.any('Its collation', { optional: true }),
        connection_args: connectionArgs,
      },
      run: (ctx, args) => {
        const { given, connection } = parted(args)
        return present(ctx, given, connection)
      },
    }),
    absent: state({
      doc: 'A database is not there.',
      args: { name, connection_args: connectionArgs },
      run: (ctx, args) => absent(ctx, str(args.name), parted(args).connection),
    }),
  },
})
