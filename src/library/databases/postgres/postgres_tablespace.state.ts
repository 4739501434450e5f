// Tablespaces of PostgreSQL: directories for the files of databases. The directory cannot be changed.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { connection, connectionArgs, connectionArgsByRole, dropped, whenPsql } from './state/connection.ts'

// the comments of Salt contain this line break
const gap = (width: number): string => `\n${' '.repeat(width)}`

const name = arg.text('Name of the tablespace')
const tablespace = {
  name,
  directory: arg.text('Directory of the tablespace'),
  options: arg.dict('Options of the tablespace by name', { optional: true }),
  owner: arg.text('Role that owns the tablespace', { optional: true }),
  ...connectionArgs,
}

type Tablespace = Bound<typeof tablespace>

async function present(ctx: StateContext, given: Tablespace): Promise<StateReturn> {
  const { name, directory, options, owner } = given
  const report = reportOn(name)
  const space = (await ctx.call('postgres.tablespace_list', [], connection(given))).get(name) ?? null
  if (isDict(space)) return alter(ctx, given, space)
  if (ctx.test) return report(null, `Tablespace ${name} is set to be created`)
  const words = [name, directory, options, owner]
  if (truthy(await ctx.call('postgres.tablespace_create', words, connection(given)))) {
    return report(true, `The tablespace ${name} has been created`, { [name]: 'Present' })
  }
  return report(false, `Failed to create tablespace ${name}`)
}

async function alter(ctx: StateContext, given: Tablespace, space: Dict): Promise<StateReturn> {
  const { name, owner } = given
  const report = reportOn(name)
  const db = connection(given)
  if (space.get('Location') !== given.directory && !ctx.test) {
    const unfixable = `unfixable without dropping and recreating the tablespace.`
    return report(false, `Tablespace ${name} is not at the right location. This is${gap(12)}${unfixable}`)
  }
  let comment = `Tablespace ${name} is already present`
  let result: boolean | null = true
  const changes: Record<string, Value> = {}
  if (owner && space.get('Owner') !== owner) {
    if (ctx.test) [comment, result] = [`Tablespace ${name} owner to be altered`, null]
    else if (truthy(await ctx.call('postgres.tablespace_alter', [name], { new_owner: owner, ...db }))) {
      comment = `Tablespace ${name} owner changed`
      changes['owner'] = owner
    }
  }
  const altered: Dict = new Map()
  for (const [key, value] of given.options ?? []) {
    if (str(space.get('Opts') ?? '').includes(`${str(key)}=${str(value)}`)) continue
    if (ctx.test) return report(null, `Tablespace ${name} options to be${gap(24)}altered`)
    const set_option: Dict = new Map([[key, value]])
    if (!truthy(await ctx.call('postgres.tablespace_alter', [name], { set_option, ...db }))) continue
    comment = `Tablespace ${name} opts changed`
    changes['options'] = altered.set(key, value)
  }
  return report(result, comment, Object.keys(changes).length > 0 ? { [name]: changes } : {})
}

export default defineState({
  name: 'postgres_tablespace',
  doc: 'Manage tablespaces of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a tablespace exists.',
      args: tablespace,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a tablespace does not exist.',
      args: { name, ...connectionArgsByRole },
      run: (ctx, { name, ...at }) =>
        dropped(ctx, {
          subject: `Tablespace ${name}`,
          name,
          exists: () => ctx.call('postgres.tablespace_exists', [name], connection(at)),
          remove: () => ctx.call('postgres.tablespace_remove', [name], connection(at)),
        }),
    }),
  },
})
