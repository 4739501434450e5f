// Schemas of a PostgreSQL database.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { connectionArgs, dropped, type Given, optional, report, whenPsql } from './state/connection.ts'

const CONNECTION = 'user db_user db_password db_host db_port'

const connection = (given: Given): Record<string, Value> =>
  Object.fromEntries(CONNECTION.split(' ').map((name) => [name, given[name] ?? null]))

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const [dbname, name] = [str(given['dbname']!), str(given['name']!)]
  const where = (comment: string, result: boolean | null = true, changes = {}): StateReturn => ({
    dbname,
    ...report(name, comment, result, changes),
  })
  const db = connection(given)
  if ((await ctx.call('postgres.schema_get', [dbname, name], db)) !== null) {
    return where(`Schema ${name} already exists in database ${dbname}`)
  }
  if (ctx.test) return where(`Schema ${name} is set to be created in database ${dbname}.`, null)
  const done = await ctx.call('postgres.schema_create', [dbname, name], { owner: given['owner'] ?? null, ...db })
  if (!truthy(done)) return where(`Failed to create schema ${name} in database ${dbname}`, false)
  return where(`Schema ${name} has been created in database ${dbname}`, true, { [name]: 'Present' })
}

async function absent(ctx: StateContext, given: Given): Promise<StateReturn> {
  const [dbname, name] = [str(given['dbname']!), str(given['name']!)]
  const db = connection(given)
  const outcome = await dropped(ctx, {
    subject: `Schema ${name}`,
    name,
    exists: () => ctx.call('postgres.schema_exists', [dbname, name], db),
    remove: () => ctx.call('postgres.schema_remove', [dbname, name], db),
    failure: `Schema ${name} failed to be removed`,
  })
  const comment = str(outcome.comment)
    .replace(/ (set to be|has been) removed$/, ` $1 removed from database ${dbname}`)
    .replace(' is not present,', ` is not present in database ${dbname},`)
  return { dbname, ...outcome, comment }
}

const place = { dbname: arg.any('The database'), name: arg.any('The name of the schema') }

export default defineState({
  name: 'postgres_schema',
  doc: 'Keep schemas of PostgreSQL databases.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'A schema is there.',
      args: { ...place, owner: optional('The role that owns it'), ...connectionArgs(CONNECTION) },
      run: (ctx, given) => present(ctx, given as Given),
    }),
    absent: state({
      doc: 'A schema is not there.',
      args: { ...place, ...connectionArgs(CONNECTION) },
      run: (ctx, given) => absent(ctx, given as Given),
    }),
  },
})
