// Packages of Red Hat's family through dnf5, dnf, tdnf or yum.
import { compareRpm, type Dict, dictFrom, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  CommandError,
  changes,
  defineModule,
  type FunctionContext,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import {
  installation,
  latestVersion as latestVersionOf,
  listRepoPkgs,
  type Options,
  removal,
  upgradeAvailable,
  version,
  versionCmp,
  withoutEpoch,
} from '../common/functions.ts'
import { changesSince, listed, matchWildcards, namesOf, type TargetCall, targetsOf } from '../common/installed.ts'
import * as param from '../common/params.ts'
import { rpmFunctions } from './rpm_lowpkg/provider.ts'
import { download, listDownloaded, listPatches, outdatedServices } from './yumpkg/extras.ts'
import { groupDict, groupDiff, groupInfo, groupList, missingMembers } from './yumpkg/groups.ts'
import { HOLD_PATTERN, hold, listHolds, unhold } from './yumpkg/holds.ts'
import { archSuffix, INSTALL, install } from './yumpkg/install.ts'
import { latestVersion, listInstalled, listRepoPackages, listUpgrades, refreshDb } from './yumpkg/listing.ts'
import { callYum, findProgram, info, isDnf, optionWords, programOf } from './yumpkg/program.ts'
import { deleteRepo, getRepo, listRepos, modifyRepo } from './yumpkg/repos.ts'

const SYSTEMS = [
  'amazon',
  'xcp',
  'xenserver',
  'virtuozzolinux',
  'virtuozzo',
  'issabel pbx',
  'openeuler',
  'vmware photon os',
]

const UPDATE = {
  name: param.name,
  pkgs: param.pkgs,
  refresh: param.refresh(true),
  skip_verify: param.skip_verify,
  normalize: param.normalize,
  minimal: param.off('Upgrade only to the first version that fixes a bug or a vulnerability'),
}
const obsoletes = 'Install packages that replace installed ones'
const repoOptions = arg.open('`fromrepo`, `enablerepo`, `disablerepo`, `setopt` and further options of the program')

interface UpgradeCall extends Bound<typeof UPDATE> {
  obsoletes: boolean
  diff_attr?: Value
  kwargs: Options
}

async function upgrade(ctx: FunctionContext, call: UpgradeCall): Promise<Dict> {
  const { name, pkgs, refresh, skip_verify, normalize, minimal, obsoletes, diff_attr = null } = call
  const kwargs = new Map(call.kwargs)
  const program = await programOf(ctx)
  if (isDnf(program) && !obsoletes) {
    const settings = listed(kwargs.get('setopt') ?? null).filter((option) => !option.startsWith('obsoletes='))
    kwargs.set('setopt', [...settings, 'obsoletes=False'])
  }
  if (refresh) await refreshDb(ctx, kwargs)
  const attr = new Map([['attr', diff_attr]])
  const old = await listInstalled(ctx, false, attr)
  const targets = name || truthy(pkgs) ? await targetsOf(ctx, { name, pkgs }, kwargs, normalize) : undefined
  const verb = obsoletes || isDnf(program) ? 'upgrade' : 'update'
  const words = [
    '--quiet',
    '-y',
    ...optionWords(kwargs, { further: true }),
    ...(skip_verify ? ['--nogpgcheck'] : []),
    minimal ? `${verb}-minimal` : verb,
    ...(targets ? namesOf(targets) : []),
  ]
  const result = await callYum(ctx, words)
  const changes = await changesSince(ctx, old, () => listInstalled(ctx, false, attr))
  if (result.retcode === 0) return changes
  throw new CommandError('Problem encountered upgrading packages', dictFrom({ changes, result: info(result) }))
}

async function remove(ctx: FunctionContext, { name, pkgs = null }: TargetCall, kwargs: Options): Promise<Dict> {
  const targets = await targetsOf(ctx, { name, pkgs }, new Map(), true)
  const old = await listInstalled(ctx)
  const words: string[] = []
  const wanted = targets?.type === 'repository' ? targets.params : new Map()
  for (const [name, version] of matchWildcards(old, wanted)) {
    const installed = old.get(name)
    if (installed === undefined) continue
    if (!truthy(version)) words.push(str(name))
    else if (str(installed).split(',').includes(str(version))) {
      const { name: plain, suffix } = archSuffix(ctx, str(name), kwargs)
      words.push(`${plain}-${withoutEpoch(str(version))}${suffix}`)
    }
  }
  if (words.length === 0) return new Map()
  const { retcode, stderr } = await callYum(ctx, ['-y', 'remove', ...words])
  const errors = retcode !== 0 && stderr !== '' ? [stderr] : []
  return changesSince(ctx, old, () => listInstalled(ctx), errors, 'Error occurred removing package(s)')
}

async function diff(ctx: FunctionContext, paths: readonly string[]): Promise<Dict> {
  const found: Dict = new Map()
  const byPackage = new Map<string, string[]>()
  for (const path of paths) {
    const owner = str(await ctx.call('lowpkg.owner', [path]))
    if (owner !== '') byPackage.set(owner, [...(byPackage.get(owner) ?? []), path])
    else found.set(path, (await ctx.host.stat(path)) === undefined ? 'N/A' : 'Not managed')
  }
  const files = byPackage.size > 0 ? await download(ctx, [...byPackage.keys()]) : new Map()
  for (const [name, mine] of byPackage) {
    for (const path of mine) {
      const differs = await ctx.call('lowpkg.diff', [files.get(name) ?? null, path])
      found.set(path, truthy(differs) ? differs : 'Unchanged')
    }
  }
  return found
}

const latest_version = latestVersionOf(latestVersion)

const list_upgrades = reads({
  doc: 'List the packages with a newer version.',
  example: 'pkg.list_upgrades',
  args: { refresh: param.refresh(true), kwargs: repoOptions },
  returns: param.versionsByName,
  run: (ctx, { refresh, kwargs }) => listUpgrades(ctx, refresh, kwargs),
})

const list_holds = reads({
  doc: 'List the held packages.',
  example: 'pkg.list_holds',
  args: {
    pattern: arg.text('Regular expression for names in the list of locks', { default: HOLD_PATTERN }),
    full: arg.flag('Return versions too', { default: true }),
  },
  returns: ret.list('Held packages'),
  run: (ctx, { pattern, full }) => listHolds(ctx, pattern, full),
})

const group_install = changes({
  doc: 'Install the mandatory and default packages of groups.',
  example: "pkg.group_install 'Group 1'",
  args: {
    name: arg.textOrList('Group name, several names separated by commas, or a list of names'),
    skip: arg.textOrList('List of default packages to leave out, or a text with commas', { default: [] }),
    include: arg.textOrList('List of further packages to install, or a text with commas', { default: [] }),
    kwargs: arg.open('Options of `pkg.install`'),
  },
  returns: ret.any('`old` and `new` version by package name'),
  run: async (ctx, { name, skip, include, kwargs }) => {
    const pkgs = await missingMembers(ctx, name, skip, include)
    return pkgs.length === 0 ? {} : ctx.call('pkg.install', [], new Map([...kwargs, ['pkgs', pkgs]]))
  },
})

const group = arg.text('Group name or id')
const repo = arg.text('Repository id')
const basedir = arg.words('Directories of `.repo` files; default: as the configuration of the program says', {
  optional: true,
})
const refreshing = (fun: string) =>
  changes({
    doc: 'Refresh the package database.',
    example: `pkg.${fun}`,
    args: { kwargs: repoOptions },
    returns: ret.optional(ret.boolean('True with pending upgrades, None without, False after a failure')),
    run: (ctx, { kwargs }) => refreshDb(ctx, kwargs),
  })

export default defineModule({
  name: 'yumpkg',
  virtual: 'pkg',
  doc: 'Install packages with dnf or yum.',
  when: async ({ opts, grains, host }) => {
    if (opts.get('yum_provider') === 'yumpkg_api') return 'Module yumpkg: yumpkg_api provider not available'
    const grain = (name: string): string => str(grains.get(name) ?? '').toLowerCase()
    if (grain('os_family') !== 'redhat' && !SYSTEMS.includes(grain('os'))) {
      return 'Module yumpkg: no yum based system detected'
    }
    return (await findProgram(host)) !== undefined || 'DNF nor YUM found'
  },
  functions: {
    ...rpmFunctions({ root: false }),
    latest_version,
    available_version: latest_version,
    upgrade_available: upgradeAvailable(
      async (ctx, name, options) => (await latestVersion(ctx, [name], options)) !== '',
    ),
    version: version(),
    version_cmp: versionCmp((_ctx, a, b, ignoreEpoch) =>
      ignoreEpoch ? compareRpm(withoutEpoch(a), withoutEpoch(b)) : compareRpm(a, b),
    ),
    list_pkgs: reads({
      doc: 'List the installed packages with their versions.',
      args: { versions_as_list: param.versions_as_list, kwargs: arg.open('`attr`, `use_context`') },
      returns: param.versionsByName,
      run: (ctx, { versions_as_list, kwargs }) => listInstalled(ctx, versions_as_list, kwargs),
    }),
    list_repo_pkgs: listRepoPkgs(listRepoPackages),
    list_upgrades,
    list_updates: list_upgrades,
    list_downloaded: reads({
      doc: 'List the downloaded package files.',
      args: { kwargs: param.kwargs },
      returns: ret.dict('Files by package name and version'),
      run: (ctx) => listDownloaded(ctx),
    }),
    refresh_db: refreshing('refresh_db'),
    clean_metadata: refreshing('clean_metadata'),
    install: installation(INSTALL, install),
    upgrade: changes({
      doc: 'Upgrade packages; all of them when none is given.',
      args: {
        ...UPDATE,
        obsoletes: arg.flag(obsoletes, { default: true }),
        diff_attr: arg.any('Facts in the changes: a list, a text with commas, or `all`; default: versions', {
          optional: true,
        }),
        kwargs: repoOptions,
      },
      returns: param.versionChanges,
      run: upgrade,
    }),
    update: changes({
      doc: 'Upgrade packages without packages that replace installed ones.',
      args: { ...UPDATE, obsoletes: arg.flag(obsoletes, { default: false }), kwargs: repoOptions },
      returns: param.versionChanges,
      run: upgrade,
    }),
    remove: removal('remove', 'Remove packages.', (ctx, call) => remove(ctx, call, call.kwargs)),
    purge: removal('purge', 'Remove packages.', (ctx, call) => remove(ctx, call, new Map())),
    hold: changes({
      doc: 'Hold packages at their version.',
      example: 'pkg.hold bash',
      args: {
        name: param.name,
        pkgs: param.pkgs,
        sources: param.sources,
        normalize: param.normalize,
        kwargs: param.kwargs,
      },
      returns: param.holdReports,
      run: hold,
    }),
    unhold: changes({
      doc: 'Release held packages.',
      example: 'pkg.unhold bash',
      args: { name: param.name, pkgs: param.pkgs, sources: param.sources, kwargs: param.kwargs },
      returns: param.holdReports,
      run: unhold,
    }),
    list_holds,
    get_locked_packages: list_holds,
    group_list: reads({
      doc: 'List the package groups.',
      returns: ret.dict('Group names by kind, such as `installed` and `available environments`'),
      run: groupList,
    }),
    group_info: reads({
      doc: 'List the packages of a group.',
      example: "pkg.group_info 'Perl Support'",
      args: {
        name: group,
        expand: param.off('Replace the groups of an environment by their packages'),
        ignore_groups: arg.words('Groups not to expand', { optional: true }),
        kwargs: arg.open('`fromrepo`, `enablerepo`, `disablerepo`'),
      },
      returns: ret.dict('Package names by type, and `type`, `group`, `id` and `description`'),
      run: async (ctx, { name, expand, ignore_groups, kwargs }) =>
        groupDict(await groupInfo(ctx, name, expand, [...(ignore_groups ?? [])], kwargs)),
    }),
    group_diff: reads({
      doc: 'List the installed and the missing packages of a group.',
      example: "pkg.group_diff 'Perl Support'",
      args: { name: group, kwargs: arg.open('`fromrepo`, `enablerepo`, `disablerepo`') },
      returns: ret.dict('`installed` and `not installed` package names by type'),
      run: (ctx, { name, kwargs }) => groupDiff(ctx, name, kwargs),
    }),
    group_install,
    groupinstall: group_install,
    list_repos: reads({
      doc: 'List the repositories.',
      args: { basedir, kwargs: param.kwargs },
      returns: ret.dict('Settings by repository id'),
      run: (ctx, { basedir }) => listRepos(ctx, basedir),
    }),
    get_repo: reads({
      doc: 'Return the settings of a repository.',
      example: 'pkg.get_repo myrepo',
      args: { repo, basedir, kwargs: param.kwargs },
      returns: param.repoSettings,
      run: (ctx, { repo, basedir }) => getRepo(ctx, repo, basedir),
    }),
    del_repo: changes({
      doc: 'Remove a repository.',
      example: 'pkg.del_repo myrepo',
      args: { repo, basedir, kwargs: param.kwargs },
      returns: ret.string('What was removed'),
      run: (ctx, { repo, basedir }) => deleteRepo(ctx, repo, basedir),
    }),
    mod_repo: changes({
      doc: 'Change a repository, or create it.',
      example: "pkg.mod_repo reponame enabled=1 gpgcheck=1 baseurl='http://host/'",
      args: { repo, basedir, kwargs: arg.open('Settings of the repository; an empty value removes a setting') },
      returns: ret.dict('Repositories by file path'),
      run: (ctx, { repo, basedir, kwargs }) => modifyRepo(ctx, repo, basedir, kwargs),
    }),
    download: changes({
      doc: 'Download package files.',
      example: 'pkg.download httpd',
      args: { packages: param.names, kwargs: param.kwargs },
      returns: ret.dict('File path by package name'),
      run: (ctx, { packages }) => download(ctx, packages.map(str)),
    }),
    diff: reads({
      doc: 'Return how files differ from the files in their packages.',
      example: 'pkg.diff /etc/hosts',
      args: { paths: param.paths, kwargs: param.kwargs },
      returns: ret.dict('Difference by path'),
      run: (ctx, { paths }) => diff(ctx, paths.map(str)),
    }),
    list_patches: reads({
      doc: 'List the advisories.',
      args: { refresh: param.off('Refresh the package database first'), kwargs: param.kwargs },
      returns: ret.dict('`installed` and `summary` by advisory id'),
      run: async (ctx, { refresh }) => {
        if (refresh) await refreshDb(ctx, new Map())
        return listPatches(ctx)
      },
    }),
    list_installed_patches: reads({
      doc: 'List the installed advisories.',
      args: { kwargs: param.kwargs },
      returns: ret.dict('`installed` and `summary` by advisory id'),
      run: (ctx) => listPatches(ctx, true),
    }),
    services_need_restart: reads({
      doc: 'List the services that still use files of packages before their upgrade.',
      args: { kwargs: param.kwargs },
      returns: ret.texts('Service names'),
      run: outdatedServices,
    }),
  },
})
