// Databases of PostgreSQL. Encoding and locale are settled when one is made; owner and tablespace can change.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { connection, connectionArgs, dropped, type Given, optional, report, whenPsql } from './state/connection.ts'

const CHANGEABLE: readonly (readonly [string, string])[] = [
  ['tablespace', 'Tablespace'],
  ['owner', 'Owner'],
]
const FIXED: readonly (readonly [string, string])[] = [
  ['encoding', 'Encoding'],
  ['lc_collate', 'Collate'],
  ['lc_ctype', 'Ctype'],
]

function differs(current: Dict, given: Given, table: readonly (readonly [string, string])[]): boolean {
  return table.some(([parameter, fact]) => {
    const wish = given[parameter] ?? null
    if (!truthy(wish)) return false
    const [wanted, found] = [str(wish), str(current.get(fact) ?? null)]
    return parameter === 'encoding' ? wanted.toLowerCase() !== found.toLowerCase() : wanted !== found
  })
}

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  const db = connection(given)
  const current = (await ctx.call('postgres.db_list', [], db)).get(name) as Dict | undefined
  if (current && differs(current, given, FIXED)) {
    return report(name, `Database ${name} has wrong parameters which couldn't be changed on fly.`, false)
  }
  if (current && !differs(current, given, CHANGEABLE)) return report(name, `Database ${name} is already present`)
  return current ? alter(ctx, given, name) : create(ctx, given, name)
}

const wishes = (given: Given, names: string): Record<string, Value> =>
  Object.fromEntries(names.split(' ').map((wish) => [wish, given[wish] ?? null]))

async function create(ctx: StateContext, given: Given, name: string): Promise<StateReturn> {
  if (ctx.test) return report(name, `Database ${name} is set to be created`, null)
  const options = wishes(given, 'tablespace encoding lc_collate lc_ctype owner template')
  const done = await ctx.call('postgres.db_create', [name], { ...options, ...connection(given) })
  if (!truthy(done)) return report(name, `Failed to create database ${name}`, false)
  return report(name, `The database ${name} has been created`, true, { [name]: 'Present' })
}

async function alter(ctx: StateContext, given: Given, name: string): Promise<StateReturn> {
  if (ctx.test) return report(name, `Database ${name} exists, but parameters need to be changed`, null)
  const options = wishes(given, 'tablespace owner owner_recurse')
  const done = await ctx.call('postgres.db_alter', [name], { ...options, ...connection(given) })
  if (!truthy(done)) return report(name, `Failed to change parameters for database ${name}`, false)
  return report(name, `Parameters for database ${name} have been changed`, true, { [name]: 'Parameters changed' })
}

const name = arg.any('The name of the database')

export default defineState({
  name: 'postgres_database',
  doc: 'Keep databases of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'A database is there.',
      args: {
        name,
        tablespace: optional('Where its files are'),
        encoding: optional('The encoding of characters'),
        lc_collate: optional('The order of texts'),
        lc_ctype: optional('The classes of characters'),
        owner: optional('The role that owns it'),
        owner_recurse: arg.flag('Whether a new owner also gets all that is in it', { default: false }),
        template: optional('The database that is copied'),
        ...connectionArgs(),
      },
      run: (ctx, given) => present(ctx, given as Given),
    }),
    absent: state({
      doc: 'A database is not there.',
      args: { name, ...connectionArgs() },
      run: (ctx, given) => {
        const name = str(given.name)
        return dropped(ctx, {
          subject: `Database ${name}`,
          name,
          exists: () => ctx.call('postgres.db_exists', [name], connection(given as Given)),
          remove: () => ctx.call('postgres.db_remove', [name], connection(given as Given)),
        })
      },
    }),
  },
})
