// Databases of PostgreSQL. Encoding and locale are fixed at the creation; owner and tablespace can change.
import { type Dict, isDict, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { connection, connectionArgs, dropped, whenPsql } from './state/connection.ts'

const name = arg.text('Name of the database')
const databaseArgs = {
  name,
  tablespace: arg.text('Tablespace of the database', { optional: true }),
  encoding: arg.text('Encoding of characters', { optional: true }),
  lc_collate: arg.text('Collation order', { optional: true }),
  lc_ctype: arg.text('Character classification', { optional: true }),
  owner: arg.text('Role that owns the database', { optional: true }),
  owner_recurse: arg.flag('Whether all objects in the database get a new owner too', { default: false }),
  template: arg.text('Database that is copied', { optional: true }),
  ...connectionArgs,
}

type Database = Bound<typeof databaseArgs>

const differs = (current: Dict, fact: string, wanted: string | null): boolean =>
  Boolean(wanted) && wanted !== str(current.get(fact) ?? null)

function hasWrongParameters(current: Dict, { encoding, lc_collate, lc_ctype }: Database): boolean {
  const held = str(current.get('Encoding') ?? null)
  if (encoding && encoding.toLowerCase() !== held.toLowerCase()) return true
  return differs(current, 'Collate', lc_collate) || differs(current, 'Ctype', lc_ctype)
}

function present(ctx: StateContext, given: Database): Promise<StateReturn> {
  const { name, tablespace, owner, owner_recurse, encoding, lc_collate, lc_ctype, template } = given
  const db = connection(given)
  return ensure<'missing' | 'other'>(ctx, {
    name,
    look: async () => {
      const current = (await ctx.call('postgres.db_list', [], db)).get(name) ?? null
      if (!isDict(current)) return 'missing'
      if (hasWrongParameters(current, given)) {
        return failed(`Database ${name} has wrong parameters which couldn't be changed on fly.`)
      }
      if (differs(current, 'Tablespace', tablespace) || differs(current, 'Owner', owner)) return 'other'
      return settled(`Database ${name} is already present`)
    },
    foresee: (gap) =>
      gap === 'missing'
        ? `Database ${name} is set to be created`
        : `Database ${name} exists, but parameters need to be changed`,
    act: async (gap) => {
      if (gap === 'missing') {
        const options = { tablespace, encoding, lc_collate, lc_ctype, owner, template }
        const done = truthy(await ctx.call('postgres.db_create', [name], { ...options, ...db }))
        if (!done) return failed(`Failed to create database ${name}`)
        return changed(`The database ${name} has been created`, { [name]: 'Present' })
      }
      const done = truthy(await ctx.call('postgres.db_alter', [name], { tablespace, owner, owner_recurse, ...db }))
      if (!done) return failed(`Failed to change parameters for database ${name}`)
      return changed(`Parameters for database ${name} have been changed`, { [name]: 'Parameters changed' })
    },
  })
}

export default defineState({
  name: 'postgres_database',
  doc: 'Manage databases of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a database exists.',
      args: databaseArgs,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a database does not exist.',
      args: { name, ...connectionArgs },
      run: (ctx, { name, ...at }) =>
        dropped(ctx, {
          subject: `Database ${name}`,
          name,
          exists: () => ctx.call('postgres.db_exists', [name], connection(at)),
          remove: () => ctx.call('postgres.db_remove', [name], connection(at)),
        }),
    }),
  },
})
