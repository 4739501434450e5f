// Databases of MongoDB. The server creates a database at the first use, so there is no state `present`.
import { truthy } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, settled, state } from '../../../sdk/mod.ts'
import { login, whenMongo } from './state/login.ts'

export default defineState({
  name: 'mongodb_database',
  doc: 'Remove databases of MongoDB.',
  when: whenMongo,
  functions: {
    absent: state({
      doc: 'Ensure that a database does not exist.',
      args: { name: arg.text('Name of the database'), ...login.user, ...login.server, authdb: login.authdb },
      run: (ctx, { name, user, password, host, port, authdb }) => {
        const words = [name, user, password, host, port]
        const missing = settled(`Database ${name} is not present`)
        return ensure(ctx, {
          name,
          look: async () => (truthy(await ctx.call('mongodb.db_exists', words, { authdb })) ? 'there' : missing),
          foresee: () => `Database ${name} is present and needs to be removed`,
          act: async () => {
            if (!truthy(await ctx.call('mongodb.db_remove', words, { authdb }))) return missing
            return changed(`Database ${name} has been removed`, { [name]: 'Absent' })
          },
        })
      },
    }),
  },
})
