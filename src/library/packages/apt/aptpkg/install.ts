// Installation by apt-get: one command for packages to install or upgrade, one for downgrades and one for reinstallations.
// Holds on these packages are released for that time.
import {
  compareDicts,
  type Dict,
  dictFrom,
  isDict,
  iterate,
  matchVersion,
  SaltError,
  str,
  truthy,
  type Value,
  versionHolds,
} from '../../../../data/mod.ts'
import { arg, type Bound, CommandError, type FunctionContext } from '../../../../sdk/mod.ts'

import * as param from '../../common/params.ts'
import { callApt, givenEnvironment } from './call.ts'
import { newestVersions, sourceVersions } from './candidates.ts'
import { forgetPackages, listVersions } from './installed.ts'
import { refreshDb } from './refresh.ts'
import { getSelections, hold, unhold } from './selections.ts'
import { orderOf } from './versions.ts'

export const INSTALL = {
  name: param.name,
  refresh: param.refresh(false),
  fromrepo: arg.text('Release to take packages from, such as `bookworm-backports`', { optional: true }),
  skip_verify: param.skip_verify,
  debconf: arg.text('Path of a debconf answers file, processed before the installation', { optional: true }),
  pkgs: param.pkgs,
  sources: param.sources,
  reinstall: param.off('Reinstall packages that have the wanted version'),
  downloadonly: param.off('Download packages without installing them'),
  ignore_epoch: param.ignore_epoch,
  normalize: param.normalize,
  kwargs: arg.open(
    '`version`, `force_yes`, `install_recommends`, `only_upgrade`, `force_conf_new`, `cache_valid_time`, `env`',
  ),
}

type Installation = Bound<typeof INSTALL>

/** Return whether to refresh the package database: not when the wanted versions are the newest known ones. */
async function needsRefresh(ctx: FunctionContext, { name, refresh, pkgs, kwargs }: Installation): Promise<boolean> {
  if (!refresh) return false
  const isNewest = async (one: Value, version: Value): Promise<boolean> => {
    const { versions, names } = await newestVersions(ctx, [str(one)], { showInstalled: true })
    return names.length === 1 && versions.get(names[0]!) === version
  }
  if (truthy(pkgs)) {
    for (const one of iterate(pkgs)) {
      if (!isDict(one)) return true
      const [[key, version] = [null, null]] = [...one]
      if (!(await isNewest(key, version))) return true
    }
    return false
  }
  const version = kwargs.get('version') ?? null
  return !truthy(version) || !(await isNewest(name, version))
}

interface Target {
  name: string
  /** Path of a package file; undefined for a package of a repository. */
  path?: string
  version: string | null
}

async function fileTargets(ctx: FunctionContext, paths: Iterable<Value>): Promise<Target[]> {
  const targets: Target[] = []
  for (const path of paths) {
    const info = (await ctx.call('lowpkg.bin_pkg_info', [path])) as Dict
    targets.push({ name: str(info.get('name')!), path: str(path), version: str(info.get('version')!) })
  }
  return targets
}

function packageTargets({ name, pkgs, kwargs }: Installation, packages: Dict): Target[] {
  const single = kwargs.get('version') ?? null
  const useSingle = truthy(name) && pkgs === null && truthy(single) && packages.size === 1
  return [...packages].map(([key, version]) => {
    const wanted = useSingle ? single : version
    return { name: str(key), version: wanted === null ? null : str(wanted) }
  })
}

interface Plan {
  install: string[]
  downgrade: string[]
  /** Arguments of the command by package. */
  reinstall: Map<string, string>
  errors: string[]
}

const isComparison = (version: string | null): boolean => version !== null && /^[<>]/.test(version)

async function planOf(ctx: FunctionContext, targets: readonly Target[], old: Dict, given: Installation): Promise<Plan> {
  const plan: Plan = { install: [], downgrade: [], reinstall: new Map(), errors: [] }
  const compared = targets.filter(({ version }) => isComparison(version)).map(({ name }) => name)
  const available = compared.length > 0 ? await sourceVersions(ctx, compared) : new Map<string, string[]>()
  const again = given.reinstall
  const holds = (a: string, operator: string, b: string) => versionHolds(a, operator, b, orderOf())
  for (const { name, path, version: wanted } of targets) {
    const present = str(old.get(name) ?? '')
    if (wanted === null) {
      if (again && old.has(name)) plan.reinstall.set(name, name)
      else plan.install.push(name)
      continue
    }
    let version = path === undefined ? wanted.replace(/^=+/, '') : wanted
    if (path === undefined && compared.includes(name)) {
      const candidates = available.get(name) ?? []
      const match = matchVersion(version, candidates, orderOf(given.ignore_epoch))
      if (match === undefined) {
        const known = candidates.length > 0 ? candidates.join(', ') : 'None'
        plan.errors.push(`No version matching '${name}${version}' could be found (available: ${known})`)
        continue
      }
      version = match
    }
    const words = path ?? `${name}=${version}`
    if (again && present !== '' && holds(version, '==', present)) plan.reinstall.set(name, words)
    else if (present === '' || holds(version, '>=', present)) plan.install.push(words)
    else plan.downgrade.push(words)
  }
  return plan
}

/** Return the command up to the word `install`. */
function prefix({ skip_verify, fromrepo, kwargs }: Installation, isFile: boolean): string[] {
  const flag = (name: string): boolean => truthy(kwargs.get(name) ?? false)
  const configuration = flag('force_conf_new') ? ['--force-confnew'] : ['--force-confold', '--force-confdef']
  const recommends = flag('install_recommends') ? '--install-recommends' : '--no-install-recommends'
  const release = fromrepo || (kwargs.get('repo') ?? '')
  return [
    'apt-get',
    '-q',
    '-y',
    ...(flag('force_yes') ? ['--force-yes'] : []),
    ...configuration.flatMap((option) => ['-o', `DPkg::Options::=${option}`]),
    ...(kwargs.has('install_recommends') ? [recommends] : []),
    ...(flag('only_upgrade') ? ['--only-upgrade'] : []),
    ...(skip_verify ? ['--allow-unauthenticated'] : []),
    ...(truthy(release) && !isFile ? ['-t', str(release)] : []),
  ]
}

function commands(plan: Plan, given: Installation, isFile: boolean): string[][] {
  const start = prefix(given, isFile)
  const force = isFile || start.includes('--force-yes') ? [] : ['--force-yes']
  const download = given.downloadonly ? ['--download-only'] : []
  const both = plan.install.length > 0 && plan.downgrade.length > 0
  const list: string[][] = []
  // of these two commands, only the last one gets the option to download only
  if (plan.install.length > 0) list.push([...start, 'install', ...plan.install, ...(both ? [] : download)])
  if (plan.downgrade.length > 0) list.push([...start, ...force, 'install', ...plan.downgrade, ...download])
  if (plan.reinstall.size > 0) {
    list.push([...start, 'install', ...(truthy(given.sources) ? [] : ['--reinstall']), ...plan.reinstall.values()])
  }
  return list
}

export async function install(ctx: FunctionContext, given: Installation): Promise<Dict> {
  const { kwargs } = given
  const refresh = await needsRefresh(ctx, given)
  if (given.debconf) await ctx.call('debconf.set_file', [given.debconf])
  const normalize = given.normalize && truthy(kwargs.get('split_arch') ?? true)
  const options = new Map<string, Value>([...kwargs, ['normalize', normalize]])
  const [packages = null, kind] = await parsed(ctx, given, options)
  if (!truthy(packages)) return new Map()
  const old = await listVersions(ctx)
  const isFile = kind !== 'repository'
  const targets = isDict(packages) ? packageTargets(given, packages) : await fileTargets(ctx, iterate(packages))
  const plan = await planOf(ctx, targets, old, given)
  const list = commands(plan, given, isFile)
  let changes: Dict = new Map()
  if (list.length > 0) {
    if (refresh) await refreshDb(ctx, { cacheValidTime: kwargs.get('cache_valid_time') ?? 0 })
    kwargs.delete('cache_valid_time')
    changes = await perform(ctx, { list, plan, old, kwargs })
  }
  if (plan.errors.length > 0) {
    throw new CommandError('Problem encountered installing package(s)', dictFrom({ errors: plan.errors, changes }))
  }
  return changes
}

async function parsed(ctx: FunctionContext, given: Installation, options: Map<string, Value>): Promise<Value[]> {
  const { name, pkgs, sources } = given
  try {
    return await ctx.call('pkg_resource.parse_targets', [name, pkgs, sources], options)
  } catch (error) {
    if (error instanceof SaltError && error.code === 'MinionError') throw new CommandError(error.message)
    throw error
  }
}

interface Performance {
  list: readonly (readonly string[])[]
  plan: Plan
  old: Dict
  kwargs: Map<string, Value>
}

async function perform(ctx: FunctionContext, { list, plan, old, kwargs }: Performance): Promise<Dict> {
  const wanted = [...plan.install, ...plan.reinstall.keys()].map((words) => words.split('=')[0])
  const held = ((await getSelections(ctx, null, 'hold')).get('hold') ?? []).filter((name) => wanted.includes(name))
  const packages = { name: null, pkgs: held }
  if (held.length > 0) await unhold(ctx, packages)
  const env = kwargs.has('env') ? { env: givenEnvironment(kwargs.get('env')!) } : {}
  for (const words of list) {
    const { retcode, stderr } = await callApt(ctx, words, { ...env, options: kwargs })
    if (retcode !== 0 && stderr !== '') plan.errors.push(stderr)
  }
  forgetPackages(ctx)
  const fresh = await listVersions(ctx)
  const changes = compareDicts(old, fresh)
  for (const name of plan.reinstall.keys()) {
    changes.set(name, dictFrom({ old: old.get(name) ?? '', new: fresh.get(name) ?? '' }))
  }
  if (held.length > 0) await hold(ctx, packages)
  return changes
}
