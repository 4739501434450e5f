// Data directories of PostgreSQL servers.
import { truthy } from '../../../data/mod.ts'
import { arg, defineState, settled, state } from '../../../sdk/mod.ts'
import { created, whenPsql } from './state/connection.ts'

export default defineState({
  name: 'postgres_initdb',
  doc: 'Manage data directories of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a directory holds the data of a server.',
      args: {
        name: arg.text('Data directory'),
        user: arg.text('Name of the superuser', { optional: true }),
        password: arg.text('Password of the superuser', { optional: true, secret: true }),
        auth: arg.text('Authentication method of local connections', { default: 'password' }),
        encoding: arg.text('Encoding of characters', { default: 'UTF8' }),
        locale: arg.text('Locale', { optional: true }),
        runas: arg.text('System user that owns the directory', { optional: true }),
        waldir: arg.text('Directory of the write-ahead log', { optional: true }),
        checksums: arg.flag('Whether pages have checksums', { default: false }),
      },
      run: (ctx, { name, ...options }) => {
        const subject = `Postgres data directory ${name}`
        return created(ctx, {
          name,
          look: async () =>
            truthy(await ctx.call('postgres.datadir_exists', [name]))
              ? settled(`${subject} is already present`)
              : 'missing',
          create: () => ctx.call('postgres.datadir_init', [name], options),
          forecast: `${subject} is set to be initialized`,
          success: `${subject} has been initialized`,
          failure: `${subject} initialization failed`,
        })
      },
    }),
  },
})
