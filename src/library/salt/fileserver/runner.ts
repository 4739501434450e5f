// The master's file server: what it serves, and what it keeps to serve it faster.
import type { Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const saltenv = arg.text('The environment', { default: 'base' })
const backend = arg.any('Only these backends; with a minus all but these', { optional: true })
const remote = arg.any('Only of remotes like this', { optional: true })

type Part = 'files' | 'dirs' | 'emptyDirs'

const listing = (doc: string, part: Part, example: string) =>
  masterFn({
    doc,
    args: { saltenv, backend },
    examples: [example],
    run: async (ctx, { saltenv, backend }) => (await ctx.fileServer.list(saltenv, backend))[part],
  })

/** Backends that keep something of their own, with what it is; the others have nothing to clear or to lock. */
const nothingTo = (doc: string, answer: string, args: { backend: typeof backend; remote?: typeof remote }) =>
  masterFn({ doc, args, run: () => answer })

function known(ctx: MasterContext, backend: Value): string[] {
  return ctx.fileServer.backends(backend).map(({ name }) => name)
}

export default defineRunner({
  name: 'fileserver',
  doc: "The master's file server.",
  functions: {
    envs: masterFn({
      doc: 'The environments.',
      args: { backend, sources: arg.flag('Whether they are told by backend', { default: false }) },
      examples: ['salt-run fileserver.envs'],
      run: (ctx, { backend, sources }) => (sources ? known(ctx, backend).sort() : ctx.fileServer.envs(backend)),
    }),
    file_list: listing('The files of an environment.', 'files', 'salt-run fileserver.file_list saltenv=prod'),
    dir_list: listing('The directories of an environment.', 'dirs', 'salt-run fileserver.dir_list saltenv=prod'),
    empty_dir_list: listing(
      'The empty directories of an environment.',
      'emptyDirs',
      'salt-run fileserver.empty_dir_list',
    ),
    symlink_list: masterFn({
      doc: 'The links of an environment, and where they lead.',
      args: { saltenv, backend },
      examples: ['salt-run fileserver.symlink_list'],
      run: async (ctx, { saltenv, backend }) =>
        new Map<Value, Value>((await ctx.fileServer.list(saltenv, backend)).links),
    }),
    update: masterFn({
      doc: 'Brings the file server up to date; directories of this machine always are. With `fileserver_events` it is told.',
      args: { backend, kwargs: arg.open('`remotes`') },
      examples: ['salt-run fileserver.update'],
      run: async (ctx, { backend }) => {
        await ctx.fileServer.update((tag, data) => ctx.announce(tag, data), backend)
        return true
      },
    }),
    clear_file_list_cache: masterFn({
      doc: 'Removes kept lists of files, and tells which; lists are made anew each time.',
      args: { saltenv: arg.any('Only of these environments', { optional: true }), backend },
      examples: ['salt-run fileserver.clear_file_list_cache'],
      run: () => new Map(),
    }),
    clear_cache: nothingTo('Removes what backends keep of what they fetched.', 'No cache was cleared', { backend }),
    clear_lock: nothingTo('Removes locks of updates.', 'No locks were removed', { backend, remote }),
    lock: nothingTo('Keeps remotes from being updated.', 'No locks were set', { backend, remote }),
  },
})
