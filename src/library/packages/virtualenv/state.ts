// A virtualenv with the packages it is to have.
import { type Dict, PyError, SaltError, str, truthy, type Value, versionHolds } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })

const args = {
  name: arg.any('Where it is'),
  venv_bin: optional('The program that makes it; `venv` for Python itself'),
  requirements: optional('Files of requirements'),
  system_site_packages: off("Whether the machine's packages are visible in it"),
  distribute: off('For old versions of virtualenv'),
  use_wheel: off('For old versions of pip'),
  clear: off('Whether an existing one is emptied'),
  python: optional('The Python it is for'),
  extra_search_dir: optional('Where packages for it are looked for'),
  never_download: optional('Whether nothing is downloaded'),
  prompt: optional('What its shell shows'),
  user: optional('Whose it is'),
  cwd: optional('Where pip runs'),
  index_url: optional('The index'),
  extra_index_url: optional('Another index'),
  pre_releases: off('Include versions before a release'),
  no_deps: off('Leave dependencies out'),
  pip_download: optional('Where archives are put instead of being installed'),
  pip_download_cache: optional('Where archives are kept'),
  pip_exists_action: optional('What happens to a path that exists: s, i, w or b'),
  pip_ignore_installed: off('Act as if nothing were installed'),
  proxy: optional('A proxy; false for none'),
  use_vt: off('Show the output as it comes'),
  env_vars: optional('Variables of the environment'),
  no_use_wheel: off('For old versions of pip'),
  pip_upgrade: off('Bring packages to their newest version'),
  pip_pkgs: optional('Packages'),
  pip_no_cache_dir: off('Keep nothing in a cache'),
  pip_cache_dir: optional('Where archives are kept'),
  process_dependency_links: off('For old versions of pip'),
  no_binary: optional('Packages that are built here'),
  kwargs: arg.open('Options of cmd.run_all'),
}

type Given = Readonly<Record<string, Value>> & { readonly name: string }

const pick = (given: Given, names: Readonly<Record<string, string>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(names).map(([theirs, ours]) => [theirs, given[ours] ?? null]))

const same = (names: string): Record<string, string> => Object.fromEntries(names.split(' ').map((name) => [name, name]))

const CREATE = same(
  'venv_bin system_site_packages distribute clear python extra_search_dir never_download prompt user use_vt',
)

const PIP = {
  ...same(
    'process_dependency_links use_wheel no_use_wheel no_binary user index_url extra_index_url pre_releases no_deps',
  ),
  ...same('proxy use_vt env_vars'),
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

/** The fetched file of requirements, or undefined when the file server has none. */
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

/** Why it could not be made. */
async function made(ctx: StateContext, given: Given, further: Record<string, Value>): Promise<string | undefined> {
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

/** What the virtualenv's pip cannot do. */
async function optionProblem(ctx: StateContext, given: Given): Promise<string | undefined> {
  const asked = ['use_wheel', 'no_use_wheel', 'no_binary'].filter((option) => truthy(given[option] ?? null))
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
  const first = typeof requirements === 'string' ? requirements.split(',')[0]! : str((requirements as Value[])[0]!)
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
  const { name, user = null, use_vt = false } = given
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
  const cwd = placeOf(requirements, given['cwd'] ?? null)
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
  const packages = new Map<Value, Value>([
    ['new', orEmpty(fresh)],
    ['old', orEmpty(gone)],
  ])
  report.changes.set('packages', packages)
}

async function managed(ctx: StateContext, given: Given, kwargs: ReadonlyMap<string, Value>): Promise<StateReturn> {
  const { name } = given
  const python =
    ctx.grains.get('kernel') === 'Windows' ? `${name}\\Scripts\\python.exe` : `${name.replace(/\/$/, '')}/bin/python`
  const exists = (await ctx.host.stat(python)) !== undefined
  const clear = truthy(given['clear'] ?? null)
  const changes: Dict = new Map()
  const requirements = await localRequirements(ctx, given['requirements'] ?? null)
  if (requirements === undefined) {
    const comment = `pip requirements file '${str(given['requirements']!)}' not found`
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
    const failed = await made(ctx, given, further)
    if (failed !== undefined) return { ...report, result: false, comment: failed }
    changes.set('new', await pythonVersion(ctx, python))
    report.comment = clear ? 'Cleared existing virtualenv' : 'Created new virtualenv'
  }
  const problem = await optionProblem(ctx, given)
  if (problem !== undefined) return { ...report, result: false, comment: problem }
  if (truthy(requirements) || truthy(given['pip_pkgs'] ?? null)) {
    await installed(ctx, given, requirements, further, report)
  }
  return report
}

const declared = state({
  doc: 'A virtualenv is there, with its packages.',
  args,
  run: (ctx, { kwargs, ...given }) => managed(ctx, given as Given, kwargs),
})

export default defineState({
  name: 'virtualenv_mod',
  virtual: 'virtualenv',
  doc: 'Keep virtualenvs.',
  functions: { managed: declared, manage: declared },
})
