// Packages of SUSE through zypper.
import { isA, recover } from '../../../base/mod.ts'
import { type Dict, isDict, iterate, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads, ret } from '../../../sdk/mod.ts'
import {
  installation,
  latestVersion,
  listRepoPkgs,
  type Options,
  upgradeAvailable,
  version,
} from '../common/functions.ts'
import * as param from '../common/params.ts'
import { rpmFunctions } from './rpm_lowpkg/provider.ts'
import { INSTALL, install, remove, UPGRADE, upgrade } from './zypperpkg/change.ts'
import { download, listDownloaded } from './zypperpkg/downloads.ts'
import {
  available,
  installedPatterns,
  listInstalled,
  patches,
  patterns,
  products,
  repoPackages,
  search,
  upgrades,
} from './zypperpkg/listing.ts'
import { cleanLocks, hold, listHolds, listLocks, unhold } from './zypperpkg/locks.ts'
import { zypper } from './zypperpkg/program.ts'
import { refresh } from './zypperpkg/refresh.ts'
import { deleteRepo, listRepos, modifyRepo } from './zypperpkg/repos.ts'

/** Refresh if wanted. Salt passes the root directory in the place of `force`, so a root directory forces the refresh. */
async function refreshIf(ctx: FunctionContext, wanted: boolean, force: string | null = null): Promise<void> {
  if (wanted) await refresh(ctx, { force })
}

async function information(ctx: FunctionContext, names: readonly string[], kwargs: Options): Promise<Dict> {
  if (names.length === 0) return new Map()
  const root = kwargs.get('root') ?? null
  if (truthy(kwargs.get('refresh') ?? true)) await refresh(ctx, { ...Object.fromEntries(kwargs), force: root })
  return available(ctx, names, root)
}

async function latest(ctx: FunctionContext, names: readonly string[], kwargs: Options): Promise<Value> {
  if (names.length === 0) return new Map()
  const known = await information(ctx, names, kwargs)
  const sorted = [...new Set(names)].sort()
  const found: Dict = new Map()
  for (const name of sorted) {
    const facts = known.get(name) as Dict | undefined
    const isNewer = /not installed|out-of-date/.test(str(facts?.get('status') ?? '').toLowerCase())
    found.set(name, isNewer ? (facts?.get('version') ?? null) : '')
  }
  return sorted.length === 1 ? found.get(sorted[0]!)! : found
}

/** Replace a capability by the name of its package, where exactly one package provides it. */
async function resolved(ctx: FunctionContext, pkg: Value, kwargs: Options, root: string | null): Promise<Value> {
  const [given, version] = isDict(pkg) ? [...pkg][0]! : [pkg, null]
  let name = str(given)
  if (truthy(kwargs.get('resolve_capabilities') ?? null)) {
    const ask = async (further: [string, Value][]): Promise<string[]> => {
      return recover(isA(SaltError), [], async () => {
        const options = new Map<string, Value>([['root', root], ['match', 'exact'], ...further])
        return [...(await search(ctx, name, options)).keys()].map((one) => str(one))
      })
    }
    if ((await ask([])).length === 0) {
      const providers = await ask([['provides', true]])
      if (providers.length === 1) name = providers[0]!
    }
  }
  return truthy(version) ? new Map<Value, Value>([[name, version]]) : name
}

async function provides(ctx: FunctionContext, root: string | null): Promise<Dict> {
  const known = ctx.memory.get('pkg.list_provides') ?? null
  if (isDict(known)) return known
  const query = ['rpm', ...(root ? ['--root', root] : []), '-qa', '--queryformat', '%{PROVIDES}_|-%{NAME}\n']
  const found: Dict = new Map()
  for (const line of (await outputOf(ctx, query, { output_loglevel: 'trace' })).split('\n')) {
    const [provide, name] = line.split('_|-')
    if (name === undefined || provide === name) continue
    found.set(provide!, [...((found.get(provide!) as Value[] | undefined) ?? []), name])
  }
  ctx.memory.set('pkg.list_provides', found)
  return found
}

async function diff(ctx: FunctionContext, path: string, kwargs: Options): Promise<Value> {
  const owner = str(await ctx.call('lowpkg.owner', [path], kwargs))
  if (owner === '') return (await ctx.host.stat(path)) === undefined ? 'N/A' : 'Not managed'
  const file = (await download(ctx, [owner], kwargs.get('root') ?? null)).get(owner) as Dict
  const differs = await ctx.call('lowpkg.diff', [file.get('path')!, path])
  return truthy(differs) ? differs : 'Unchanged'
}

const { kwargs, root } = param
const refreshing = param.off('Refresh the package database first')
const repo = arg.text('Repository alias')
const targets = { name: param.name, pkgs: param.pkgs, root, kwargs }
const summaries = ret.dict('`installed` and `summary` by name')

const list_upgrades = reads({
  doc: 'List the packages with a newer version.',
  example: 'pkg.list_upgrades',
  args: {
    refresh: arg.flag('Refresh the package database first', { default: true }),
    root,
    kwargs: arg.open('`fromrepo`, and options of `pkg.refresh_db`'),
  },
  returns: param.versionsByName,
  run: async (ctx, { refresh: wanted, root, kwargs }) => {
    if (wanted) await refresh(ctx, { force: root, ...Object.fromEntries(kwargs) })
    return upgrades(ctx, root, kwargs)
  },
})

const latest_version = latestVersion(latest)

export default defineModule({
  name: 'zypperpkg',
  virtual: 'pkg',
  doc: 'Install packages with zypper.',
  when: async ({ grains, host }) => {
    if (grains.get('os_family') !== 'Suse') return 'Module zypper: non SUSE OS not supported by zypper package manager'
    return (await host.which('zypper')) !== undefined || 'Module zypper: zypper package manager not found'
  },
  functions: {
    list_upgrades,
    list_updates: list_upgrades,
    ...rpmFunctions({ root: true }),
    info_available: reads({
      doc: 'Return the facts about packages that can be installed.',
      example: 'pkg.info_available httpd',
      args: { names: param.names, kwargs: arg.open('`root`, and options of `pkg.refresh_db`') },
      returns: ret.dict('Facts by package name'),
      run: (ctx, { names, kwargs }) => information(ctx, names.map(str), kwargs),
    }),
    latest_version,
    available_version: latest_version,
    upgrade_available: upgradeAvailable(async (ctx, name, options) => truthy(await latest(ctx, [name], options))),
    version: version(async (ctx, names, options) => {
      const found = await ctx.call('pkg_resource.version', names, options)
      return truthy(found) ? found : new Map()
    }),
    version_cmp: reads({
      doc: 'Compare two versions.',
      example: "pkg.version_cmp '0.2-001' '0.2.0.1-002'",
      args: {
        ver1: arg.text('First version'),
        ver2: arg.text('Second version'),
        ignore_epoch: param.ignore_epoch,
        kwargs,
      },
      returns: ret.number('-1, 0 or 1'),
      run: (ctx, { ver1, ver2, ignore_epoch }) => ctx.call('lowpkg.version_cmp', [ver1, ver2], { ignore_epoch }),
    }),
    list_pkgs: reads({
      doc: 'List the installed packages with their versions.',
      args: {
        versions_as_list: param.versions_as_list,
        root,
        includes: arg.words('Other kinds to list too: `product`, `pattern` and `patch`', { optional: true }),
        kwargs: arg.open('`attr`, `use_context`'),
      },
      returns: param.versionsByName,
      run: (ctx, { versions_as_list, root, includes, kwargs }) =>
        listInstalled(ctx, { asList: versions_as_list, root, includes: includes ?? [], kwargs }),
    }),
    list_repo_pkgs: listRepoPkgs(repoPackages),
    list_repos: reads({
      doc: 'List the repositories.',
      args: { root, kwargs },
      returns: ret.dict('Settings by repository alias'),
      run: async (ctx, { root }) => new Map<Value, Value>(await listRepos(ctx, root)),
    }),
    get_repo: reads({
      doc: 'Return the settings of a repository.',
      example: 'pkg.get_repo alias',
      args: { repo, root, kwargs },
      returns: param.repoSettings,
      run: async (ctx, { repo, root }) => (await listRepos(ctx, root)).get(repo) ?? {},
    }),
    del_repo: changes({
      doc: 'Remove a repository.',
      example: 'pkg.del_repo alias',
      args: { repo, root },
      returns: ret.dict('True by alias, and `message`'),
      run: (ctx, { repo, root }) => deleteRepo(ctx, repo, root),
    }),
    mod_repo: changes({
      doc: 'Change a repository, or add it.',
      example: 'pkg.mod_repo alias url=http://host/',
      args: {
        repo,
        kwargs: arg.open(
          '`url`, `baseurl`, `mirrorlist`, `enabled`, `refresh`, `cache`, `gpgcheck`, `gpgautoimport`, `priority`, `name`, `root`',
        ),
      },
      returns: param.repoSettings,
      run: (ctx, { repo, kwargs }) => modifyRepo(ctx, repo, kwargs),
    }),
    refresh_db: changes({
      doc: 'Refresh the package database.',
      args: {
        force: arg.flag(
          'Refresh repositories that are up to date too; default: pillar `zypper:refreshdb_force`, else True',
          {
            optional: true,
          },
        ),
        root,
        gpgautoimport: param.off('Trust and import new signing keys'),
        kwargs: arg.open('`repos`: aliases of the repositories to refresh'),
      },
      returns: ret.dict('By repository: True when it was fetched, False when it was up to date'),
      run: (ctx, { force, root, gpgautoimport, kwargs }) =>
        refresh(ctx, { force, root, gpgautoimport, repos: kwargs.get('repos') ?? [] }),
    }),
    install: installation(INSTALL, install),
    upgrade: changes({
      doc: 'Upgrade packages; all of them when none is given.',
      args: UPGRADE,
      returns: ret.any('`old` and `new` version by package name; the output of zypper for a dry run'),
      run: upgrade,
    }),
    remove: changes({
      doc: 'Remove packages.',
      example: 'pkg.remove bash',
      args: targets,
      returns: param.versionChanges,
      run: remove,
    }),
    purge: changes({
      doc: 'Remove packages.',
      example: 'pkg.purge bash',
      args: targets,
      returns: param.versionChanges,
      run: remove,
    }),
    list_holds: reads({
      doc: 'List the held packages.',
      args: {
        pattern: arg.text('Regular expression for package names', { optional: true }),
        full: arg.flag('Return versions too', { default: true }),
        root,
        kwargs,
      },
      returns: ret.list('Held packages'),
      run: (ctx, { pattern, full, root }) => listHolds(ctx, pattern, full, root),
    }),
    list_locks: reads({
      doc: 'List the locks.',
      args: { root },
      returns: ret.dict('Locks by package name'),
      run: (ctx, { root }) => listLocks(ctx, root),
    }),
    clean_locks: changes({
      doc: 'Remove locks that match no package.',
      args: { root },
      returns: ret.dict('`removed`: how many locks were removed'),
      run: (ctx, { root }) => cleanLocks(ctx, root),
    }),
    hold: changes({
      doc: 'Hold packages at their version.',
      example: 'pkg.hold bash',
      args: targets,
      returns: param.holdReports,
      run: hold,
    }),
    unhold: changes({
      doc: 'Release held packages.',
      example: 'pkg.unhold bash',
      args: targets,
      returns: param.holdReports,
      run: unhold,
    }),
    list_patterns: reads({
      doc: 'List the patterns.',
      args: { refresh: refreshing, root },
      returns: summaries,
      run: async (ctx, { refresh, root }) => {
        await refreshIf(ctx, refresh, root)
        return patterns(ctx, root)
      },
    }),
    list_installed_patterns: reads({
      doc: 'List the installed patterns.',
      args: { root },
      returns: summaries,
      run: (ctx, { root }) => installedPatterns(ctx, root),
    }),
    list_products: reads({
      doc: 'List the products.',
      args: { all: param.off('List available products too'), refresh: refreshing, root },
      returns: ret.dicts('Facts about each product'),
      run: async (ctx, { all, refresh, root }) => {
        await refreshIf(ctx, refresh, root)
        return products(ctx, all, root)
      },
    }),
    search: reads({
      doc: 'Search for packages.',
      example: 'pkg.search bash match=exact',
      args: {
        criteria: arg.text('Name or pattern'),
        refresh: refreshing,
        kwargs: arg.open(
          '`match` (`exact`, `words` or `substrings`), `provides`, `installed_only`, `details`, `root` …',
        ),
      },
      returns: ret.dict('Facts by package name'),
      run: async (ctx, { criteria, refresh, kwargs }) => {
        await refreshIf(ctx, refresh)
        return search(ctx, criteria, kwargs)
      },
    }),
    download: changes({
      doc: 'Download package files.',
      example: 'pkg.download httpd',
      args: { packages: param.names, kwargs: arg.open('`refresh`, `root`') },
      returns: ret.dict('File and repository by package name'),
      run: async (ctx, { packages, kwargs }) => {
        await refreshIf(ctx, truthy(kwargs.get('refresh') ?? null))
        return download(ctx, packages.map(str), kwargs.get('root') ?? null)
      },
    }),
    list_downloaded: reads({
      doc: 'List the downloaded package files.',
      args: { root, kwargs },
      returns: ret.dict('Files by package name and version'),
      run: (ctx, { root }) => listDownloaded(ctx, root),
    }),
    diff: reads({
      doc: 'Return how files differ from the files in their packages.',
      example: 'pkg.diff /etc/hosts',
      args: { paths: param.paths, kwargs: arg.open('`root`') },
      returns: ret.dict('Difference by path'),
      run: async (ctx, { paths, kwargs }) => {
        const found: Dict = new Map()
        for (const path of paths.map(str)) found.set(path, await diff(ctx, path, kwargs))
        return found
      },
    }),
    list_patches: reads({
      doc: 'List the patches.',
      args: { refresh: refreshing, root, kwargs },
      returns: summaries,
      run: async (ctx, { refresh, root }) => {
        await refreshIf(ctx, refresh, root)
        return patches(ctx, root, false)
      },
    }),
    list_installed_patches: reads({
      doc: 'List the installed patches.',
      args: { root, kwargs },
      returns: summaries,
      run: (ctx, { root }) => patches(ctx, root, true),
    }),
    list_provides: reads({
      doc: 'List the packages by the capabilities that they provide.',
      args: { root, kwargs },
      returns: ret.dict('Package names by capability'),
      run: (ctx, { root }) => provides(ctx, root),
    }),
    resolve_capabilities: reads({
      doc: 'Replace capabilities by the names of the packages that provide them.',
      example: 'pkg.resolve_capabilities resolve_capabilities=True w3m_ssl',
      args: {
        pkgs: arg.textListOrDict('List of names or of dicts `{name: version}`'),
        refresh: refreshing,
        root,
        kwargs: arg.open('`resolve_capabilities`'),
      },
      returns: ret.list('Names, or dicts `{name: version}`'),
      run: async (ctx, { pkgs, refresh, root, kwargs }) => {
        await refreshIf(ctx, refresh, root)
        const found: Value[] = []
        for (const pkg of iterate(pkgs)) found.push(await resolved(ctx, pkg, kwargs, root))
        return found
      },
    }),
    services_need_restart: reads({
      doc: 'List the services that still use files of packages before their upgrade.',
      args: { root, kwargs },
      returns: ret.texts('Service names'),
      run: async (ctx, { root }) => {
        const { stdout } = await zypper(ctx, ['ps', '-sss'], { root, readOnly: true })
        return stdout.split(/\s+/).filter(Boolean)
      },
    }),
  },
})
