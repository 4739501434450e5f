// Procedural languages of a PostgreSQL database.
import { truthy } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, settled, state } from '../../../sdk/mod.ts'
import { connection, connectionArgs, created, whenPsql } from './state/connection.ts'

const { maintenance_db: _, ...further } = connectionArgs
const args = {
  name: arg.text('Name of the language'),
  maintenance_db: arg.text('Name of the database'),
  ...further,
}

export default defineState({
  name: 'postgres_language',
  doc: 'Manage procedural languages of PostgreSQL databases.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a database has a language.',
      args,
      run: (ctx, { name, ...at }) =>
        created(ctx, {
          name,
          look: async () => {
            const languages = await ctx.call('postgres.language_list', [], connection(at))
            return languages.has(name) ? settled(`Language ${name} is already installed`) : 'missing'
          },
          create: () => ctx.call('postgres.language_create', [name], connection(at)),
          forecast: `Language ${name} is set to be installed`,
          success: `Language ${name} has been installed`,
          failure: `Failed to install language ${name}`,
        }),
    }),
    absent: state({
      doc: 'Ensure that a database does not have a language.',
      args,
      run: (ctx, { name, ...at }) =>
        ensure(ctx, {
          name,
          look: async () =>
            truthy(await ctx.call('postgres.language_exists', [name], connection(at)))
              ? 'there'
              : settled(`Language ${name} is not present so it cannot be removed`),
          foresee: () => `Language ${name} is set to be removed`,
          act: async () => {
            const done = truthy(await ctx.call('postgres.language_remove', [name], connection(at)))
            if (!done) return failed(`Failed to remove language ${name}`)
            return changed(`Language ${name} has been removed`, { [name]: 'Absent' })
          },
        }),
    }),
  },
})
