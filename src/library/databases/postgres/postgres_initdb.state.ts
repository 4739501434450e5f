// Data directories of PostgreSQL servers.
import { truthy } from '../../../data/mod.ts'
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { optional, report, whenPsql } from './state/connection.ts'

export default defineState({
  name: 'postgres_initdb',
  doc: 'Keep data directories of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'A directory holds the data of a server.',
      args: {
        name: arg.text('The directory'),
        user: optional('The first role'),
        password: arg.any('The password of the first role', { optional: true, secret: true }),
        auth: arg.any('How roles prove who they are', { default: 'password' }),
        encoding: arg.any('The encoding of characters', { default: 'UTF8' }),
        locale: optional('The locale'),
        runas: optional('The system user that owns it'),
        waldir: optional('Where the write-ahead log is'),
        checksums: arg.flag('Whether pages have checksums', { default: false }),
      },
      run: async (ctx, { name, ...options }) => {
        const subject = `Postgres data directory ${name}`
        if (truthy(await ctx.call('postgres.datadir_exists', [name]))) {
          return report(name, `${subject} is already present`)
        }
        if (ctx.test) return report(name, `${subject} is set to be initialized`, null)
        if (truthy(await ctx.call('postgres.datadir_init', [name], options))) {
          return report(name, `${subject} has been initialized`, true, { [name]: 'Present' })
        }
        return report(name, `${subject} initialization failed`, false)
      },
    }),
  },
})
