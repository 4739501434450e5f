// Schemas of a PostgreSQL database.
import { str } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, settled, state } from '../../../sdk/mod.ts'
import { connectionArgsByRole, created, dropped, whenPsql } from './state/connection.ts'

const { maintenance_db: _, ...connection } = connectionArgsByRole
const place = { dbname: arg.text('Name of the database'), name: arg.text('Name of the schema') }
const schema = { ...place, ...connection }

async function present(ctx: StateContext, owner: string | null, given: Bound<typeof schema>): Promise<StateReturn> {
  const { dbname, name, ...db } = given
  const outcome = await created(ctx, {
    name,
    look: async () => {
      if ((await ctx.call('postgres.schema_get', [dbname, name], db)) === null) return 'missing'
      return settled(`Schema ${name} already exists in database ${dbname}`)
    },
    create: () => ctx.call('postgres.schema_create', [dbname, name], { owner, ...db }),
    forecast: `Schema ${name} is set to be created in database ${dbname}.`,
    success: `Schema ${name} has been created in database ${dbname}`,
    failure: `Failed to create schema ${name} in database ${dbname}`,
  })
  return { dbname, ...outcome }
}

async function absent(ctx: StateContext, { dbname, name, ...db }: Bound<typeof schema>): Promise<StateReturn> {
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

export default defineState({
  name: 'postgres_schema',
  doc: 'Manage schemas of PostgreSQL databases.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a schema exists.',
      args: { ...place, owner: arg.text('Role that owns the schema', { optional: true }), ...connection },
      run: (ctx, { owner, ...given }) => present(ctx, owner, given),
    }),
    absent: state({
      doc: 'Ensure that a schema does not exist.',
      args: schema,
      run: absent,
    }),
  },
})
