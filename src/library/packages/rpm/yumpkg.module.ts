// Packages of Red Hat's family through dnf5, dnf, tdnf or yum.
import { compareRpm, type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { CommandError, defineModule, type FunctionContext, isTrue, ret } from '../../../sdk/mod.ts'
import { type Call, changing, reading } from '../common/declare.ts'
import type { HoldCall } from '../common/holds.ts'
import { changesSince, infoOf, listed, matchWildcards, namesOf, targetsOf } from '../common/installed.ts'
import { normalizeName, splitArch } from './rpm_lowpkg/package.ts'
import { download, listDownloaded, listPatches, outdatedServices } from './yumpkg/extras.ts'
import { groupDict, groupDiff, groupInfo, groupList, missingMembers } from './yumpkg/groups.ts'
import { HOLD_PATTERN, hold, listHolds, unhold } from './yumpkg/holds.ts'
import { archSuffix, type Installation, install } from './yumpkg/install.ts'
import { latestVersion, listInstalled, listRepoPackages, listUpgrades, refreshDb } from './yumpkg/listing.ts'
import { callYum, findProgram, info, isDnf, type Options, optionWords, programOf } from './yumpkg/program.ts'
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

const held = ({ given }: Call): HoldCall => given as unknown as HoldCall

async function upgrade(ctx: FunctionContext, { given, kwargs: further }: Call): Promise<Dict> {
  const obsoletes = truthy(given['obsoletes']!)
  const kwargs = new Map(further)
  const program = await programOf(ctx)
  if (isDnf(program) && !obsoletes) {
    const settings = listed(kwargs.get('setopt') ?? null).filter((option) => !option.startsWith('obsoletes='))
    kwargs.set('setopt', [...settings, 'obsoletes=False'])
  }
  if (isTrue(given['refresh']!)) await refreshDb(ctx, kwargs)
  const attr = new Map([['attr', given['diff_attr'] ?? null]])
  const old = await listInstalled(ctx, false, attr)
  const { name = null, pkgs = null } = given
  const targets =
    truthy(name) || truthy(pkgs) ? await targetsOf(ctx, { name, pkgs }, kwargs, truthy(given['normalize']!)) : undefined
  const verb = obsoletes || isDnf(program) ? 'upgrade' : 'update'
  const words = [
    '--quiet',
    '-y',
    ...optionWords(kwargs, { further: true }),
    ...(truthy(given['skip_verify']!) ? ['--nogpgcheck'] : []),
    truthy(given['minimal']!) ? `${verb}-minimal` : verb,
    ...(targets ? namesOf(targets) : []),
  ]
  const result = await callYum(ctx, words)
  const changes = await changesSince(ctx, old, () => listInstalled(ctx, false, attr))
  if (result.retcode === 0) return changes
  throw new CommandError('Problem encountered upgrading packages', infoOf({ changes, result: info(result) }))
}

async function remove(ctx: FunctionContext, given: Readonly<Record<string, Value>>, kwargs: Options): Promise<Dict> {
  const targets = await targetsOf(ctx, given, new Map(), true)
  const old = await listInstalled(ctx)
  const words: string[] = []
  for (const [name, version] of matchWildcards(old, (targets?.params ?? new Map()) as Dict)) {
    const installed = old.get(name)
    if (installed === undefined) continue
    if (!truthy(version)) words.push(str(name))
    else if (str(installed).split(',').includes(str(version))) {
      const { name: plain, suffix } = archSuffix(ctx, str(name), kwargs)
      words.push(`${plain}-${str(version).slice(str(version).indexOf(':') + 1)}${suffix}`)
    }
  }
  if (words.length === 0) return new Map()
  const { retcode, stderr } = await callYum(ctx, ['-y', 'remove', ...words])
  const errors = retcode !== 0 && stderr !== '' ? [stderr] : []
  return changesSince(ctx, old, () => listInstalled(ctx), errors, 'Error occurred removing package(s)')
}

/** Facts under the names that all package managers use. */
function renamed(facts: Value): Value {
  if (Array.isArray(facts)) return (facts as Value[]).map(renamed)
  return isDict(facts)
    ? new Map([...facts].map(([key, value]) => [key === 'source_rpm' ? 'source' : key, value]))
    : facts
}

async function installedInfo(ctx: FunctionContext, { rest, kwargs }: Call): Promise<Dict> {
  const found = await ctx.call('lowpkg.info', rest, kwargs)
  return new Map([...found].map(([name, facts]) => [name, renamed(facts)]))
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

const INSTALL =
  'name refresh=false skip_verify=false pkgs sources downloadonly=false reinstall=false normalize=true update_holds=false saltenv="base" ignore_epoch=false **kwargs'

const latest_version = reading(
  'The newest version that can be installed; empty when there is none newer than the installed one.',
  '*names **kwargs',
  'pkg.latest_version bash',
  (ctx, { rest, kwargs }) => latestVersion(ctx, rest, kwargs),
)

const list_upgrades = reading(
  'Packages of which there is a newer version.',
  'refresh=true **kwargs',
  'pkg.list_upgrades',
  (ctx, { given, kwargs }) => listUpgrades(ctx, given['refresh']!, kwargs),
  ret.dict('New versions by name'),
)

const list_holds = reading(
  'Held packages.',
  `pattern="${HOLD_PATTERN.replaceAll('\\', '\\\\')}" full=true`,
  'pkg.list_holds',
  (ctx, { given }) => listHolds(ctx, str(given['pattern']!), truthy(given['full']!)),
  ret.list('The held packages'),
)

const group_install = changing(
  'Install the packages of groups.',
  '!name skip=[] include=[] **kwargs',
  "pkg.group_install 'Group 1'",
  async (ctx, { given, kwargs }) => {
    const pkgs = await missingMembers(ctx, given['name']!, given['skip']!, given['include']!)
    return pkgs.length === 0 ? {} : ((await ctx.call('pkg.install', [], new Map([...kwargs, ['pkgs', pkgs]]))) as Dict)
  },
)

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
    normalize_name: reading(
      "A name without the machine's architecture.",
      '!name',
      'pkg.normalize_name zsh.x86_64',
      (ctx, { given }) => normalizeName(str(given['name']!), str(ctx.grains.get('osarch') ?? '')),
    ),
    parse_arch: reading(
      'A name and its architecture.',
      '!name',
      'pkg.parse_arch zsh.x86_64',
      (_ctx, { given }) => {
        const { name, arch } = splitArch(str(given['name']!))
        return { name, arch: arch ?? null }
      },
      ret.dict('`name` and `arch`'),
    ),
    latest_version,
    available_version: latest_version,
    upgrade_available: reading(
      'Whether there is a newer version of a package.',
      '!name **kwargs',
      'pkg.upgrade_available bash',
      async (ctx, { given, kwargs }) => (await latestVersion(ctx, [str(given['name']!)], kwargs)) !== '',
    ),
    version: reading('Installed versions.', '*names **kwargs', 'pkg.version bash', (ctx, { rest, kwargs }) =>
      ctx.call('pkg_resource.version', rest, kwargs),
    ),
    version_cmp: reading(
      'Which of two versions is newer.',
      '!pkg1 !pkg2 ignore_epoch=false **kwargs',
      "pkg.version_cmp '0.2-001' '0.2.0.1-002'",
      (_ctx, { given }) => {
        const plain = (version: string): string =>
          isTrue(given['ignore_epoch']!) ? version.slice(version.indexOf(':') + 1) : version
        return compareRpm(plain(str(given['pkg1']!)), plain(str(given['pkg2']!)))
      },
    ),
    list_pkgs: reading(
      'Installed packages with their versions.',
      'versions_as_list=false **kwargs',
      'pkg.list_pkgs',
      (ctx, { given, kwargs }) => listInstalled(ctx, isTrue(given['versions_as_list']!), kwargs),
      ret.dict('Versions by name'),
    ),
    list_repo_pkgs: reading(
      'Versions that repositories have.',
      '*args **kwargs',
      "pkg.list_repo_pkgs 'samba4*' fromrepo=base,updates",
      (ctx, { rest, kwargs }) => listRepoPackages(ctx, rest, kwargs),
      ret.dict('Versions by name'),
    ),
    list_upgrades,
    list_updates: list_upgrades,
    list_downloaded: reading(
      'Package files that were fetched.',
      '**kwargs',
      'pkg.list_downloaded',
      (ctx) => listDownloaded(ctx),
      ret.dict('The files, by package and version'),
    ),
    info_installed: reading(
      'All facts about installed packages.',
      '*names **kwargs',
      'pkg.info_installed httpd',
      installedInfo,
    ),
    refresh_db: changing('Fetch the package lists.', '**kwargs', 'pkg.refresh_db', (ctx, { kwargs }) =>
      refreshDb(ctx, kwargs),
    ),
    clean_metadata: changing('Fetch the package lists.', '**kwargs', 'pkg.clean_metadata', (ctx, { kwargs }) =>
      refreshDb(ctx, kwargs),
    ),
    install: changing(
      'Install packages.',
      INSTALL,
      'pkg.install bash',
      (ctx, { given, kwargs }) => install(ctx, given as unknown as Installation, kwargs),
      ret.dict('Old and new versions, by package'),
    ),
    upgrade: changing(
      'Bring packages to their newest version.',
      'name pkgs refresh=true skip_verify=false normalize=true minimal=false obsoletes=true diff_attr **kwargs',
      'pkg.upgrade',
      upgrade,
      ret.dict('Old and new versions, by package'),
    ),
    update: changing(
      'Bring packages to their newest version, without what replaces them.',
      'name pkgs refresh=true skip_verify=false normalize=true minimal=false obsoletes=false **kwargs',
      'pkg.update',
      upgrade,
    ),
    remove: changing('Remove packages.', 'name pkgs **kwargs', 'pkg.remove bash', (ctx, { given, kwargs }) =>
      remove(ctx, given, kwargs),
    ),
    purge: changing('Remove packages.', 'name pkgs **kwargs', 'pkg.purge bash', (ctx, { given }) =>
      remove(ctx, given, new Map()),
    ),
    hold: changing(
      'Hold packages at their version.',
      'name pkgs sources normalize=true **kwargs',
      'pkg.hold bash',
      (ctx, call) => hold(ctx, held(call)),
      ret.dict('What was done, by package'),
    ),
    unhold: changing(
      'Let held packages go.',
      'name pkgs sources **kwargs',
      'pkg.unhold bash',
      (ctx, call) => unhold(ctx, held(call)),
      ret.dict('What was done, by package'),
    ),
    list_holds,
    get_locked_packages: list_holds,
    verify: reading(
      'Files that differ from their packages.',
      '*names **kwargs',
      'pkg.verify httpd',
      (ctx, { rest, kwargs }) => ctx.call('lowpkg.verify', rest, kwargs),
    ),
    group_list: reading('Groups of packages.', '', 'pkg.group_list', (ctx) => groupList(ctx)),
    group_info: reading(
      'The packages of a group.',
      '!name expand=false ignore_groups **kwargs',
      "pkg.group_info 'Perl Support'",
      async (ctx, { given, kwargs }) => {
        const done = listed(given['ignore_groups'] ?? null)
        return groupDict(await groupInfo(ctx, str(given['name']!), truthy(given['expand']!), done, kwargs))
      },
    ),
    group_diff: reading(
      'Which packages of a group are installed.',
      '!name **kwargs',
      "pkg.group_diff 'Perl Support'",
      (ctx, { given, kwargs }) => groupDiff(ctx, str(given['name']!), kwargs),
      ret.dict('Installed and missing packages, by kind'),
    ),
    group_install,
    groupinstall: group_install,
    list_repos: reading(
      'Repositories.',
      'basedir **kwargs',
      'pkg.list_repos',
      (ctx, { given, kwargs }) => listRepos(ctx, given['basedir']!, kwargs),
      ret.dict('The repositories, by name'),
    ),
    get_repo: reading(
      'A repository.',
      '!repo basedir **kwargs',
      'pkg.get_repo myrepo',
      (ctx, { given, kwargs }) => getRepo(ctx, str(given['repo']!), given['basedir']!, kwargs),
      ret.dict('The settings of the repository'),
    ),
    del_repo: changing(
      'Remove a repository.',
      '!repo basedir **kwargs',
      'pkg.del_repo myrepo',
      (ctx, { given, kwargs }) => deleteRepo(ctx, str(given['repo']!), given['basedir']!, kwargs),
    ),
    mod_repo: changing(
      'Change a repository, or make one.',
      '!repo basedir **kwargs',
      "pkg.mod_repo reponame enabled=1 gpgcheck=1 baseurl='http://host/'",
      (ctx, { given, kwargs }) => modifyRepo(ctx, str(given['repo']!), given['basedir']!, kwargs),
    ),
    file_list: reading('The files of packages.', '*packages **kwargs', 'pkg.file_list httpd', (ctx, { rest }) =>
      ctx.call('lowpkg.file_list', rest),
    ),
    file_dict: reading(
      'The files of packages, by package.',
      '*packages **kwargs',
      'pkg.file_dict httpd',
      (ctx, { rest }) => ctx.call('lowpkg.file_dict', rest),
    ),
    owner: reading(
      'The packages that files belong to.',
      '*paths **kwargs',
      'pkg.owner /usr/bin/apachectl',
      (ctx, { rest }) => ctx.call('lowpkg.owner', rest),
    ),
    modified: reading(
      'Files that differ from their packages.',
      '*packages **flags',
      'pkg.modified httpd',
      (ctx, { rest, kwargs }) => ctx.call('lowpkg.modified', rest, kwargs),
    ),
    download: changing('Fetch package files.', '*packages **kwargs', 'pkg.download httpd', (ctx, { rest }) =>
      download(ctx, rest),
    ),
    diff: reading(
      'How files differ from those of their packages.',
      '*paths **kwargs',
      'pkg.diff /etc/hosts',
      (ctx, { rest }) => diff(ctx, rest),
    ),
    list_patches: reading('Advisories.', 'refresh=false **kwargs', 'pkg.list_patches', async (ctx, { given }) => {
      if (truthy(given['refresh']!)) await refreshDb(ctx, new Map())
      return listPatches(ctx)
    }),
    list_installed_patches: reading(
      'Advisories that were followed.',
      '**kwargs',
      'pkg.list_installed_patches',
      (ctx) => listPatches(ctx, true),
      ret.dict('The patches, by name'),
    ),
    services_need_restart: reading(
      'Services that still run what an update replaced.',
      '**kwargs',
      'pkg.services_need_restart',
      (ctx) => outdatedServices(ctx),
    ),
  },
})
