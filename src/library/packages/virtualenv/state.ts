// A virtualenv with its packages.
import { type Dict, dictFrom, PyError, SaltError, str, truthy, type Value, versionHolds } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  optionalText,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

const off = (doc: string) => arg.flag(doc, { default: false })

const MANAGED = {
  name: arg.text('Path of the virtualenv'),
  venv_bin: optionalText('Program that creates it, such as `virtualenv`; `venv` for the module of Python'),
  requirements: arg.any('Path or URL of a requirements file, several separated by commas, or a list', {
    optional: true,
  }),
  system_site_packages: arg.any('Give access to the packages of the system; only True counts', { default: false }),
  distribute: off('Use distribute; old versions of virtualenv'),
  use_wheel: off('Prefer wheels; pip 1.4 to 9.0.3'),
  clear: arg.any('Clear an existing virtualenv; only True counts for the program', { default: false }),
  python: optionalText('Python interpreter of the virtualenv'),
  extra_search_dir: arg.any('Directory of archives, several separated by commas, or a list', { optional: true }),
  never_download: arg.any('True to use only local packages, False to download packages', { optional: true }),
  prompt: optionalText('Prompt prefix of the virtualenv'),
  user: optionalText('Name of the user that creates the virtualenv and runs pip'),
  cwd: optionalText('Directory to run pip in'),
  index_url: optionalText('URL of the package index'),
  extra_index_url: optionalText('URL of a further package index'),
  pre_releases: off('Include prerelease versions'),
  no_deps: off('Do not install dependencies'),
  pip_download: optionalText('Directory to download archives to, instead of installing them'),
  pip_download_cache: optionalText('Directory of the cache'),
  pip_exists_action: optionalText('Action for a path that exists: `s`, `i`, `w` or `b`'),
  pip_ignore_installed: off('Ignore installed packages'),
  proxy: arg.any('URL of a proxy; False for none; default: the proxy of the minion', { optional: true }),
  use_vt: off('Show the output while it runs'),
  env_vars: arg.any('Dict of environment variables', { optional: true }),
  no_use_wheel: off('Do not use wheels; pip 1.4 to 9.0.3'),
  pip_upgrade: off('Upgrade packages to their newest version'),
  pip_pkgs: arg.any('List of packages to install, or a text with commas', { optional: true }),
  pip_no_cache_dir: off('Do not use a cache'),
  pip_cache_dir: optionalText('Directory of the cache'),
  process_dependency_links: off('Process dependency links; old versions of pip'),
  no_binary: arg.any('Packages to build from source: names separated by commas, or a list', { optional: true }),
}

type Given = Bound<typeof MANAGED>

const pick = (given: Given, names: Readonly<Record<string, keyof Given>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(names).map(([theirs, ours]) => [theirs, given[ours]]))

const same = (...names: (keyof Given)[]): Record<string, keyof Given> =>
  Object.fromEntries(names.map((name) => [name, name]))

const CREATE = {
  ...same('venv_bin', 'system_site_packages', 'distribute', 'clear', 'python', 'extra_search_dir', 'never_download'),
  ...same('prompt', 'user', 'use_vt'),
}

const PIP: Readonly<Record<string, keyof Given>> = {
  ...same('process_dependency_links', 'use_wheel', 'no_use_wheel', 'no_binary', 'user', 'index_url', 'extra_index_url'),
  ...same('pre_releases', 'no_deps', 'proxy', 'use_vt', 'env_vars'),
  pkgs: 'pip_pkgs',
  bin_env: 'name',
  download: 'pip_download',
  download_cache: 'pip_download_cache',
  exists_action: 'pip_exists_action',
  ignore_installed: 'pip_ignore_installed',
  upgrade: 'pip_upgrade',
  no_cache_dir: 'pip_no_cache_dir',
  cache_dir: 'pip_cache_dir',
}

async function pythonVersion(ctx: StateContext, python: string): Promise<string> {
  return (await ctx.call('cmd.run_stderr', [`${python} -V`])).replace(/^\n+|\n+$/g, '')
}

/** Return the local path of a requirements file; undefined if the file server does not have it. */
async function localRequirements(ctx: StateContext, requirements: Value): Promise<Value | undefined> {
  if (typeof requirements !== 'string' || !requirements.startsWith('salt://')) return requirements
  const cached = await ctx.call('cp.cache_file', [requirements, ctx.env])
  return truthy(cached) ? cached : undefined
}

function foreseen(name: string, exists: boolean, clear: boolean, changes: Dict): StateReturn {
  if (!exists) return { name, result: null, changes, comment: `Virtualenv ${name} is set to be created` }
  if (clear) return { name, result: null, changes, comment: `Virtualenv ${name} is set to be cleared` }
  return { name, result: true, changes, comment: `Virtualenv ${name} is already created` }
}

/** Create the virtualenv, and return why that failed. */
async function createFault(
  ctx: StateContext,
  given: Given,
  further: Record<string, Value>,
): Promise<string | undefined> {
  try {
    const options = { ...pick(given, CREATE), ...further }
    const outcome = await ctx.call('virtualenv.create', [given.name], options)
    return outcome.get('retcode') === 0 ? undefined : str(outcome.get('stdout')!) + str(outcome.get('stderr')!)
  } catch (error) {
    if (error instanceof SaltError && error.code === 'CommandNotFoundError') {
      return `Failed to create virtualenv: ${error.message}`
    }
    throw error
  }
}

/** Return the first option that the pip of the virtualenv does not support. */
async function optionProblem(ctx: StateContext, given: Given): Promise<string | undefined> {
  const asked = (['use_wheel', 'no_use_wheel', 'no_binary'] as const).filter((option) => truthy(given[option]))
  if (asked.length === 0) return undefined
  const version = str(await ctx.call('pip.version', [], { bin_env: given.name }))
  for (const option of asked.filter((name) => name !== 'no_binary')) {
    if (versionHolds(version, '>=', '1.4') && versionHolds(version, '<=', '9.0.3')) continue
    return `The '${option}' option is only supported in pip between 1.4 and 9.0.3. The version of pip detected was ${version}.`
  }
  if (!asked.includes('no_binary') || versionHolds(version, '>=', '7.0.0')) return undefined
  return `The 'no_binary' option is only supported in pip 7.0.0 and newer. The version of pip detected was ${version}.`
}

function placeOf(requirements: Value, cwd: Value): Value {
  if (!truthy(requirements)) return cwd
  if (typeof requirements !== 'string' && !Array.isArray(requirements)) {
    throw new PyError('TypeError', 'pip requirements must be either a string or a list')
  }
  const first = typeof requirements === 'string' ? requirements.split(',')[0]! : str(requirements[0] ?? null)
  if (first.startsWith('/')) return cwd
  return first.includes('/') ? first.slice(0, first.lastIndexOf('/')) : cwd
}

async function installed(
  ctx: StateContext,
  given: Given,
  requirements: Value,
  further: Record<string, Value>,
  report: { result: boolean; comment: string; changes: Dict },
): Promise<void> {
  const { name, user, use_vt } = given
  const frozen = async (options: Record<string, Value>): Promise<string[]> =>
    await ctx.call('pip.freeze', [], { bin_env: name, ...options })
  let before: string[]
  try {
    before = await frozen({ user, use_vt })
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    Object.assign(report, { result: false, comment: error.message })
    return
  }
  const cwd = placeOf(requirements, given.cwd)
  const outcome = await ctx.call('pip.install', [], { ...pick(given, PIP), requirements, cwd, ...further })
  const retcode = Number(outcome.get('retcode') ?? 1)
  if (retcode !== 0) report.result = false
  if (retcode > 0) {
    const said = outcome.get('stdout') ?? outcome.get('comment') ?? ''
    report.comment = `${report.comment}\n${str(said)}\n${str(outcome.get('stderr') ?? '')}`
  }
  const after = await frozen({})
  const fresh = after.filter((line) => !before.includes(line))
  const gone = before.filter((line) => !after.includes(line))
  if (fresh.length === 0 && gone.length === 0) return
  const orEmpty = (lines: string[]): Value => (lines.length > 0 ? lines : '')
  const packages = dictFrom({ new: orEmpty(fresh), old: orEmpty(gone) })
  report.changes.set('packages', packages)
}

async function managed(ctx: StateContext, given: Given, kwargs: ReadonlyMap<string, Value>): Promise<StateReturn> {
  const { name } = given
  const python =
    ctx.grains.get('kernel') === 'Windows' ? `${name}\\Scripts\\python.exe` : `${name.replace(/\/$/, '')}/bin/python`
  const exists = (await ctx.host.stat(python)) !== undefined
  const clear = truthy(given.clear)
  const changes: Dict = new Map()
  const requirements = await localRequirements(ctx, given.requirements)
  if (requirements === undefined) {
    const comment = `pip requirements file '${str(given.requirements)}' not found`
    return { name, result: false, comment, changes }
  }
  if (exists && clear) {
    changes.set('cleared_packages', await ctx.call('pip.freeze', [], { bin_env: name }))
    changes.set('old', await pythonVersion(ctx, python))
  }
  if (ctx.test) return foreseen(name, exists, clear, changes)
  const further = Object.fromEntries(kwargs)
  const report = { name, result: true, comment: 'virtualenv exists', changes }
  if (!exists || clear) {
    const failed = await createFault(ctx, given, further)
    if (failed !== undefined) return { ...report, result: false, comment: failed }
    changes.set('new', await pythonVersion(ctx, python))
    report.comment = clear ? 'Cleared existing virtualenv' : 'Created new virtualenv'
  }
  const problem = await optionProblem(ctx, given)
  if (problem !== undefined) return { ...report, result: false, comment: problem }
  if (truthy(requirements) || truthy(given.pip_pkgs)) {
    await installed(ctx, given, requirements, further, report)
  }
  return report
}

const declared = state({
  doc: 'Ensure that a virtualenv exists, with its packages.',
  args: { ...MANAGED, kwargs: arg.open('Options of `cmd.run_all`') },
  run: (ctx, { kwargs, ...given }) => managed(ctx, given, kwargs),
})

export default defineState({
  name: 'virtualenv_mod',
  virtual: 'virtualenv',
  doc: 'Manage virtualenvs.',
  functions: { managed: declared, manage: declared },
})
