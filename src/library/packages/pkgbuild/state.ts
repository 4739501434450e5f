// Packages that are built here, and repositories of them. Packages of Red Hat are built by their own tools also where
// the machine has others.
import { type Dict, float, isDict, isList, numberOf, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const BAD_ENV = "Invalidly-formatted 'env' parameter. See documentation."

/** The module for packages: that of the machine, unless some are of Red Hat and it is not. */
function builder(ctx: StateContext, names: readonly string[]): string {
  const isOwn = ['RedHat', 'Suse'].includes(str(ctx.grains.get('os_family') ?? ''))
  return !isOwn && names.some((name) => name.endsWith('.rpm')) ? 'rpmbuild' : 'pkgbuild'
}

async function missingIn(ctx: StateContext, folder: Value, wanted: readonly string[]): Promise<string[]> {
  const isThere = (await ctx.host.stat(str(folder)))?.type === 'directory'
  const present = new Set(isThere ? await ctx.host.list(str(folder)) : [])
  return [...new Set(wanted)].filter((name) => !present.has(name)).sort()
}

type Built = Record<
  'runas' | 'tgt' | 'dest_dir' | 'spec' | 'sources' | 'deps' | 'env' | 'template' | 'saltenv' | 'log_dir',
  Value
>

async function built(ctx: StateContext, name: string, given: Built & { results: Value; force: Value }) {
  const ret = (result: boolean | null, comment: string, changes: Value = new Map()): StateReturn => ({
    name,
    changes,
    comment,
    result,
  })
  if (!truthy(given.results)) return ret(false, "'results' argument is required")
  const results = (isList(given.results) ? given.results : str(given.results).split(',')).map(str)
  const needed = await missingIn(ctx, given.dest_dir, results)
  const isForced = truthy(given.force)
  if (!isForced && needed.length === 0) return ret(true, 'All needed packages exist')
  if (ctx.test) {
    const need = `The following packages need to be built: ${needed.join(', ')}`
    return ret(null, isForced ? 'Packages will be force-built' : need)
  }
  if (given.env !== null && !isDict(given.env)) return ret(false, BAD_ENV)
  const { runas, tgt, dest_dir, spec, sources, deps, env, template, saltenv, log_dir } = given
  const args = [runas, tgt, dest_dir, spec, sources, deps, env, template, saltenv, log_dir]
  const changes = await ctx.call(`${builder(ctx, results)}.build`, args)
  const missing = await missingIn(ctx, given.dest_dir, results)
  if (missing.length === 0) return ret(true, 'All needed packages were built', changes)
  return ret(false, `The following packages were not built: ${missing.join(', ')}`, changes)
}

type Repo = Record<'keyid' | 'env' | 'use_passphrase' | 'gnupghome' | 'runas' | 'timeout', Value>

async function repo(ctx: StateContext, name: string, given: Repo): Promise<StateReturn> {
  if (ctx.test) {
    return { name, changes: {}, comment: `Package repo metadata at ${name} will be refreshed`, result: null }
  }
  const { keyid, env, use_passphrase, gnupghome, runas, timeout } = given
  if (env !== null && !isDict(env)) return { name, changes: {}, comment: BAD_ENV, result: true }
  const isOwn = ['RedHat', 'Suse'].includes(str(ctx.grains.get('os_family') ?? ''))
  const module = builder(ctx, isOwn ? [] : await ctx.host.list(name))
  const args = [name, keyid, env, use_passphrase, gnupghome, runas, timeout]
  const answer = (await ctx.call(`${module}.make_repo`, args)) as Dict
  const isDone = (numberOf(answer.get('retcode') ?? 0) ?? 0) <= 0
  const said = ['stdout', 'stderr']
    .map((stream) => textOf(answer.get(stream) ?? '') ?? '')
    .filter((text) => text !== '')
  return { name, changes: isDone ? { refresh: true } : {}, comment: said.join('\n'), result: isDone }
}

const optional = (doc: string) => arg.any(doc, { optional: true })
const env = optional('Variables of the environment')

export default defineState({
  name: 'pkgbuild',
  doc: 'Build packages, and make repositories of them.',
  functions: {
    built: state({
      doc: 'Have packages built, unless they are there.',
      args: {
        name: arg.string('A name for the build'),
        runas: arg.any('Who builds'),
        dest_dir: arg.any('The folder that the packages come to'),
        spec: arg.any('The definition of the package'),
        sources: arg.any('Its sources'),
        tgt: arg.any('The system it is built for'),
        template: optional('The engine that the definition is a template of'),
        deps: optional('Packages that it needs'),
        env,
        results: optional('The names of the packages that must come of it'),
        force: arg.flag('Whether it is built although they are there', { default: false }),
        saltenv: arg.any('The environment of files', { default: 'base' }),
        log_dir: arg.any('The folder of logs', { default: '/var/log/salt/pkgbuild' }),
      },
      run: (ctx, { name, ...given }) => built(ctx, name, given),
    }),
    repo: state({
      doc: 'Make a repository of the packages in a folder, signed if a key is named.',
      args: {
        name: arg.string('The folder'),
        keyid: optional('The key'),
        env,
        use_passphrase: arg.flag('Whether the key has a passphrase, which the pillar has', { default: false }),
        gnupghome: arg.any('Where keys are', { default: '/etc/salt/gpgkeys' }),
        runas: arg.any('Who makes it', { default: 'builder' }),
        timeout: arg.any('Seconds to wait for the question about the passphrase', { default: float(15) }),
      },
      run: (ctx, { name, ...given }) => repo(ctx, name, given),
    }),
  },
})
