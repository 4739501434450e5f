// Extensions of a PostgreSQL database.
import { str, truthy } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { connection, connectionArgs, dropped, type Given, optional, report, whenPsql } from './state/connection.ts'

const CONNECTION = 'user maintenance_db db_user db_password db_host db_port'

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  const { schema = null, ext_version = null, if_not_exists = null, from_version = null } = given
  const db = connection(given)
  const flags = await ctx.call('postgres.create_metadata', [name], { schema, ext_version, ...db })
  const install = flags.includes('EXTENSION NOT INSTALLED')
  if (!install && flags.length === 1) return report(name, `Extension ${name} is already present`)
  const done = install ? 'installed' : 'upgraded'
  if (ctx.test) return report(name, `Extension ${name} is set to be ${done}`, null)
  const wishes = { name, if_not_exists, schema, ext_version, from_version }
  if (!truthy(await ctx.call('postgres.create_extension', [], { ...wishes, ...db }))) {
    return report(name, `Failed to ${install ? 'install' : 'upgrade'} extension ${name}`, false)
  }
  const change = install ? 'Installed' : 'Upgraded'
  return report(name, `The extension ${name} has been ${done}`, true, { [name]: change })
}

const name = arg.any('The name of the extension')

export default defineState({
  name: 'postgres_extension',
  doc: 'Keep extensions of PostgreSQL databases.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'An extension is installed in a database.',
      args: {
        name,
        if_not_exists: optional('Whether an extension that is there already is no failure'),
        schema: optional('The schema its objects are in'),
        ext_version: optional('The version'),
        from_version: optional('The version of the parts that were there before it was an extension'),
        ...connectionArgs(CONNECTION),
      },
      run: (ctx, given) => present(ctx, given as Given),
    }),
    absent: state({
      doc: 'An extension is not installed in a database.',
      args: {
        name,
        if_exists: optional('Whether a missing extension is no failure'),
        restrict: optional('Whether it stays when others need it'),
        cascade: optional('Whether all that needs it goes too'),
        ...connectionArgs(CONNECTION),
      },
      run: (ctx, given) => {
        const { if_exists, restrict, cascade } = given
        const name = str(given.name)
        const db = connection(given as Given)
        return dropped(ctx, {
          subject: `Extension ${name}`,
          name,
          exists: () => ctx.call('postgres.is_installed_extension', [name], db),
          remove: () => ctx.call('postgres.drop_extension', [name], { if_exists, restrict, cascade, ...db }),
          failure: `Extension ${name} failed to be removed`,
        })
      },
    }),
  },
})
