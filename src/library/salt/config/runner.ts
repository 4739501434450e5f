// The master's options, by a path of keys.
import { textOf, traverse } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'config',
  doc: "Reads the master's options.",
  functions: {
    get: masterFn({
      doc: 'An option of the master, by its name or by a path of keys, or the default when it has none.',
      args: {
        key: arg.text('The name, or a path'),
        default: arg.any('What is given when there is none', { default: '' }),
        delimiter: arg.text('Between the keys of a path', { default: ':' }),
      },
      examples: ['salt-run config.get gitfs_remotes', 'salt-run config.get file_roots:base'],
      run: async (ctx, { key, default: fallback, delimiter }) => {
        const found = traverse(ctx.opts, key, { delimiter: delimiter, default: fallback })
        return textOf(found)?.startsWith('sdb://') ? ctx.call('sdb.get', [found]) : found
      },
    }),
  },
})
