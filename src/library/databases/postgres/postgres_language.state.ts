// Procedural languages of a PostgreSQL database.
import { str, truthy } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { connection, connectionArgs, type Given, report, whenPsql } from './state/connection.ts'

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  const languages = await ctx.call('postgres.language_list', [], connection(given))
  if (languages.has(name)) return report(name, `Language ${name} is already installed`)
  if (ctx.test) return report(name, `Language ${name} is set to be installed`, null)
  const done = await ctx.call('postgres.language_create', [name], connection(given))
  if (!truthy(done)) return report(name, `Failed to install language ${name}`, false)
  return report(name, `Language ${name} has been installed`, true, { [name]: 'Present' })
}

async function absent(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  const db = connection(given)
  if (!truthy(await ctx.call('postgres.language_exists', [name], db))) {
    return report(name, `Language ${name} is not present so it cannot be removed`)
  }
  if (ctx.test) return report(name, `Language ${name} is set to be removed`, null)
  if (truthy(await ctx.call('postgres.language_remove', [name], db))) {
    return report(name, `Language ${name} has been removed`, true, { [name]: 'Absent' })
  }
  return report(name, `Failed to remove language ${name}`, false)
}

const args = {
  name: arg.any('The language'),
  maintenance_db: arg.any('The database'),
  ...connectionArgs('user db_password db_host db_port db_user'),
}

export default defineState({
  name: 'postgres_language',
  doc: 'Keep procedural languages of PostgreSQL databases.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'A language is installed in a database.',
      args,
      run: (ctx, given) => present(ctx, given as Given),
    }),
    absent: state({
      doc: 'A language is not installed in a database.',
      args,
      run: (ctx, given) => absent(ctx, given as Given),
    }),
  },
})
