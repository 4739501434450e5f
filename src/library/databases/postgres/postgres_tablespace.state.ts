// Tablespaces of PostgreSQL: places for the files of databases. The place of one cannot be changed.
import { type Dict, keyError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { connection, connectionArgs, dropped, type Given, optional, report, whenPsql } from './state/connection.ts'

// the line break within is part of the sentences
const gap = (width: number): string => `\n${' '.repeat(width)}`

interface Found {
  name: string
  space: Dict
  db: Record<string, Value>
}

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  const { directory = null, options = null, owner = null } = given
  const db = connection(given)
  const space = (await ctx.call('postgres.tablespace_list', [], db)).get(name) as Dict | undefined
  if (space) return keep(ctx, given, { name, space, db })
  if (ctx.test) return report(name, `Tablespace ${name} is set to be created`, null)
  if (truthy(await ctx.call('postgres.tablespace_create', [name, directory, options, owner], db))) {
    return report(name, `The tablespace ${name} has been created`, true, { [name]: 'Present' })
  }
  throw keyError(name)
}

async function keep(ctx: StateContext, given: Given, { name, space, db }: Found): Promise<StateReturn> {
  if (space.get('Location') !== str(given['directory']!) && !ctx.test) {
    const unfixable = `unfixable without dropping and recreating the tablespace.`
    return report(name, `Tablespace ${name} is not at the right location. This is${gap(12)}${unfixable}`, false)
  }
  let comment = `Tablespace ${name} is already present`
  let result: boolean | null = true
  const changes: Record<string, Value> = {}
  const owner = given['owner'] ?? null
  if (truthy(owner) && space.get('Owner') !== owner) {
    if (ctx.test) [comment, result] = [`Tablespace ${name} owner to be altered`, null]
    else if (truthy(await ctx.call('postgres.tablespace_alter', [name], { new_owner: owner, ...db }))) {
      comment = `Tablespace ${name} owner changed`
      changes['owner'] = owner
    }
  }
  for (const [key, value] of (given['options'] ?? new Map()) as Dict) {
    if (str(space.get('Opts') ?? '').includes(`${str(key)}=${str(value)}`)) continue
    if (ctx.test) return report(name, `Tablespace ${name} options to be${gap(24)}altered`, null)
    const option: Dict = new Map([[key, value]])
    if (!truthy(await ctx.call('postgres.tablespace_alter', [name], { set_option: option, ...db }))) continue
    comment = `Tablespace ${name} opts changed`
    changes['options'] = new Map([...((changes['options'] as Dict | undefined) ?? []), ...option])
  }
  return report(name, comment, result, Object.keys(changes).length > 0 ? { [name]: changes } : {})
}

const name = arg.any('The name of the tablespace')

export default defineState({
  name: 'postgres_tablespace',
  doc: 'Keep tablespaces of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'A tablespace is there.',
      args: {
        name,
        directory: arg.any('Where its files are'),
        options: optional('Its options'),
        owner: optional('The role that owns it'),
        ...connectionArgs(),
      },
      run: (ctx, given) => present(ctx, given as Given),
    }),
    absent: state({
      doc: 'A tablespace is not there.',
      args: { name, ...connectionArgs('user maintenance_db db_user db_password db_host db_port') },
      run: (ctx, given) => {
        const name = str(given.name)
        return dropped(ctx, {
          subject: `Tablespace ${name}`,
          name,
          exists: () => ctx.call('postgres.tablespace_exists', [name], connection(given as Given)),
          remove: () => ctx.call('postgres.tablespace_remove', [name], connection(given as Given)),
        })
      },
    }),
  },
})
