// Databases of MySQL and MariaDB.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { because, type Connection, connectionArgs, takeError, whenMysql } from './state/connection.ts'

const name = arg.text('Name of the database')
const charset = {
  character_set: arg.text('Character set', { optional: true }),
  collate: arg.text('Collation', { optional: true }),
}

interface Wanted {
  name: string
  character_set: string | null
  collate: string | null
}

/** The database does not exist; or exists with other settings, which the comment lists. */
type Gap = 'missing' | { before: Dict; comment: string; forecast: string }

function gapOf({ name, character_set, collate }: Wanted, before: Dict): Gap | undefined {
  const current = (fact: string): string => str(before.get(fact) ?? null)
  const otherSet = character_set && character_set !== current('character_set')
  const otherOrder = collate && collate !== current('collate')
  if (!otherSet && !otherOrder) return undefined
  let comment = `Database ${name} is already present`
  if (otherSet) comment = `Database character set ${character_set} != ${current('character_set')} needs to be updated`
  if (otherOrder) comment += `\nDatabase collate ${collate} != ${current('collate')} needs to be updated`
  return { before, comment, forecast: otherOrder ? comment : `${comment}\nDatabase ${name} is going to be updated` }
}

function present(ctx: StateContext, wanted: Wanted, connection: Connection): Promise<StateReturn> {
  const { name, character_set, collate } = wanted
  const get = async (): Promise<Value> => ctx.call('mysql.db_get', [name], connection)
  return ensure<Gap>(ctx, {
    name,
    look: async () => {
      const existing = await get()
      if (isDict(existing) && existing.size > 0) {
        return gapOf(wanted, existing) ?? settled(`Database ${name} is already present`)
      }
      const error = takeError(ctx)
      return error === undefined ? 'missing' : failed(error)
    },
    foresee: (gap) =>
      gap === 'missing' ? `Database ${name} is not present and needs to be created` : foreseen(gap.forecast),
    act: async (gap) => {
      const options = { character_set, collate, ...connection }
      if (gap !== 'missing') {
        await ctx.call('mysql.alter_db', [name], options)
        return changed(gap.comment, differences(gap.before, await get()))
      }
      if (!truthy(await ctx.call('mysql.db_create', [name], options))) {
        return failed(because(ctx, `Failed to create database ${name}`))
      }
      return changed(`The database ${name} has been created`, { [name]: 'Present' })
    },
  })
}

/** Return the settings that the server changed. */
function differences(before: Dict, after: Value): Record<string, Record<string, Value>> {
  const now: Dict = isDict(after) ? after : new Map()
  const facts = ['collate', 'character_set'].filter((fact) => before.get(fact) !== now.get(fact))
  return Object.fromEntries(
    facts.map((fact) => [fact, { before: before.get(fact) ?? null, now: now.get(fact) ?? null }]),
  )
}

function absent(ctx: StateContext, name: string, connection: Connection): Promise<StateReturn> {
  const missing = settled(`Database ${name} is not present, so it cannot be removed`)
  return ensure(ctx, {
    name,
    look: async () => {
      if (truthy(await ctx.call('mysql.db_exists', [name], connection))) return 'there'
      const error = takeError(ctx)
      return error === undefined ? missing : failed(error)
    },
    foresee: () => `Database ${name} is present and needs to be removed`,
    act: async () => {
      if (truthy(await ctx.call('mysql.db_remove', [name], connection))) {
        return changed(`Database ${name} has been removed`, { [name]: 'Absent' })
      }
      const error = takeError(ctx)
      return error === undefined ? missing : failed(`Unable to remove database ${name} (${error})`)
    },
  })
}

export default defineState({
  name: 'mysql_database',
  doc: 'Manage databases of MySQL and MariaDB.',
  when: whenMysql,
  functions: {
    present: state({
      doc: 'Ensure that a database exists.',
      args: { name, ...charset, connection_args: connectionArgs },
      run: (ctx, { connection_args, ...wanted }) => present(ctx, wanted, Object.fromEntries(connection_args)),
    }),
    absent: state({
      doc: 'Ensure that a database does not exist.',
      args: { name, connection_args: connectionArgs },
      run: (ctx, { name, connection_args }) => absent(ctx, name, Object.fromEntries(connection_args)),
    }),
  },
})
