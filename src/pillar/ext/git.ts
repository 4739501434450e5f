// `git`: pillar from Git repositories. Each remote is `BRANCH URL`, or only a URL, with its own options below it; the
// defaults are the options `git_pillar_*`. A branch is an environment, and `git_pillar_base` is base. Files are read
// from the objects of a mirror without a checkout, so compilations of different environments do not interfere.

import { normalize } from 'node:path/posix'
import { withoutLogin } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isList, str, truthy, type Value } from '../../data/mod.ts'
import type { ConfiguredRemote, GitCommit, GitRefs } from '../../git/mod.ts'
import { arg, defineExtPillar } from '../../sdk/mod.ts'
import { ExtPillarUnavailable, type OwnPillarContext } from '../ext-pillar.ts'
import { GitFolder } from '../pillar-folder.ts'
import { pillarMerge } from '../pillar-options.ts'
import type { PillarFolders } from '../pillar-tree.ts'
import { hasProvider, PillarMirrors, pillarRemotes, remotesOf } from './git-remotes.ts'

const ANY_ENV = '__env__'

/** A remote whose mirror is readable. */
interface OpenRemote {
  /** Its name in `pillar_roots`. */
  label: string
  folder: GitFolder
  /** The configured environment, which may be `__env__`. */
  env: string
  isMounted: boolean
}

export const git = defineExtPillar({
  name: 'git',
  doc: 'The pillar SLS files of Git repositories.',
  args: {
    repos: arg.rest('Remotes: `BRANCH URL`, or a dict of that and a list of options'),
    further: arg.open('A remote with its options, where the list was forgotten'),
  },
  run: async (ctx: OwnPillarContext, { repos, further }) => {
    if (!hasProvider(ctx.opts, ctx.log)) throw new ExtPillarUnavailable('git')
    const remotes = pillarRemotes(ctx.opts, [...repos, ...remotesOf(new Map(further))], ctx.log)
    const problems: string[] = []
    const open = await openAll(ctx, remotes, problems)
    const merge = pillarMerge(ctx.opts, ctx.log)
    let pillar: Value = new Map()
    for (const remote of open) pillar = merge(pillar, (await compiled(ctx, remote, open)) ?? new Map())
    return withErrors(pillar as Dict, problems)
  },
})

/** Add errors to those of the remotes' files. */
function withErrors(pillar: Dict, problems: readonly string[]): Dict {
  if (problems.length === 0) return pillar
  const known = pillar.get('_errors')
  return pillar.set('_errors', [...(isList(known ?? null) ? (known as Value[]) : []), ...problems])
}

/** Return the pillar from the top file of a remote; undefined if the remote is for another environment. */
function compiled(ctx: OwnPillarContext, remote: OpenRemote, all: readonly OpenRemote[]): Promise<Dict> | undefined {
  const { opts } = ctx
  const env = remote.env === ANY_ENV ? (askedEnv(opts) ?? option(opts, 'git_pillar_base')) : remote.env
  const pillarenv = option(opts, 'pillarenv')
  if (remote.isMounted || (truthy(pillarenv) && env !== str(pillarenv))) return undefined
  const others = option(opts, 'git_pillar_includes') ? all.filter((other) => other.env === env && other !== remote) : []
  const used = [remote, ...others]
  const folders: PillarFolders = new Map(used.map(({ label, folder }) => [label, folder]))
  return ctx.compileRoots(new Map([[env, used.map(({ label }) => label)]]), env, folders)
}

/** The environment that is compiled for; undefined when none is named. */
function askedEnv(opts: Dict): string | undefined {
  const asked = [opts.get('pillarenv'), opts.get('saltenv')].find((env) => env !== undefined && truthy(env))
  return asked === undefined ? undefined : str(asked)
}

async function openAll(
  ctx: OwnPillarContext,
  remotes: readonly ConfiguredRemote[],
  problems: string[],
): Promise<OpenRemote[]> {
  const mirrors = new PillarMirrors(ctx)
  mirrors.note(remotes)
  const open: OpenRemote[] = []
  for (const remote of remotes) {
    const found = await openOne(ctx, remote, mirrors, problems)
    if (!found) continue
    const isTaken = open.some(({ label }) => label === found.label)
    open.push(isTaken ? { ...found, label: `${found.label} (${remote.folder})` } : found)
  }
  return open
}

async function openOne(
  ctx: OwnPillarContext,
  remote: ConfiguredRemote,
  mirrors: PillarMirrors,
  problems: string[],
): Promise<OpenRemote | undefined> {
  const { opts, log } = ctx
  const { shownId, branch, settings } = remote
  const text = (name: string): string => str(settings.get(name) ?? '')
  const wanted = targetOf(opts, remote)
  // a minion without a master has no daemon that fetches at an interval
  const isAlone = opts.get('__role') === 'minion'
  const refs = await mirrors.refs(remote, (known) => commitOf(known, wanted, text('fallback')) !== undefined, isAlone)
  const commit = refs && commitOf(refs, wanted, text('fallback'))
  if (!commit) {
    const problem = `Failed to checkout ${wanted} from git_pillar remote '${shownId}': remote ref does not exist`
    log('error', problem)
    // an environment without a branch in this repository has no pillar from it, and that is no error
    if (branch !== ANY_ENV || refs === undefined) problems.push(`Failed to load ext_pillar git: ${problem}`)
    return undefined
  }
  const root = plainPath(text('root'))
  const mountpoint = plainPath(text('mountpoint').replace(/^salt:\/\//, ''))
  const shown = `${withoutLogin(remote.url)}@${wanted}`
  const folder = new GitFolder(mirrors.of(remote), commit.tree, { shown, root, mountpoint })
  if (!(await folder.exists())) {
    log('error', `Root path '${text('root')}' not present in git_pillar remote '${shownId}', skipping.`)
    return undefined
  }
  const label = [shown, root, mountpoint && `at ${mountpoint}`].filter(Boolean).join('/')
  return { label, folder, env: environmentOf(opts, remote, wanted), isMounted: mountpoint !== '' }
}

const plainPath = (path: string): string => normalize(`/${path}`).replace(/^\/|\/$/g, '')

/** The branch or tag of a remote that is compiled. */
function targetOf(opts: Dict, { branch, settings }: ConfiguredRemote): string {
  if (branch !== ANY_ENV) return branch
  const forAll = settings.get('all_saltenvs')
  if (forAll !== undefined) return str(forAll)
  const asked = askedEnv(opts) ?? 'base'
  return asked === 'base' ? str(settings.get('base') ?? '') : asked
}

/** The environment that the top file of a remote has to name. */
function environmentOf(opts: Dict, { branch, settings }: ConfiguredRemote, wanted: string): string {
  if (branch === ANY_ENV && settings.has('all_saltenvs')) return askedEnv(opts) ?? 'base'
  const env = str(settings.get('env') ?? '')
  if (env !== '') return env
  return wanted === str(settings.get('base') ?? '') ? 'base' : wanted
}

function commitOf(refs: GitRefs, name: string, fallback: string): GitCommit | undefined {
  const named = refs.branch(name) ?? refs.tag(name)
  return named ?? (fallback === '' ? undefined : (refs.branch(fallback) ?? refs.tag(fallback)))
}
