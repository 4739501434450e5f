// Packages of Debian and its relatives, through apt-get, apt-cache and dpkg: the provider of `pkg` there.
import { SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { type Arg, arg, changes, defineModule, type FunctionContext, isTrue, reads, ret } from '../../../sdk/mod.ts'
import { newestVersions, sourceVersions, upgrades } from './aptpkg/candidates.ts'
import {
  infoInstalled,
  listDownloaded,
  owner,
  refuseOptions,
  servicesNeedRestart,
  show,
  which,
} from './aptpkg/files.ts'
import { install } from './aptpkg/install.ts'
import { joinVersions, listPackages } from './aptpkg/installed.ts'
import { addRepoKey, delRepoKey, getRepoKeys } from './aptpkg/keys.ts'
import { modRepo } from './aptpkg/mod-repo.ts'
import { refreshDb } from './aptpkg/refresh.ts'
import { autoremove, uninstall, upgrade } from './aptpkg/remove.ts'
import { delRepo, getRepo, listRepos } from './aptpkg/repos.ts'
import { getSelections, hold, setSelections, unhold } from './aptpkg/selections.ts'
import { orderOf } from './aptpkg/versions.ts'
import { expandRepoDefinition } from './sources/sources.ts'

const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const flag = (doc: string, otherwise = false): Arg<Value> => arg.any(doc, { default: otherwise })
const name = optional('The package, or several with commas between them')
const pkgs = optional('Packages, each a name or a name with a version')
const kwargs = arg.open('Further options')
const names = arg.rest('Packages')
const targets = { name, pkgs, sources: optional('Package files by name'), kwargs }
const aptkey = arg.flag('Whether apt-key is used, where there is one', { default: true })
const keydir = optional('The folder of keyrings, `/etc/apt/keyrings` when left out')

function splitArch(given: string): { name: string; arch: string | null } {
  const colon = given.lastIndexOf(':')
  return colon < 0 ? { name: given, arch: null } : { name: given.slice(0, colon), arch: given.slice(colon + 1) }
}

function normalize(ctx: FunctionContext, given: string): string {
  const { name, arch } = splitArch(given)
  return arch === null || [ctx.grains.get('osarch'), 'all', 'any'].includes(arch) ? name : given
}

async function latestVersion(
  ctx: FunctionContext,
  names: readonly Value[],
  options: Map<string, Value>,
): Promise<Value> {
  if (options.has('repo')) {
    throw new SaltError('SaltInvocationError', "The 'repo' argument is invalid, use 'fromrepo' instead")
  }
  if (names.length === 0) return ''
  const cacheValidTime = options.get('cache_valid_time') ?? 0
  if (isTrue(options.get('refresh') ?? true)) await refreshDb(ctx, { cacheValidTime })
  const { versions, names: known } = await newestVersions(ctx, names.map(str), {
    fromrepo: options.get('fromrepo') ?? null,
    showInstalled: isTrue(options.get('show_installed') ?? false),
  })
  return known.length === 1 ? versions.get(known[0]!)! : new Map(versions)
}

const latest_version = reads({
  doc: 'The newest version of packages that could be installed; nothing for those that are up to date.',
  args: { names, kwargs: arg.open('`refresh`, `fromrepo`, `show_installed`, `cache_valid_time`') },
  returns: ret.any('The version, or versions by name when there are several'),
  example: 'pkg.latest_version nginx',
  run: (ctx, { names, kwargs }) => latestVersion(ctx, names, kwargs),
})

const text = (value: Value): string | undefined => (truthy(value) ? str(value) : undefined)

/** Options that were given, without those that were not. */
const present = <T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never

async function versionCompare(a: string, b: string, ignoreEpoch: boolean): Promise<number | null> {
  return orderOf(ignoreEpoch)(a, b) ?? null
}

const system = (ctx: FunctionContext) => ({
  os: str(ctx.grains.get('os') ?? ''),
  codename: str(ctx.grains.get('oscodename') ?? ''),
})

const withoutOwn = (options: Map<string, Value>): Map<string, Value> =>
  new Map([...options].filter(([key]) => !key.startsWith('__')))

export default defineModule({
  name: 'aptpkg',
  virtual: 'pkg',
  doc: 'Packages through apt.',
  when: ({ grains }) =>
    grains.get('os_family') === 'Debian' || 'The pkg module could not be loaded: unsupported OS family',
  functions: {
    normalize_name: reads({
      doc: "The name of a package without the machine's own architecture.",
      args: { name: arg.string('The package') },
      returns: ret.string('The name'),
      example: 'pkg.normalize_name zsh:amd64',
      run: (ctx, { name }) => normalize(ctx, name),
    }),
    parse_arch: reads({
      doc: 'Name and architecture of a package.',
      args: { name: arg.string('The package') },
      returns: ret.dict('`name` and `arch`'),
      example: 'pkg.parse_arch zsh:amd64',
      run: (_ctx, { name }) => ({ ...splitArch(name) }),
    }),
    latest_version,
    available_version: latest_version,
    version: reads({
      doc: 'Installed versions of packages; an empty text for one that is not installed.',
      args: { names, kwargs },
      returns: ret.any('The version, or versions by name when there are several'),
      example: 'pkg.version nginx',
      run: (ctx, { names, kwargs }) => ctx.call('pkg_resource.version', names, kwargs),
    }),
    refresh_db: changes({
      doc: 'Fetch the package lists.',
      args: {
        cache_valid_time: arg.any('Do nothing when they are younger than these seconds', { default: 0 }),
        failhard: flag('Whether a source that fails is an error'),
        kwargs: arg.open('`timeout`'),
      },
      returns: ret.dict('By source: true when fetched, null when up to date, false when it failed'),
      example: 'pkg.refresh_db',
      run: (ctx, { cache_valid_time, failhard, kwargs }) =>
        refreshDb(ctx, {
          cacheValidTime: cache_valid_time,
          failhard: isTrue(failhard),
          ...present({ timeout: kwargs.get('timeout') }),
        }),
    }),
    install: changes({
      doc: 'Install packages.',
      args: {
        name,
        refresh: flag('Whether the lists are fetched first'),
        fromrepo: optional('The release they come from'),
        skip_verify: arg.flag('Whether packages without a signature are accepted', { default: false }),
        debconf: optional('A file of answers to debconf'),
        pkgs,
        sources: optional('Package files by name'),
        reinstall: arg.flag('Whether installed ones are installed again', { default: false }),
        downloadonly: arg.flag('Whether they are only downloaded', { default: false }),
        ignore_epoch: arg.flag('Whether epochs do not count when versions are compared', { default: false }),
        normalize: arg.flag("Whether the machine's own architecture is left out of names", { default: true }),
        kwargs: arg.open(
          '`version`, `force_yes`, `install_recommends`, `only_upgrade`, `force_conf_new`, `cache_valid_time`, `env`',
        ),
      },
      returns: ret.dict('`old` and `new` version by package'),
      examples: ["salt '*' pkg.install nginx", 'salt \'*\' pkg.install pkgs=\'["foo", {"bar": "1.2.3"}]\''],
      run: install,
    }),
    autoremove: changes({
      doc: 'Remove packages that nothing needs any more.',
      args: {
        list_only: arg.flag('Whether they are only named', { default: false }),
        purge: arg.flag('Whether their configuration goes too', { default: false }),
      },
      returns: ret.any('The changes, or the names'),
      example: 'pkg.autoremove list_only=True',
      run: (ctx, { list_only, purge }) => autoremove(ctx, list_only, purge),
    }),
    remove: changes({
      doc: 'Remove packages.',
      args: { name, pkgs, kwargs },
      returns: ret.dict('`old` and `new` version by package'),
      example: 'pkg.remove nginx',
      run: (ctx, given) => uninstall(ctx, 'remove', given),
    }),
    purge: changes({
      doc: 'Remove packages and their configuration.',
      args: { name, pkgs, kwargs },
      returns: ret.dict('`removed` and `installed`, each with changes by package'),
      example: 'pkg.purge nginx',
      run: (ctx, given) => uninstall(ctx, 'purge', given),
    }),
    upgrade: changes({
      doc: 'Upgrade all packages.',
      args: {
        refresh: flag('Whether the lists are fetched first', true),
        dist_upgrade: arg.flag('Whether packages may be added and removed for it', { default: false }),
        kwargs: arg.open('`cache_valid_time`, `download_only`, `force_conf_new`, `skip_verify`, `allow_downgrades`'),
      },
      returns: ret.dict('`old` and `new` version by package'),
      example: 'pkg.upgrade',
      run: upgrade,
    }),
    hold: changes({
      doc: 'Keep packages at their versions.',
      args: targets,
      returns: ret.dict('A report by package'),
      example: 'pkg.hold nginx',
      run: hold,
    }),
    unhold: changes({
      doc: 'Let packages be upgraded again.',
      args: targets,
      returns: ret.dict('A report by package'),
      example: 'pkg.unhold nginx',
      run: unhold,
    }),
    list_pkgs: reads({
      doc: 'Installed packages and their versions.',
      args: {
        versions_as_list: flag('Whether versions are lists'),
        removed: flag('Those that are removed and not purged'),
        purge_desired: flag('Those that are to be purged and cannot be'),
        kwargs: arg.open('`use_context`'),
      },
      returns: ret.dict('Versions by package'),
      example: 'pkg.list_pkgs',
      run: async (ctx, { versions_as_list, removed, purge_desired, kwargs }) => {
        const packages = await listPackages(ctx, {
          removed: isTrue(removed),
          purgeDesired: isTrue(purge_desired),
          cached: truthy(kwargs.get('use_context') ?? true),
        })
        return isTrue(versions_as_list) ? (packages as Map<Value, Value>) : joinVersions(packages)
      },
    }),
    list_upgrades: reads({
      doc: 'Packages that an upgrade would change.',
      args: {
        refresh: flag('Whether the lists are fetched first', true),
        dist_upgrade: arg.flag('Whether packages may be added and removed for it', { default: true }),
        kwargs: arg.open('`cache_valid_time`, `fromrepo`'),
      },
      returns: ret.dict('New versions by package'),
      example: 'pkg.list_upgrades',
      run: async (ctx, { refresh, dist_upgrade, kwargs }) => {
        if (isTrue(refresh)) await refreshDb(ctx, { cacheValidTime: kwargs.get('cache_valid_time') ?? 0 })
        return upgrades(ctx, dist_upgrade, kwargs.get('fromrepo'))
      },
    }),
    upgrade_available: reads({
      doc: 'Whether there is a newer version of a package.',
      args: { name: arg.any('The package'), kwargs },
      returns: ret.boolean('Whether there is one'),
      example: 'pkg.upgrade_available nginx',
      run: async (ctx, { name }) => (await latestVersion(ctx, [name], new Map())) !== '',
    }),
    version_cmp: reads({
      doc: 'The order of two versions.',
      args: {
        pkg1: arg.text('A version'),
        pkg2: arg.text('A version'),
        ignore_epoch: arg.flag('Whether epochs do not count', { default: false }),
        kwargs,
      },
      returns: ret.optional(ret.number('-1, 0 or 1, or None when one is no version')),
      example: "pkg.version_cmp '0.2.4-0ubuntu1' '0.2.4.1-0ubuntu1'",
      run: (_ctx, { pkg1, pkg2, ignore_epoch }) => versionCompare(pkg1, pkg2, ignore_epoch),
    }),
    list_repo_pkgs: reads({
      doc: 'Versions that the sources have.',
      args: { args: names, kwargs },
      returns: ret.dict('Versions by package, newest first'),
      example: 'pkg.list_repo_pkgs nginx',
      run: async (ctx, { args }) => new Map<Value, Value>(await sourceVersions(ctx, args.map(str))),
    }),
    list_repos: reads({
      doc: 'All package sources.',
      args: { kwargs },
      returns: ret.dict('Entries by address'),
      example: 'pkg.list_repos',
      run: async (ctx) => new Map<Value, Value>(await listRepos(ctx)),
    }),
    get_repo: reads({
      doc: 'A package source by its definition.',
      args: { repo: arg.string('The definition, as a line of sources.list'), kwargs: arg.open('`ppa_auth`') },
      returns: ret.dict('The entry, or nothing'),
      example: 'pkg.get_repo "deb http://deb.debian.org/debian bookworm main"',
      run: (ctx, { repo, kwargs }) => getRepo(ctx, repo, kwargs.get('ppa_auth') ?? null),
    }),
    del_repo: changes({
      doc: 'Delete a package source.',
      args: { repo: arg.string('The definition, as a line of sources.list'), kwargs: arg.open('`ppa_auth`') },
      returns: ret.string('Where it was deleted'),
      example: 'pkg.del_repo "deb http://myrepo.example.com/debian bookworm main"',
      run: (ctx, { repo, kwargs }) => delRepo(ctx, repo, kwargs),
    }),
    mod_repo: changes({
      doc: 'Make or change a package source.',
      args: {
        repo: arg.string('The definition, as a line of sources.list'),
        saltenv: arg.text('Where keys on the file server are looked up', { default: 'base' }),
        aptkey,
        kwargs: arg.open('`file`, `comps`, `architectures`, `disabled`, `key_url`, `keyid`, `keyserver`, `refresh` …'),
      },
      returns: ret.dict('The entry by its definition'),
      example: 'pkg.mod_repo "deb http://myrepo.example.com/debian bookworm main" comps=main,contrib',
      run: async (ctx, given) => new Map<Value, Value>(await modRepo(ctx, given)),
    }),
    expand_repo_def: reads({
      doc: 'What a definition becomes with the options of pkgrepo.managed.',
      args: { repo: arg.string('The definition'), kwargs: arg.open('Options of pkgrepo.managed') },
      returns: ret.dict('In the shape of get_repo'),
      example: 'pkg.expand_repo_def "deb http://myrepo.example.com/debian bookworm main"',
      run: (ctx, { repo, kwargs }) => expandRepoDefinition(repo, withoutOwn(kwargs), system(ctx)) as Map<Value, Value>,
    }),
    get_repo_keys: reads({
      doc: 'Keys of package sources.',
      args: { aptkey, keydir },
      returns: ret.orFalse(ret.dict('Facts by key')),
      example: 'pkg.get_repo_keys',
      run: (ctx, { aptkey, keydir }) => getRepoKeys(ctx, { aptKey: aptkey, ...present({ keydir: text(keydir) }) }),
    }),
    add_repo_key: changes({
      doc: 'Add a key of package sources.',
      args: {
        path: optional('A file with it'),
        text: optional('Its text'),
        keyserver: optional('The server it comes from'),
        keyid: optional('Its id'),
        saltenv: arg.any('Where files on the file server are looked up', { default: 'base' }),
        aptkey,
        keydir,
        keyfile: optional('The name of its file among the keyrings'),
      },
      returns: ret.boolean('Whether it is there'),
      example: 'pkg.add_repo_key salt://apt/sources/test.key',
      run: (ctx, { saltenv, aptkey, ...given }) => {
        const texts = Object.entries(given).map(([name, value]) => [name, text(value)])
        return addRepoKey(ctx, { saltenv, aptKey: aptkey, ...present(Object.fromEntries(texts)) })
      },
    }),
    del_repo_key: changes({
      doc: 'Delete a key of package sources.',
      args: {
        name: optional('The personal archive it belongs to'),
        aptkey,
        keydir,
        kwargs: arg.open('`keyid`, `keyid_ppa`'),
      },
      returns: ret.any('Its id, or false'),
      example: 'pkg.del_repo_key keyid=0123ABCD',
      run: (ctx, { name, aptkey, keydir, kwargs }) =>
        delRepoKey(ctx, { name, kwargs, aptKey: aptkey, ...present({ keydir: text(keydir) }) }),
    }),
    file_list: reads({
      doc: 'Files that belong to packages.',
      args: { packages: names, kwargs },
      returns: ret.any('`files` and `errors`; a text when a package is not installed'),
      example: 'pkg.file_list nginx',
      run: (ctx, { packages }) => ctx.call('lowpkg.file_list', packages),
    }),
    file_dict: reads({
      doc: 'Files that belong to packages, by package.',
      args: { packages: names, kwargs },
      returns: ret.any('`packages` and `errors`; a text when a package is not installed'),
      example: 'pkg.file_dict nginx',
      run: (ctx, { packages }) => ctx.call('lowpkg.file_dict', packages),
    }),
    get_selections: reads({
      doc: 'What dpkg is told to do with packages.',
      args: {
        pattern: arg.text('Only packages that match', { optional: true }),
        state: arg.text('Only this state', { optional: true }),
      },
      returns: ret.dict('Packages by state'),
      example: 'pkg.get_selections state=hold',
      run: async (ctx, { pattern, state }) => new Map<Value, Value>(await getSelections(ctx, pattern, state)),
    }),
    set_selections: changes({
      doc: 'Tell dpkg what to do with packages.',
      args: {
        path: arg.text('A file in the format of dpkg --get-selections', { optional: true }),
        selection: optional('Packages by state'),
        clear: arg.flag('Whether all others are to be removed', { default: false }),
        saltenv: arg.text('Where files on the file server are looked up', { default: 'base' }),
      },
      returns: ret.dict('`old` and `new` state by package'),
      example: 'pkg.set_selections selection=\'{"hold": ["nginx"]}\'',
      run: setSelections,
    }),
    owner: reads({
      doc: 'The package that a file belongs to.',
      args: { paths: arg.rest('Files'), kwargs },
      returns: ret.any('The package, or packages by file when there are several'),
      example: 'pkg.owner /bin/ls',
      run: (ctx, { paths }) => owner(ctx, paths),
    }),
    show: reads({
      doc: 'What apt knows about packages.',
      args: { names, kwargs: arg.open('`filter`, `refresh`') },
      returns: ret.dict('Facts by package and version'),
      example: 'pkg.show nginx filter=description,provides',
      run: async (ctx, { names, kwargs }) => {
        refuseOptions(kwargs, ['filter', 'refresh'])
        if (truthy(kwargs.get('refresh') ?? false)) await refreshDb(ctx)
        return show(ctx, names, kwargs.get('filter') ?? [])
      },
    }),
    info_installed: reads({
      doc: 'Facts about installed packages.',
      args: { names, kwargs: arg.open('`failhard`') },
      returns: ret.dict('Facts by package'),
      example: 'pkg.info_installed nginx',
      run: (ctx, { names, kwargs }) => {
        refuseOptions(kwargs, ['failhard'])
        return infoInstalled(ctx, names, kwargs.get('failhard') ?? true)
      },
    }),
    list_downloaded: reads({
      doc: 'Package files that have been downloaded.',
      args: { root: arg.text('Another root', { optional: true }), kwargs },
      returns: ret.dict('Facts by package and version'),
      example: 'pkg.list_downloaded',
      run: (ctx, { root }) => listDownloaded(ctx, root),
    }),
    services_need_restart: reads({
      doc: 'Services that use files which have been replaced, as checkrestart finds them.',
      args: { kwargs },
      returns: ret.texts('Services'),
      example: 'pkg.services_need_restart',
      run: (ctx) => servicesNeedRestart(ctx),
    }),
    which: reads({
      doc: 'The package that installed a file.',
      args: { path: arg.string('The file') },
      returns: ret.any('The package, None, or false when the file is not there'),
      example: 'pkg.which /bin/ls',
      run: (ctx, { path }) => which(ctx, path),
    }),
  },
})
