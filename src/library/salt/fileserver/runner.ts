// Lists and updates the file server of the master.
import { type Dict, isList, str, truthy, typeError, type Value } from '../../../data/mod.ts'
import { arg, type BackendLocks, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const saltenv = arg.text('Environment', { default: 'base' })
const backend = arg.textOrList('Backends: text with commas, or a list; `-name` excludes one. Default: all', {
  optional: true,
})
const remote = arg.text('Glob of the URLs of remotes. Default: all', { optional: true })

type Part = 'files' | 'dirs' | 'emptyDirs'

const listing = (doc: string, part: Part, example: string) =>
  masterFn({
    doc,
    args: { saltenv, backend },
    examples: [example],
    run: async (ctx, { saltenv, backend }) => (await ctx.fileServer.list(saltenv, backend))[part],
  })

type LockWork = (locks: BackendLocks, remote: string | null) => string[]

/** Declare a function that sets or removes locks of updates. */
const locking = (doc: string, example: string, key: string, nothing: string, work: LockWork) =>
  masterFn({
    doc,
    args: { backend, remote },
    examples: [example],
    run: (ctx, { backend, remote }) => {
      const done = ctx.fileServer.backends(backend).flatMap((one) => (one.locks ? work(one.locks(), remote) : []))
      return done.length === 0 ? nothing : new Map<Value, Value>([[key, done]])
    },
  })

async function update(ctx: MasterContext, backend: Value, kwargs: Dict): Promise<boolean> {
  const takesRemotes = ctx.fileServer.backends(backend).every(({ name }) => name === 'gitfs')
  const unknown = [...kwargs.keys()].find((name) => name !== 'remotes' || !takesRemotes)
  if (unknown !== undefined) throw typeError(`update() got an unexpected keyword argument '${str(unknown)}'`)
  const given = kwargs.get('remotes') ?? null
  const names = isList(given)
    ? given.map(str)
    : str(given)
        .split(',')
        .map((name) => name.trim())
  const wish = truthy(given) ? { remotes: names } : {}
  await ctx.fileServer.update((tag, data) => ctx.announce(tag, data), backend, wish)
  return true
}

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
      run: async (ctx, { backend, sources }) => (sources ? known(ctx, backend).sort() : ctx.fileServer.envs(backend)),
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
      doc: 'Update the backends of the file server: fetch from remotes. With the option `fileserver_events`, fire an event.',
      args: { backend, kwargs: arg.open('`remotes`: names or URLs of remotes of gitfs, with commas. Default: all') },
      examples: ['salt-run fileserver.update', 'salt-run fileserver.update backend=gitfs remotes=myrepo'],
      run: (ctx, { backend, kwargs }) => update(ctx, backend, kwargs),
    }),
    status: masterFn({
      doc: 'Return what is known about the remotes of each backend: last success, last error, number of refs.',
      args: { backend },
      examples: ['salt-run fileserver.status'],
      run: async (ctx, { backend }) => {
        const status = new Map<Value, Value>()
        for (const one of ctx.fileServer.backends(backend)) if (one.status) status.set(one.name, await one.status())
        return status
      },
    }),
    clear_file_list_cache: masterFn({
      doc: 'Forget cached lists of files. Return by backend the environments that were listed since the last time.',
      args: { saltenv: arg.text('Environment. Default: all', { optional: true }), backend },
      examples: ['salt-run fileserver.clear_file_list_cache', 'salt-run fileserver.clear_file_list_cache saltenv=dev'],
      run: (ctx, { saltenv, backend }) => {
        const cleared = ctx.fileServer
          .backends(backend)
          .map((one): [Value, Value[]] => [one.name, one.clearLists?.(saltenv) ?? []])
        return new Map<Value, Value>(cleared.filter(([, names]) => names.length > 0))
      },
    }),
    clear_cache: masterFn({
      doc: 'Remove all that backends keep below the cache directory. Remotes are empty until the next update.',
      args: { backend },
      examples: ['salt-run fileserver.clear_cache'],
      run: (ctx, { backend }) => {
        const cleared = ctx.fileServer.called(backend).filter(([, one]) => one.clearCache)
        for (const [, one] of cleared) one.clearCache!()
        const lines = cleared.map(([name]) => `The ${name} fileserver cache was successfully cleared`)
        return lines.length === 0 ? 'No cache was cleared' : new Map<Value, Value>([['cleared', lines]])
      },
    }),
    clear_lock: locking(
      'Remove the locks of updates.',
      'salt-run fileserver.clear_lock backend=gitfs remote=*mysite*',
      'cleared',
      'No locks were removed',
      (locks, pattern) => locks.clear(pattern),
    ),
    lock: locking(
      'Hold back updates until the lock is removed.',
      'salt-run fileserver.lock backend=gitfs remote=*mysite*',
      'locked',
      'No locks were set',
      (locks, pattern) => locks.set(pattern),
    ),
  },
})
