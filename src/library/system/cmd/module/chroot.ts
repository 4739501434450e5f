// Commands in another root directory, with /dev, /proc, /sys and the bind mounts of the caller.
import { recover } from '../../../../base/mod.ts'
import { type Dict, isList, shlexQuote, str, truthy } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'
import { execute } from './execute.ts'
import { type Given, given } from './given.ts'

export async function runInChroot(ctx: FunctionContext, args: Given): Promise<Dict> {
  const root = str(given(args, 'root'))
  const bound = given(args, 'binds')
  const binds = isList(bound) ? bound.map(str) : []
  const inside = (path: string): string => `${root}/${path.replace(/^\/+/, '')}`
  for (const [point, type] of [
    ['dev', 'devtmpfs'],
    ['proc', 'proc'],
    ['sys', 'sysfs'],
  ] as const) {
    if (await staysInside(ctx, root, inside(point))) await mount(ctx, ['-t', type, type, inside(point)])
  }
  for (const bind of binds)
    if (await staysInside(ctx, root, inside(bind))) await mount(ctx, ['-o', 'default,bind', bind, inside(bind)])
  const shell = (await ctx.host.stat(inside('bin/bash')))?.type === 'file' ? '/bin/bash' : '/bin/sh'
  const cmd = given(args, 'cmd')
  const line = isList(cmd) ? cmd.map(str).join(' ') : str(cmd)
  const runas = given(args, 'runas')
  const group = given(args, 'group')
  const userspec = truthy(runas) ? `--userspec ${str(runas)}:${truthy(group) ? str(group) : ''}` : ''
  const call = `chroot ${userspec} ${root} ${shell} -c ${shlexQuote(line)}`
  try {
    return await execute(ctx, { ...args, cmd: call, runas: null, group: null }, 'apart')
  } finally {
    await endProcesses(ctx, root)
    for (const point of [...binds, 'sys', 'proc', 'dev'])
      if (await staysInside(ctx, root, inside(point))) await quietly(ctx, ['umount', inside(point)])
    // as in Salt, the last umount sets the return code, whatever the result of the command
    ctx.memory.set('retcode', 0)
  }
}

/**
 * Whether a folder of a root directory is inside it: a mount through a link of the root would cover a folder of this
 * machine.
 */
async function staysInside({ host }: FunctionContext, root: string, path: string): Promise<boolean> {
  return recover(isHostError, false, async () => {
    const real = await host.realPath(root)
    return (await host.realPath(path)).startsWith(real === '/' ? '/' : `${real}/`)
  })
}

const mount = (ctx: FunctionContext, args: string[]): Promise<void> => quietly(ctx, ['mount', ...args])

/** As in Salt, a failure here is no error; the command itself shows whether it matters. */
async function quietly(ctx: FunctionContext, argv: string[]): Promise<void> {
  try {
    const { retcode, stderr } = await ctx.host.run({ argv })
    if (retcode !== 0) ctx.log('debug', `${argv.join(' ')}: ${Buffer.from(stderr).toString()}`)
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('debug', error.message)
  }
}

async function processesIn(ctx: FunctionContext, root: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of (await ctx.host.list('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      if ((await ctx.host.realPath(`/proc/${pid}/root`)).startsWith(root)) found.push(pid)
    } catch (error) {
      if (!isHostError(error)) throw error
    }
  }
  return found
}

/** Terminate the processes in the root: three times TERM, then three times KILL. */
async function endProcesses(ctx: FunctionContext, root: string): Promise<void> {
  if (root === '/' || !(await ctx.host.stat('/proc'))) return
  for (const signal of ['-15', '-15', '-15', '-9', '-9', '-9']) {
    const pids = await processesIn(ctx, root)
    if (pids.length === 0) return
    await quietly(ctx, ['kill', signal, ...pids])
  }
}
