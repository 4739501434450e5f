// Databases of MongoDB, which come into being by being used.
import { str, truthy } from '../../../data/mod.ts'
import { arg, defineState, state } from '../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })

export default defineState({
  name: 'mongodb_database',
  doc: 'Remove databases of MongoDB.',
  when: async ({ host }) =>
    (await host.which('mongosh')) !== undefined ||
    (await host.which('mongo')) !== undefined ||
    'mongodb module could not be loaded',
  functions: {
    absent: state({
      doc: 'A database is not there.',
      args: {
        name: arg.any('The name of the database'),
        user: optional('Who logs in'),
        password: arg.any('The password', { optional: true, secret: true }),
        host: optional('The host'),
        port: optional('The port'),
        authdb: optional('The database that knows the user who logs in'),
      },
      run: async (ctx, { name, user, password, host, port, authdb }) => {
        const report = (result: boolean | null, comment: string, changes = {}) => ({ name, changes, result, comment })
        const words = [name, user, password, host, port]
        if (truthy(await ctx.call('mongodb.db_exists', words, { authdb }))) {
          if (ctx.test) return report(null, `Database ${str(name)} is present and needs to be removed`)
          if (truthy(await ctx.call('mongodb.db_remove', words, { authdb }))) {
            return report(true, `Database ${str(name)} has been removed`, { [str(name)]: 'Absent' })
          }
        }
        return report(true, `Database ${str(name)} is not present`)
      },
    }),
  },
})
