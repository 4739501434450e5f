// Functions and states in another root directory of this machine. It needs a POSIX shell and the usual programs; nothing is copied into it.
import { createHash } from 'node:crypto'
import { failure, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

/** File systems that programs expect: path and type. */
const MOUNTS = [
  ['dev', 'devtmpfs'],
  ['proc', 'proc'],
  ['sys', 'sysfs'],
] as const

/** Modes of their folders. */
const MODES: Readonly<Record<string, number>> = { dev: 0o755, proc: 0o555, sys: 0o555 }

/** Grains of the minion that say nothing about the root directory. */
const VARIABLES = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'USER=root']

/**
 * Whether a folder exists in a root directory. A link does not count: a mount on it would cover a folder of this
 * machine.
 */
const isFolder = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.lstat(path))?.type === 'directory'

async function exists(ctx: FunctionContext, root: string): Promise<boolean> {
  if ((await ctx.host.stat(root))?.type !== 'directory') return false
  for (const [name] of MOUNTS) if (!(await isFolder(ctx, `${root}/${name}`))) return false
  return true
}

/** Mount the file systems that are not mounted yet, do the work, and unmount them again. */
async function mounted<T>(ctx: FunctionContext, root: string, work: () => Promise<T>): Promise<T> {
  const points: string[] = []
  try {
    for (const [name, type] of MOUNTS) {
      const point = `${root}/${name}`
      const there = await ctx.host.run({ argv: ['mountpoint', '-q', point] })
      if (there.retcode === 0) continue
      const { retcode, stderr } = await ctx.host.run({ argv: ['mount', '-t', type, type, point] })
      if (retcode === 0) points.unshift(point)
      else ctx.log('warning', `Failed to mount ${point}: ${new TextDecoder().decode(stderr).trim()}`)
    }
    return await work()
  } finally {
    for (const point of points) {
      const { retcode, stderr } = await ctx.host.run({ argv: ['umount', point] })
      if (retcode !== 0) ctx.log('error', `Failed to unmount ${point}: ${new TextDecoder().decode(stderr).trim()}`)
    }
  }
}

async function callInside(
  ctx: FunctionContext,
  root: string,
  fun: string,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Value> {
  if (fun === '') throw failure('Missing function parameter')
  if (!root.startsWith('/') || !(await exists(ctx, root))) throw failure('Chroot environment not found')
  const name = `root-${createHash('sha256').update(root).digest('hex').slice(0, 32)}`
  const plain = new Map([...kwargs].filter(([key]) => !key.startsWith('__')))
  const via = ['env', '-i', ...VARIABLES, 'chroot', root, '/bin/sh', '-c']
  return mounted(ctx, root, () => ctx.callInside({ kind: 'chroot', name, via, fun, args, kwargs: plain }))
}

const apply = (ctx: FunctionContext, root: string, mods: Value, kwargs: ReadonlyMap<string, Value>): Promise<Value> =>
  mods === null
    ? callInside(ctx, root, 'state.highstate', [], kwargs)
    : callInside(ctx, root, 'state.sls', [mods], kwargs)

const root = arg.text('Absolute path of the root directory')
const mods = arg.any('SLS files, as a list or separated by commas', { optional: true })
const kwargs = arg.open('Arguments of the run: `test`, `saltenv`, `pillar`, `exclude` …')
const results = ret.any('Results of the states, or a list of errors')

export default defineModule({
  name: 'chroot',
  doc: 'Run functions and states in another root directory.',
  when: async ({ host }) => (await host.which('chroot')) !== undefined || 'Module chroot requires the command chroot',
  functions: {
    exist: reads({
      doc: 'Return whether a root directory has the folders dev, proc and sys.',
      args: { root },
      returns: ret.boolean('Whether it has'),
      example: 'chroot.exist /chroot',
      run: (ctx, { root }) => exists(ctx, root),
    }),
    create: changes({
      doc: 'Create a root directory with the folders dev, proc and sys.',
      args: { root },
      returns: ret.boolean('True'),
      example: 'chroot.create /chroot',
      run: async (ctx, { root }) => {
        await ctx.host.makeDirectory(root, { parents: true })
        for (const [name, mode] of Object.entries(MODES)) {
          const path = `${root}/${name}`
          if (!(await isFolder(ctx, path))) await ctx.host.makeDirectory(path, { mode })
        }
        return true
      },
    }),
    in_chroot: reads({
      doc: 'Return whether the minion itself runs in another root directory than the first process.',
      returns: ret.boolean('Whether it does'),
      run: async ({ host }) => {
        const read = async (pid: string): Promise<string> =>
          Buffer.from(await host.read(`/proc/${pid}/mountinfo`)).toString()
        return (await read('1')) !== (await read('self'))
      },
    }),
    call: changes({
      doc: 'Call a function of Salt in a root directory, which needs a shell and no Salt.',
      args: {
        root,
        function: arg.text('Name of the function'),
        args: arg.rest('Arguments of the function'),
        kwargs: arg.open('Keyword arguments of the function'),
      },
      returns: ret.any('What the function returns'),
      example: 'chroot.call /chroot pkg.list_pkgs',
      run: (ctx, { root, function: fun, args, kwargs }) => callInside(ctx, root, fun, args, kwargs),
    }),
    apply: changes({
      doc: 'Apply SLS files, or the highstate, in a root directory.',
      args: { root, mods, kwargs },
      returns: results,
      example: 'chroot.apply /chroot stuff pillar=\'{"foo": "bar"}\'',
      run: (ctx, { root, mods, kwargs }) => apply(ctx, root, mods, kwargs),
    }),
    sls: changes({
      doc: 'Apply SLS files in a root directory.',
      args: { root, mods: arg.any('SLS files, as a list or separated by commas'), kwargs },
      returns: results,
      example: 'chroot.sls /chroot stuff',
      run: (ctx, { root, mods, kwargs }) => apply(ctx, root, mods, kwargs),
    }),
    highstate: changes({
      doc: 'Apply the highstate in a root directory. Top files target the minion id and the grains of the root directory.',
      args: { root, kwargs },
      returns: results,
      example: 'chroot.highstate /chroot',
      run: (ctx, { root, kwargs }) => apply(ctx, root, null, kwargs),
    }),
  },
})
