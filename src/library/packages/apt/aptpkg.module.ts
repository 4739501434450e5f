// Packages of Debian and its relatives, through apt-get, apt-cache and dpkg: the provider of `pkg` there.
import { misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, isTrue, reads, ret } from '../../../sdk/mod.ts'
import {
  fileFunctions,
  latestVersion as latestVersionOf,
  listRepoPkgs,
  type Options,
  removal,
  upgradeAvailable,
  version,
  versionCmp,
} from '../common/functions.ts'
import { refuseOptions } from '../common/installed.ts'
import * as param from '../common/params.ts'
import { newestVersions, sourceVersions, upgrades } from './aptpkg/candidates.ts'
import { infoInstalled, listDownloaded, owner, servicesNeedRestart, show, which } from './aptpkg/files.ts'
import { INSTALL, install } from './aptpkg/install.ts'
import { joinVersions, listPackages } from './aptpkg/installed.ts'
import { addRepoKey, delRepoKey, getRepoKeys } from './aptpkg/keys.ts'
import { modRepo } from './aptpkg/mod-repo.ts'
import { refreshDb } from './aptpkg/refresh.ts'
import { autoremove, uninstall, upgrade } from './aptpkg/remove.ts'
import { delRepo, getRepo, listRepos } from './aptpkg/repos.ts'
import { getSelections, hold, setSelections, unhold } from './aptpkg/selections.ts'
import { orderOf } from './aptpkg/versions.ts'
import { expandRepoDefinition } from './sources/sources.ts'

const { kwargs, names, off } = param
const targets = { name: param.name, pkgs: param.pkgs, sources: param.sources, kwargs }
const repo = arg.string('Definition of the repository, as a line of sources.list')
const aptkey = arg.flag('Use apt-key if it is installed', { default: true })
const keydir = arg.text('Directory of keyrings; default: `/etc/apt/keyrings`', { optional: true })

function splitArch(given: string): { name: string; arch: string | null } {
  const colon = given.lastIndexOf(':')
  return colon < 0 ? { name: given, arch: null } : { name: given.slice(0, colon), arch: given.slice(colon + 1) }
}

function normalize(ctx: FunctionContext, given: string): string {
  const { name, arch } = splitArch(given)
  return arch === null || [ctx.grains.get('osarch'), 'all', 'any'].includes(arch) ? name : given
}

async function latestVersion(ctx: FunctionContext, names: readonly string[], options: Options): Promise<Value> {
  if (options.has('repo')) throw misuse("The 'repo' argument is invalid, use 'fromrepo' instead")
  if (names.length === 0) return ''
  const cacheValidTime = options.get('cache_valid_time') ?? 0
  if (isTrue(options.get('refresh') ?? true)) await refreshDb(ctx, { cacheValidTime })
  const { versions, names: known } = await newestVersions(ctx, names, {
    fromrepo: options.get('fromrepo') ?? null,
    showInstalled: isTrue(options.get('show_installed') ?? false),
  })
  return known.length === 1 ? versions.get(known[0]!)! : new Map(versions)
}

const latest_version = latestVersionOf(
  latestVersion,
  arg.open('`refresh`, `fromrepo`, `show_installed`, `cache_valid_time`'),
)

const system = (ctx: FunctionContext) => ({
  os: str(ctx.grains.get('os') ?? ''),
  codename: str(ctx.grains.get('oscodename') ?? ''),
})

const withoutOwn = (options: Map<string, Value>): Map<string, Value> =>
  new Map([...options].filter(([key]) => !key.startsWith('__')))

export default defineModule({
  name: 'aptpkg',
  virtual: 'pkg',
  doc: 'Manage packages with apt.',
  when: ({ grains }) =>
    grains.get('os_family') === 'Debian' || 'The pkg module could not be loaded: unsupported OS family',
  functions: {
    normalize_name: reads({
      doc: 'Return a package name without the architecture of this machine.',
      args: { name: arg.string('Package name') },
      returns: ret.string('Package name'),
      example: 'pkg.normalize_name zsh:amd64',
      run: (ctx, { name }) => normalize(ctx, name),
    }),
    parse_arch: reads({
      doc: 'Split a package name into name and architecture.',
      args: { name: arg.string('Package name') },
      returns: param.nameAndArch,
      example: 'pkg.parse_arch zsh:amd64',
      run: (_ctx, { name }) => ({ ...splitArch(name) }),
    }),
    latest_version,
    available_version: latest_version,
    version: version(),
    refresh_db: changes({
      doc: 'Refresh the package database.',
      args: {
        cache_valid_time: arg.any(
          'Age in seconds below which the database is not refreshed; a value that is not a number is logged',
          { default: 0 },
        ),
        failhard: arg.isTrue('Raise an error when a source fails', { default: false }),
        kwargs: arg.open('`timeout` in seconds'),
      },
      returns: ret.dict('By source: True when it was fetched, None when it was up to date, False when it failed'),
      run: (ctx, { cache_valid_time, failhard, kwargs }) =>
        refreshDb(ctx, { cacheValidTime: cache_valid_time, failhard, timeout: kwargs.get('timeout') }),
    }),
    install: changes({
      doc: 'Install packages.',
      args: INSTALL,
      returns: param.versionChanges,
      examples: ["salt '*' pkg.install nginx", 'salt \'*\' pkg.install pkgs=\'["foo", {"bar": "1.2.3"}]\''],
      run: install,
    }),
    autoremove: changes({
      doc: 'Remove packages that nothing requires.',
      args: {
        list_only: off('List the packages without removing them'),
        purge: off('Remove configuration files too'),
      },
      returns: ret.any('`old` and `new` version by package name, or the list of names'),
      example: 'pkg.autoremove list_only=True',
      run: (ctx, { list_only, purge }) => autoremove(ctx, list_only, purge),
    }),
    remove: removal('remove', 'Remove packages.', (ctx, call) => uninstall(ctx, 'remove', call)),
    purge: changes({
      doc: 'Remove packages and their configuration.',
      args: { name: param.name, pkgs: param.pkgs, kwargs },
      returns: ret.dict('`removed` and `installed`, each with changes by package name'),
      example: 'pkg.purge nginx',
      run: (ctx, call) => uninstall(ctx, 'purge', call),
    }),
    upgrade: changes({
      doc: 'Upgrade all packages.',
      args: {
        refresh: param.refresh(true),
        dist_upgrade: off('Add and remove packages where an upgrade needs it'),
        kwargs: arg.open('`cache_valid_time`, `download_only`, `force_conf_new`, `skip_verify`, `allow_downgrades`'),
      },
      returns: param.versionChanges,
      run: upgrade,
    }),
    hold: changes({
      doc: 'Hold packages at their version.',
      args: targets,
      returns: param.holdReports,
      example: 'pkg.hold nginx',
      run: hold,
    }),
    unhold: changes({
      doc: 'Release held packages.',
      args: targets,
      returns: param.holdReports,
      example: 'pkg.unhold nginx',
      run: unhold,
    }),
    list_pkgs: reads({
      doc: 'List the installed packages with their versions.',
      args: {
        versions_as_list: param.versions_as_list,
        removed: arg.isTrue('List packages that are removed but not purged', { default: false }),
        purge_desired: arg.isTrue('List packages that wait for a purge', { default: false }),
        kwargs: arg.open('`use_context`'),
      },
      returns: param.versionsByName,
      run: async (ctx, { versions_as_list, removed, purge_desired, kwargs }) => {
        const cached = truthy(kwargs.get('use_context') ?? true)
        const packages = await listPackages(ctx, { removed, purgeDesired: purge_desired, cached })
        return versions_as_list ? new Map<Value, Value>(packages) : joinVersions(packages)
      },
    }),
    list_upgrades: reads({
      doc: 'List the packages that an upgrade would change.',
      args: {
        refresh: param.refresh(true),
        dist_upgrade: arg.flag('Add and remove packages where an upgrade needs it', { default: true }),
        kwargs: arg.open('`cache_valid_time`, `fromrepo`'),
      },
      returns: param.versionsByName,
      run: async (ctx, { refresh, dist_upgrade, kwargs }) => {
        if (refresh) await refreshDb(ctx, { cacheValidTime: kwargs.get('cache_valid_time') ?? 0 })
        return upgrades(ctx, dist_upgrade, kwargs.get('fromrepo'))
      },
    }),
    upgrade_available: upgradeAvailable(async (ctx, name) => (await latestVersion(ctx, [name], new Map())) !== ''),
    version_cmp: versionCmp((_ctx, a, b, ignoreEpoch) => orderOf(ignoreEpoch)(a, b)),
    list_repo_pkgs: listRepoPkgs(async (ctx, names) => new Map<Value, Value>(await sourceVersions(ctx, names))),
    list_repos: reads({
      doc: 'List the repositories.',
      args: { kwargs },
      returns: ret.dict('Entries by URI'),
      run: async (ctx) => new Map<Value, Value>(await listRepos(ctx)),
    }),
    get_repo: reads({
      doc: 'Return the settings of a repository.',
      args: { repo, kwargs: arg.open('`ppa_auth`') },
      returns: param.repoSettings,
      example: 'pkg.get_repo "deb http://deb.debian.org/debian bookworm main"',
      run: (ctx, { repo, kwargs }) => getRepo(ctx, repo, kwargs.get('ppa_auth') ?? null),
    }),
    del_repo: changes({
      doc: 'Remove a repository.',
      args: { repo, kwargs: arg.open('`ppa_auth`') },
      returns: ret.string('What was removed'),
      example: 'pkg.del_repo "deb http://myrepo.example.com/debian bookworm main"',
      run: (ctx, { repo, kwargs }) => delRepo(ctx, repo, kwargs),
    }),
    mod_repo: changes({
      doc: 'Change a repository, or create it.',
      args: {
        repo,
        saltenv: param.saltenv,
        aptkey,
        kwargs: arg.open('`file`, `comps`, `architectures`, `disabled`, `key_url`, `keyid`, `keyserver`, `refresh` …'),
      },
      returns: ret.dict('Settings by definition'),
      example: 'pkg.mod_repo "deb http://myrepo.example.com/debian bookworm main" comps=main,contrib',
      run: async (ctx, given) => new Map<Value, Value>(await modRepo(ctx, given)),
    }),
    expand_repo_def: reads({
      doc: 'Return the settings that a definition gets with the options of `pkgrepo.managed`.',
      args: { repo, kwargs: arg.open('Options of `pkgrepo.managed`') },
      returns: param.repoSettings,
      example: 'pkg.expand_repo_def "deb http://myrepo.example.com/debian bookworm main"',
      run: (ctx, { repo, kwargs }) => expandRepoDefinition(repo, withoutOwn(kwargs), system(ctx)) as Map<Value, Value>,
    }),
    get_repo_keys: reads({
      doc: 'List the keys of repositories.',
      args: { aptkey, keydir },
      returns: ret.orFalse(ret.dict('Facts by key id')),
      run: (ctx, { aptkey, keydir }) => getRepoKeys(ctx, { aptKey: aptkey, keydir }),
    }),
    add_repo_key: changes({
      doc: 'Add a key of a repository.',
      args: {
        path: arg.text('Path or URL of the key file', { optional: true }),
        text: arg.text('Key as text', { optional: true }),
        keyserver: arg.text('Key server to take the key from', { optional: true }),
        keyid: arg.text('Key id', { optional: true }),
        saltenv: param.saltenv,
        aptkey,
        keydir,
        keyfile: arg.text('File name of the key in `keydir`', { optional: true }),
      },
      returns: ret.boolean('Whether the key is there'),
      example: 'pkg.add_repo_key salt://apt/sources/test.key',
      run: (ctx, { aptkey, ...key }) => addRepoKey(ctx, { aptKey: aptkey, ...key }),
    }),
    del_repo_key: changes({
      doc: 'Remove a key of a repository.',
      args: {
        name: arg.text('Personal archive of the key, such as `ppa:owner/name`', { optional: true }),
        aptkey,
        keydir,
        kwargs: arg.open('`keyid`, `keyid_ppa`'),
      },
      returns: ret.any('Key id, or False'),
      example: 'pkg.del_repo_key keyid=0123ABCD',
      run: (ctx, { name, aptkey, keydir, kwargs }) => delRepoKey(ctx, { name, kwargs, aptKey: aptkey, keydir }),
    }),
    ...fileFunctions({
      list: (ctx, packages) => ctx.call('lowpkg.file_list', packages),
      dict: (ctx, packages) => ctx.call('lowpkg.file_dict', packages),
      owner,
    }),
    get_selections: reads({
      doc: 'List the selections of dpkg.',
      args: {
        pattern: arg.text('Glob for package names; default: all packages', { optional: true }),
        state: arg.text('State to list: `install`, `hold`, `deinstall` or `purge`; default: all', { optional: true }),
      },
      returns: ret.dict('Package names by state'),
      example: 'pkg.get_selections state=hold',
      run: async (ctx, { pattern, state }) => new Map<Value, Value>(await getSelections(ctx, pattern, state)),
    }),
    set_selections: changes({
      doc: 'Change the selections of dpkg.',
      args: {
        path: arg.text('File in the format of `dpkg --get-selections`', { optional: true }),
        selection: arg.any('Dict `{state: [package names]}`, or such a dict as YAML text', { optional: true }),
        clear: off('Set the state of all other packages to `deinstall` first'),
        saltenv: param.saltenv,
      },
      returns: ret.dict('`old` and `new` state by package name'),
      example: 'pkg.set_selections selection=\'{"hold": ["nginx"]}\'',
      run: setSelections,
    }),
    show: reads({
      doc: 'Return the fields of `apt-cache show` about packages.',
      args: { names, kwargs: arg.open('`filter`, `refresh`') },
      returns: ret.dict('Facts by package name and version'),
      example: 'pkg.show nginx filter=description,provides',
      run: async (ctx, { names, kwargs }) => {
        refuseOptions(kwargs, ['filter', 'refresh'])
        if (truthy(kwargs.get('refresh') ?? false)) await refreshDb(ctx)
        return show(ctx, names.map(str), kwargs.get('filter') ?? [])
      },
    }),
    info_installed: reads({
      doc: 'Return the facts about installed packages.',
      args: { names, kwargs: arg.open('`failhard`') },
      returns: ret.dict('Facts by package name'),
      example: 'pkg.info_installed nginx',
      run: (ctx, { names, kwargs }) => {
        refuseOptions(kwargs, ['failhard'])
        return infoInstalled(ctx, names, kwargs.get('failhard') ?? true)
      },
    }),
    list_downloaded: reads({
      doc: 'List the downloaded package files.',
      args: { root: param.root, kwargs },
      returns: ret.dict('Facts by package name and version'),
      run: (ctx, { root }) => listDownloaded(ctx, root),
    }),
    services_need_restart: reads({
      doc: 'List the services that still use files of packages before their upgrade, as checkrestart finds them.',
      args: { kwargs },
      returns: ret.texts('Service names'),
      run: (ctx) => servicesNeedRestart(ctx),
    }),
    which: reads({
      doc: 'Return the package that installed a file.',
      args: { path: arg.string('File path') },
      returns: ret.any('Package name, None, or False when the file does not exist'),
      example: 'pkg.which /bin/ls',
      run: (ctx, { path }) => which(ctx, path),
    }),
  },
})
