// Extensions of a PostgreSQL database.
import { truthy } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, settled, state } from '../../../sdk/mod.ts'
import { connection, connectionArgsByRole, dropped, whenPsql } from './state/connection.ts'

const name = arg.text('Name of the extension')

export default defineState({
  name: 'postgres_extension',
  doc: 'Manage extensions of PostgreSQL databases.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a database has an extension.',
      args: {
        name,
        if_not_exists: arg.flag('Whether an installed extension is no error. Default: True', { optional: true }),
        schema: arg.text('Schema of the objects of the extension', { optional: true }),
        ext_version: arg.text('Version of the extension', { optional: true }),
        from_version: arg.text('Version of the objects that were installed without an extension', { optional: true }),
        ...connectionArgsByRole,
      },
      run: (ctx, { name, if_not_exists, schema, ext_version, from_version, ...at }) => {
        const db = connection(at)
        return ensure<'install' | 'upgrade'>(ctx, {
          name,
          look: async () => {
            const flags = await ctx.call('postgres.create_metadata', [name], { schema, ext_version, ...db })
            if (flags.includes('EXTENSION NOT INSTALLED')) return 'install'
            return flags.length === 1 ? settled(`Extension ${name} is already present`) : 'upgrade'
          },
          foresee: (verb) => `Extension ${name} is set to be ${verb === 'install' ? 'installed' : 'upgraded'}`,
          act: async (verb) => {
            const options = { name, if_not_exists, schema, ext_version, from_version, ...db }
            if (!truthy(await ctx.call('postgres.create_extension', [], options))) {
              return failed(`Failed to ${verb} extension ${name}`)
            }
            return verb === 'install'
              ? changed(`The extension ${name} has been installed`, { [name]: 'Installed' })
              : changed(`The extension ${name} has been upgraded`, { [name]: 'Upgraded' })
          },
        })
      },
    }),
    absent: state({
      doc: 'Ensure that a database does not have an extension.',
      args: {
        name,
        if_exists: arg.flag('Whether a missing extension is no error', { optional: true }),
        restrict: arg.flag('Whether the extension stays if other objects need it', { optional: true }),
        cascade: arg.flag('Whether objects that need the extension are dropped too. Default: True', { optional: true }),
        ...connectionArgsByRole,
      },
      run: (ctx, { name, if_exists, restrict, cascade, ...at }) => {
        const db = connection(at)
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
