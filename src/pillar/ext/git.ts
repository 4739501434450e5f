// `git`: pillar from Git repositories. Each remote is `BRANCH URL`, or a URL alone, with options of its own below it;
// what it does not say, the options `git_pillar_*` say. A branch is an environment, `git_pillar_base` is base.
import { join } from 'node:path/posix'
import { option } from '../../config/mod.ts'
import { str, truthy, type Value } from '../../data/mod.ts'
import type { ExtPillar, ExtPillarContext } from '../ext-pillar.ts'
import { pillarMerge } from '../pillar-options.ts'
import { checkoutOf, type GitRemote, readRemote } from './git-remote.ts'

const ANY_ENV = '__env__'

export const git: ExtPillar = {
  parameters: [],
  required: 0,
  rest: true,
  run: async (ctx, { rest }) => {
    const directories: Array<{ path: string; env: string; isMounted: boolean }> = []
    for (const remote of rest) directories.push(await checkedOut(ctx, readRemote(ctx.opts, remote)))
    const merge = pillarMerge(ctx.opts, ctx.log)
    const pillarenv = option(ctx.opts, 'pillarenv')
    let pillar: Value = new Map()
    for (const { path, env, isMounted } of directories) {
      if (isMounted || (truthy(pillarenv) && env !== str(pillarenv))) continue
      const others = directories.filter((other) => other.env === env && other.path !== path)
      const includes = option(ctx.opts, 'git_pillar_includes') ? others.map((other) => other.path) : []
      pillar = merge(pillar, await ctx.compileRoots(new Map([[env, [path, ...includes]]]), env))
    }
    return pillar
  },
}

/** The folder that holds the pillar, and the environment it is for. */
async function checkedOut(ctx: ExtPillarContext, { branch, url, setting, own }: GitRemote) {
  const { opts } = ctx
  const base = str(setting('base')) || 'master'
  const asked = [opts.get('pillarenv'), opts.get('saltenv')].find((env) => env !== undefined && truthy(env)) ?? 'base'
  const mapped = asked === 'base' ? base : str(asked)
  const reference = branch === ANY_ENV ? str(own('all_saltenvs') ?? mapped) : branch
  const checkout = checkoutOf(ctx, { url, setting }, reference)
  // a master asks each repository now and then, a minion by itself each time
  const maxAge = opts.get('__role') === 'minion' ? 0 : option(opts, 'git_pillar_update_interval')
  const files = join(await checkout.files(maxAge, ctx.log), str(setting('root')))
  const mountpoint = str(own('mountpoint') ?? '')
  const env = environmentOf()
  if (mountpoint === '') return { path: files.replace(/\/$/, ''), env, isMounted: false }
  return { path: await mounted(ctx, files, mountpoint), env, isMounted: true }

  function environmentOf(): string {
    if (branch === ANY_ENV && own('all_saltenvs') !== null) return str(asked)
    const configured = str(setting('env'))
    if (configured !== '') return configured === ANY_ENV ? str(asked) : configured
    return reference === base ? 'base' : reference
  }
}

/** A folder in which the files appear below a path, for includes of other remotes. */
async function mounted({ host, opts }: ExtPillarContext, files: string, mountpoint: string): Promise<string> {
  const at = mountpoint.replace(/^salt:\/\/|^\/+|\/+$/g, '')
  const cache = join(option(opts, 'cachedir'), 'git_pillar', 'links')
  const folder = join(cache, Buffer.from(`${at}\n${files}`).toString('hex').slice(-64))
  const link = join(folder, at)
  if ((await host.lstat(link)) === undefined) {
    await host.makeDirectory(join(link, '..'), { parents: true })
    await host.symlink(files.replace(/\/$/, ''), link)
  }
  return folder
}
