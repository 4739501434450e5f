// Builds of packages, and repositories of them. A package with the suffix `.rpm` is built by rpmbuild on every system.
import { type Dict, float, isDict, isList, numberOf, str, textOf, truthy } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { saltenv } from '../common/params.ts'

const BAD_ENV = "Invalidly-formatted 'env' parameter. See documentation."

/**
 * Return the module that builds packages: `rpmbuild` for rpm packages on other systems, else the one of this machine.
 */
function builder(ctx: StateContext, names: readonly string[]): string {
  const isOwn = ['RedHat', 'Suse'].includes(str(ctx.grains.get('os_family') ?? ''))
  return !isOwn && names.some((name) => name.endsWith('.rpm')) ? 'rpmbuild' : 'pkgbuild'
}

async function missingIn(ctx: StateContext, folder: string, wanted: readonly string[]): Promise<string[]> {
  const isThere = (await ctx.host.stat(folder))?.type === 'directory'
  const present = new Set(isThere ? await ctx.host.list(folder) : [])
  return [...new Set(wanted)].filter((name) => !present.has(name)).sort()
}

const env = arg.any('Dict of environment variables; another type fails', { optional: true })

const BUILT = {
  name: arg.string('Name of the state'),
  runas: arg.text('User who builds'),
  dest_dir: arg.text('Directory for the built packages'),
  spec: arg.text('Path or URL of the package definition'),
  sources: arg.any('List of source files, or a text with commas'),
  tgt: arg.text('System to build for, such as `epel-7-x86_64`'),
  template: arg.text('Template engine of the definition, such as `jinja`', { optional: true }),
  deps: arg.any('List of packages that the build needs', { optional: true }),
  env,
  results: arg.any('List of the package files that the build must produce, or a text with commas', { optional: true }),
  force: arg.flag('Build even if all packages exist', { default: false }),
  saltenv,
  log_dir: arg.text('Directory for log files', { default: '/var/log/salt/pkgbuild' }),
}

function built(ctx: StateContext, given: Bound<typeof BUILT>): Promise<StateReturn> {
  const { name, runas, tgt, dest_dir, spec, sources, deps, env, template, saltenv, log_dir, force } = given
  const results = (isList(given.results) ? given.results : str(given.results).split(',')).map(str)
  return ensure(ctx, {
    name,
    look: async () => {
      if (!truthy(given.results)) return failed("'results' argument is required")
      const needed = await missingIn(ctx, dest_dir, results)
      return !force && needed.length === 0 ? settled('All needed packages exist') : needed
    },
    foresee: (needed) =>
      force ? 'Packages will be force-built' : `The following packages need to be built: ${needed.join(', ')}`,
    act: async () => {
      if (env !== null && !isDict(env)) return failed(BAD_ENV)
      const args = [runas, tgt, dest_dir, spec, sources, deps, env, template, saltenv, log_dir]
      const changes = await ctx.call(`${builder(ctx, results)}.build`, args)
      const missing = await missingIn(ctx, dest_dir, results)
      if (missing.length === 0) return changed('All needed packages were built', changes)
      return failed(`The following packages were not built: ${missing.join(', ')}`, changes)
    },
  })
}

const REPO = {
  name: arg.string('Directory of the packages'),
  keyid: arg.text('Id of the key that signs the repository', { optional: true }),
  env,
  use_passphrase: arg.flag('Take the passphrase of the key from the pillar', { default: false }),
  gnupghome: arg.text('Directory of the keys', { default: '/etc/salt/gpgkeys' }),
  runas: arg.text('User who makes the repository', { default: 'builder' }),
  timeout: arg.any('Seconds to wait for the prompt of the passphrase', { default: float(15) }),
}

async function repo(ctx: StateContext, given: Bound<typeof REPO>): Promise<StateReturn> {
  const { name, keyid, env, use_passphrase, gnupghome, runas, timeout } = given
  if (ctx.test) {
    return { name, changes: {}, comment: `Package repo metadata at ${name} will be refreshed`, result: null }
  }
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

export default defineState({
  name: 'pkgbuild',
  doc: 'Build packages and make repositories of them.',
  functions: {
    built: state({ doc: 'Ensure that packages are built.', args: BUILT, run: built }),
    repo: state({
      doc: 'Ensure that a directory of packages is a repository, signed if a key is given.',
      args: REPO,
      run: repo,
    }),
  },
})
