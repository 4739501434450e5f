// Installed packages, available packages and upgrades.
import {
  compareLoose,
  compareRpm,
  type Dict,
  fnmatch,
  isDict,
  iterate,
  splitLines,
  str,
  truthy,
  type Value,
  versionHolds,
} from '../../../../data/mod.ts'
import { type FunctionContext, isTrue, outputOf } from '../../../../sdk/mod.ts'
import type { Options } from '../../common/functions.ts'
import { clearRefreshMark, listed, single, wantsRemoved } from '../../common/installed.ts'
import { queryInstalled } from '../rpm_lowpkg/installed.ts'
import { areBoth32, splitArch } from '../rpm_lowpkg/package.ts'
import { callYum, isDnf, type ListedPackage, optionWords, parseList, programOf } from './program.ts'
import { listRepos } from './repos.ts'

const KEY = 'pkg.list_pkgs'

export async function listInstalled(ctx: FunctionContext, asList = false, kwargs: Options = new Map()): Promise<Dict> {
  if (wantsRemoved(kwargs)) return new Map()
  const asked = kwargs.get('attr') ?? null
  const attr = asked === null || asked === 'all' ? asked : listed(asked)
  const known = kwargs.get('use_context') === false ? undefined : ctx.memory.get(KEY)
  const packages = known ?? (await queryInstalled(ctx, ['-qa', '--nodigest', '--nosignature']))
  ctx.memory.set(KEY, packages)
  return ctx.call('pkg_resource.format_pkg_list', [packages, asList, attr])
}

/** The exit codes of `check-update`: 100 with pending upgrades, 0 without. */
const VERDICTS: Readonly<Record<number, boolean | null>> = { 100: true, 0: null }

export async function refreshDb(ctx: FunctionContext, kwargs: Options): Promise<boolean | null> {
  await clearRefreshMark(ctx)
  const options = optionWords(kwargs)
  await callYum(ctx, ['--quiet', '--assumeyes', 'clean', 'expire-cache', ...options], { ignore_retcode: true })
  if (kwargs.get('check_update') === false) return true
  const isSeven = ctx.grains.get('os_family') === 'RedHat' && ctx.grains.get('osmajorrelease') === 7
  const kernel = isSeven ? ['--setopt=autocheck_running_kernel=false'] : []
  const words = ['--quiet', '--assumeyes', 'check-update', ...kernel, ...options]
  const { retcode } = await callYum(ctx, words, { ignore_retcode: true })
  return retcode in VERDICTS ? VERDICTS[retcode]! : false
}

const withoutRefresh = (kwargs: Options): Options => new Map([...kwargs].filter(([name]) => name !== 'refresh'))

export async function latestVersion(ctx: FunctionContext, names: readonly string[], given: Options): Promise<Value> {
  if (names.length === 0) return ''
  const kwargs = withoutRefresh(given)
  if (isTrue(given.get('refresh') ?? true)) await refreshDb(ctx, kwargs)
  const current = await listInstalled(ctx, true)
  const words = ['--quiet', ...optionWords(kwargs), 'list', 'available', ...names]
  const { retcode, stdout, stderr } = await callYum(ctx, words, { ignore_retcode: true })
  if (retcode !== 0 && stderr !== '' && !names.every((name) => current.has(name))) {
    ctx.log(
      'error',
      `Problem encountered getting latest version for the following package(s): ${names.join(', ')}. Stderr follows: \n${stderr}`,
    )
  }
  const updates = retcode === 0 ? parseList(ctx, stdout) : []
  updates.sort((a, b) => -(compareLoose(a.version, b.version) ?? 0))
  const found: Dict = new Map()
  for (const name of names) {
    const fits = updates.find((update) => update.name === name && serves(ctx, update, name) && isNewer(update, current))
    found.set(name, fits?.version ?? '')
  }
  return single(found, names)
}

function serves(ctx: FunctionContext, { arch }: ListedPackage, name: string): boolean {
  const osarch = str(ctx.grains.get('osarch') ?? '')
  const wanted = splitArch(name).arch
  return (
    arch === 'noarch' ||
    arch === (wanted === undefined || wanted === 'noarch' ? osarch : wanted) ||
    areBoth32(arch, osarch)
  )
}

function isNewer({ name, version }: ListedPackage, current: Dict): boolean {
  const installed = Array.from(iterate(current.get(name) ?? []))
  return !installed.some((one) => versionHolds(str(one), '>=', version, compareRpm))
}

export async function listUpgrades(ctx: FunctionContext, refresh: boolean, kwargs: Options): Promise<Dict> {
  if (refresh) await refreshDb(ctx, new Map([...kwargs, ['check_update', false]]))
  const program = await programOf(ctx)
  const words = ['--quiet', ...optionWords(kwargs), 'list', isDnf(program) ? '--upgrades' : 'updates']
  const { stdout } = await callYum(ctx, words, { ignore_retcode: true })
  return new Map(parseList(ctx, stdout).map(({ name, version }) => [name, version]))
}

const repoList = (value: Value): string[] => listed(value).filter((repo) => repo !== '*')

async function repositories(ctx: FunctionContext, kwargs: Options): Promise<string[]> {
  const from = kwargs.get('fromrepo') ?? null
  if (truthy(from)) return listed(from)
  const enabled = repoList(kwargs.get('enablerepo') ?? null)
  const disabled = repoList(kwargs.get('disablerepo') ?? null)
  const repos = await listRepos(ctx, kwargs.get('basedir') ?? null)
  return [...repos]
    .filter(([name, repo]) => {
      const isOn = isDict(repo) && str(repo.get('enabled') ?? '1') === '1'
      return enabled.includes(str(name)) || (!disabled.includes(str(name)) && isOn)
    })
    .map(([name]) => str(name))
}

/** Return the versions that repositories have, newest first, by name, or by repository and name. */
export async function listRepoPackages(
  ctx: FunctionContext,
  patterns: readonly string[],
  kwargs: Options,
): Promise<Dict> {
  const repos = await repositories(ctx, kwargs)
  const program = await programOf(ctx)
  const cacheOnly = truthy(kwargs.get('cacheonly') ?? null) ? ['-C'] : []
  const found = new Map<string, Map<string, Set<string>>>()
  const take = (packages: readonly ListedPackage[]): void => {
    for (const { repoid, name, version } of packages) {
      const repo = found.get(repoid) ?? new Map<string, Set<string>>()
      repo.set(name, (repo.get(name) ?? new Set()).add(version))
      found.set(repoid, repo)
    }
  }
  const old = program === 'yum' ? await oldListing(ctx) : undefined
  if (old !== undefined) {
    for (const source of ['installed', 'available']) {
      const words = ['--quiet', ...old, ...cacheOnly, 'list', source]
      const { retcode, stdout } = await callYum(ctx, words, { ignore_retcode: true })
      const wanted = (one: ListedPackage): boolean =>
        repos.includes(one.repoid) && patterns.some((pattern) => fnmatch(one.name, pattern))
      if (retcode === 0) take(parseList(ctx, stdout).filter(wanted))
    }
  } else {
    for (const repo of repos) {
      const asking =
        program === 'tdnf'
          ? [`--enablerepo=${repo}`, 'list']
          : ['--showduplicates', 'repository-packages', repo, 'list']
      const words = ['--quiet', ...asking, ...cacheOnly, ...patterns]
      const { retcode, stdout } = await callYum(ctx, words, { ignore_retcode: true })
      if (retcode === 0 || !stdout.includes('Error:')) take(parseList(ctx, stdout))
    }
  }
  return arranged(found, truthy(kwargs.get('byrepo') ?? null))
}

/** Return the options for a yum that cannot list one repository; undefined for a newer yum. */
async function oldListing(ctx: FunctionContext): Promise<string[] | undefined> {
  const version = splitLines(await outputOf(ctx, ['yum', '--version']))[0]?.trim() ?? ''
  if (versionHolds(version, '<', '3.2.13')) return []
  return versionHolds(version, '<', '3.4.3') ? ['--showduplicates'] : undefined
}

function arranged(found: Map<string, Map<string, Set<string>>>, byRepo: boolean): Dict {
  const newestFirst = (versions: Iterable<string>): string[] => [...versions].sort((a, b) => -(compareLoose(a, b) ?? 0))
  if (byRepo) {
    const inRepo = (repo: Map<string, Set<string>>): Dict =>
      new Map([...repo].map(([name, versions]) => [name, newestFirst(versions)]))
    return new Map([...found].map(([repo, packages]) => [repo, inRepo(packages)]))
  }
  const merged = new Map<string, string[]>()
  for (const packages of found.values()) {
    for (const [name, versions] of packages) merged.set(name, [...(merged.get(name) ?? []), ...versions])
  }
  return new Map([...merged].map(([name, versions]) => [name, newestFirst(versions)]))
}
