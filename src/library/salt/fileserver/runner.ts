// Lists and updates the file server of the master.
import type { Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const saltenv = arg.text('Environment', { default: 'base' })
const backend = arg.textOrList('Backends: text with commas, or a list; `-name` excludes one. Default: all', {
  optional: true,
})
const remote = arg.text('Ignored', { optional: true })

type Part = 'files' | 'dirs' | 'emptyDirs'

const listing = (doc: string, part: Part, example: string) =>
  masterFn({
    doc,
    args: { saltenv, backend },
    examples: [example],
    run: async (ctx, { saltenv, backend }) => (await ctx.fileServer.list(saltenv, backend))[part],
  })

/** Declare a function that has nothing to do: the backends have no cache and no locks. */
const nothingTo = (doc: string, answer: string, args: { backend: typeof backend; remote?: typeof remote }) =>
  masterFn({ doc, args, run: () => answer })

function known(ctx: MasterContext, backend: Value): string[] {
  return ctx.fileServer.backends(backend).map(({ name }) => name)
}

export default defineRunner({
  name: 'fileserver',
  doc: 'List and update the file server of the master.',
  functions: {
    envs: masterFn({
      doc: 'Return the environments.',
      args: { backend, sources: arg.flag('Return the names of the backends', { default: false }) },
      examples: ['salt-run fileserver.envs'],
      run: (ctx, { backend, sources }) => (sources ? known(ctx, backend).sort() : ctx.fileServer.envs(backend)),
    }),
    file_list: listing('Return the files of an environment.', 'files', 'salt-run fileserver.file_list saltenv=prod'),
    dir_list: listing('Return the directories of an environment.', 'dirs', 'salt-run fileserver.dir_list saltenv=prod'),
    empty_dir_list: listing(
      'Return the empty directories of an environment.',
      'emptyDirs',
      'salt-run fileserver.empty_dir_list',
    ),
    symlink_list: masterFn({
      doc: 'Return the symbolic links of an environment with their targets.',
      args: { saltenv, backend },
      examples: ['salt-run fileserver.symlink_list'],
      run: async (ctx, { saltenv, backend }) =>
        new Map<Value, Value>((await ctx.fileServer.list(saltenv, backend)).links),
    }),
    update: masterFn({
      doc: 'Update the backends of the file server. With the option `fileserver_events`, fire an event.',
      args: { backend, kwargs: arg.open('Ignored') },
      examples: ['salt-run fileserver.update'],
      run: async (ctx, { backend }) => {
        await ctx.fileServer.update((tag, data) => ctx.announce(tag, data), backend)
        return true
      },
    }),
    clear_file_list_cache: masterFn({
      doc: 'Return an empty dict: file lists are not cached.',
      args: { saltenv: arg.text('Ignored', { optional: true }), backend },
      examples: ['salt-run fileserver.clear_file_list_cache'],
      run: () => new Map(),
    }),
    clear_cache: nothingTo('Return that there is no cache to clear.', 'No cache was cleared', { backend }),
    clear_lock: nothingTo('Return that there are no locks to remove.', 'No locks were removed', { backend, remote }),
    lock: nothingTo('Return that there are no remotes to lock.', 'No locks were set', { backend, remote }),
  },
})
