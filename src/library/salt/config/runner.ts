// Reads the options of the master.
import { textOf, traverse } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn, withoutTemplateSecrets } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'config',
  doc: 'Read the options of the master.',
  functions: {
    get: masterFn({
      doc: 'Return an option of the master, or the default.',
      args: {
        key: arg.text('Name of the option, or a path into its value'),
        default: arg.any('Value of any type to return if there is none', { default: '' }),
        delimiter: arg.text('Delimiter of the path', { default: ':' }),
      },
      examples: ['salt-run config.get gitfs_remotes', 'salt-run config.get file_roots:base'],
      run: async (ctx, { key, default: fallback, delimiter }) => {
        const found = traverse(ctx.opts, key, { delimiter, default: fallback })
        if (textOf(found)?.startsWith('sdb://')) return ctx.call('sdb.get', [found])
        return ctx.masked ? withoutTemplateSecrets(found) : found
      },
    }),
  },
})
