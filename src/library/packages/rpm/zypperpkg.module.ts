// Packages of SUSE through zypper.
import { type Dict, isDict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  isTrue,
  outputOf,
  ret,
} from '../../../sdk/mod.ts'
import { type Call, changing, reading } from '../common/declare.ts'
import { listed } from '../common/installed.ts'
import { normalizeName, splitArch } from './rpm_lowpkg/package.ts'
import { install, remove, upgrade } from './zypperpkg/change.ts'
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

/** Refreshes first where a call asks for it. */
async function refreshed({ given, kwargs }: Call, ctx: FunctionContext): Promise<void> {
  if (truthy(given['refresh'] ?? kwargs.get('refresh') ?? null)) await refresh(ctx, { force: given['root'] ?? null })
}

async function information(
  ctx: FunctionContext,
  names: readonly string[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Dict> {
  if (names.length === 0) return new Map()
  const root = kwargs.get('root') ?? null
  if (truthy(kwargs.get('refresh') ?? true)) await refresh(ctx, { ...Object.fromEntries(kwargs), force: root })
  return available(ctx, names, root)
}

async function latest(
  ctx: FunctionContext,
  names: readonly string[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Value> {
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

function renamed(facts: Value): Value {
  if (Array.isArray(facts)) return (facts as Value[]).map(renamed)
  return isDict(facts)
    ? new Map([...facts].map(([key, value]) => [key === 'source_rpm' ? 'source' : key, value]))
    : facts
}

/** Names of packages for capabilities, where exactly one package provides them. */
async function resolved(
  ctx: FunctionContext,
  wish: Value,
  kwargs: ReadonlyMap<string, Value>,
  root: Value,
): Promise<Value> {
  const [given, version] = isDict(wish) ? [...wish][0]! : [wish, null]
  let name = str(given)
  if (truthy(kwargs.get('resolve_capabilities') ?? null)) {
    const ask = async (further: [string, Value][]): Promise<string[]> => {
      try {
        const options = new Map<string, Value>([['root', root], ['match', 'exact'], ...further])
        return [...(await search(ctx, name, options)).keys()].map((one) => str(one))
      } catch (error) {
        if (error instanceof SaltError) return []
        throw error
      }
    }
    if ((await ask([])).length === 0) {
      const providers = await ask([['provides', true]])
      if (providers.length === 1) name = providers[0]!
    }
  }
  return truthy(version) ? new Map<Value, Value>([[name, version]]) : name
}

async function provides(ctx: FunctionContext, root: Value): Promise<Dict> {
  const known = ctx.memory.get('pkg.list_provides')
  if (isDict(known ?? null)) return known as Dict
  const query = [
    'rpm',
    ...(truthy(root) ? ['--root', str(root)] : []),
    '-qa',
    '--queryformat',
    '%{PROVIDES}_|-%{NAME}\n',
  ]
  const found: Dict = new Map()
  for (const line of (await outputOf(ctx, query, { output_loglevel: 'trace' })).split('\n')) {
    const [provide, name] = line.split('_|-')
    if (name === undefined || provide === name) continue
    found.set(provide!, [...((found.get(provide!) as Value[] | undefined) ?? []), name])
  }
  ctx.memory.set('pkg.list_provides', found)
  return found
}

/** A function of `lowpkg` under the name it has here. */
const low = (name: string, args: string, doc: string): FunctionDeclaration =>
  reading(doc, args, `pkg.${name} httpd`, (ctx, { rest, kwargs }) => ctx.call(`lowpkg.${name}`, rest, kwargs))

const list_upgrades = reading(
  'Packages of which there is a newer version.',
  'refresh=true root **kwargs',
  'pkg.list_upgrades',
  async (ctx, { given, kwargs }) => {
    if (truthy(given['refresh']!)) await refresh(ctx, { force: given['root']!, ...Object.fromEntries(kwargs) })
    return upgrades(ctx, given['root']!, kwargs)
  },
  ret.dict('New versions by name'),
)

const latest_version = reading(
  'The newest version that can be installed.',
  '*names **kwargs',
  'pkg.latest_version bash',
  (ctx, { rest, kwargs }) => latest(ctx, rest, kwargs),
)

const INSTALL =
  'name refresh=false fromrepo pkgs sources downloadonly skip_verify=false version ignore_repo_failure=false no_recommends=false root **kwargs'
const UPGRADE =
  'name pkgs refresh=true dryrun=false dist_upgrade=false fromrepo novendorchange=false skip_verify=false no_recommends=false root diff_attr **kwargs'

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
    info_installed: reading(
      'All facts about installed packages.',
      '*names **kwargs',
      'pkg.info_installed httpd',
      async (ctx, { rest, kwargs }) => {
        const found = await ctx.call('lowpkg.info', rest, kwargs)
        return new Map([...found].map(([name, facts]) => [name, renamed(facts)]))
      },
    ),
    info_available: reading(
      'What is known about packages that can be installed.',
      '*names **kwargs',
      'pkg.info_available httpd',
      (ctx, { rest, kwargs }) => information(ctx, rest, kwargs),
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
    normalize_name: reading(
      "A name without the machine's architecture.",
      '!name',
      'pkg.normalize_name zsh.x86_64',
      (ctx, { given }) => normalizeName(str(given['name']!), str(ctx.grains.get('osarch') ?? '')),
    ),
    latest_version,
    available_version: latest_version,
    upgrade_available: reading(
      'Whether there is a newer version of a package.',
      '!name **kwargs',
      'pkg.upgrade_available bash',
      async (ctx, { given, kwargs }) => truthy(await latest(ctx, [str(given['name']!)], kwargs)),
    ),
    version: reading('Installed versions.', '*names **kwargs', 'pkg.version bash', async (ctx, { rest, kwargs }) => {
      const found = await ctx.call('pkg_resource.version', rest, kwargs)
      return truthy(found) ? found : new Map()
    }),
    version_cmp: reading(
      'Which of two versions is newer.',
      '!ver1 !ver2 ignore_epoch=false **kwargs',
      "pkg.version_cmp '0.2-001' '0.2.0.1-002'",
      (ctx, { given }) =>
        ctx.call('lowpkg.version_cmp', [given['ver1']!, given['ver2']!], { ignore_epoch: given['ignore_epoch']! }),
    ),
    list_pkgs: reading(
      'Installed packages with their versions.',
      'versions_as_list=false root includes **kwargs',
      'pkg.list_pkgs',
      (ctx, { given, kwargs }) =>
        listInstalled(ctx, {
          asList: isTrue(given['versions_as_list']!),
          root: given['root']!,
          includes: listed(given['includes']!),
          kwargs,
        }),
      ret.dict('Versions by name'),
    ),
    list_repo_pkgs: reading(
      'Versions that repositories have.',
      '*args **kwargs',
      'pkg.list_repo_pkgs foo bar',
      (ctx, { rest, kwargs }) => repoPackages(ctx, rest, kwargs),
      ret.dict('Versions by name'),
    ),
    list_repos: reading(
      'Repositories.',
      'root **kwargs',
      'pkg.list_repos',
      async (ctx, { given }) => new Map<Value, Value>(await listRepos(ctx, given['root']!)),
      ret.dict('The repositories, by name'),
    ),
    get_repo: reading(
      'A repository.',
      '!repo root **kwargs',
      'pkg.get_repo alias',
      async (ctx, { given }) => (await listRepos(ctx, given['root']!)).get(str(given['repo']!)) ?? {},
      ret.dict('The settings of the repository'),
    ),
    del_repo: changing('Remove a repository.', '!repo root', 'pkg.del_repo alias', (ctx, { given }) =>
      deleteRepo(ctx, str(given['repo']!), given['root']!),
    ),
    mod_repo: changing(
      'Change a repository, or add one.',
      '!repo **kwargs',
      'pkg.mod_repo alias url=http://host/',
      (ctx, { given, kwargs }) => modifyRepo(ctx, str(given['repo']!), kwargs),
    ),
    refresh_db: changing(
      'Fetch the package lists.',
      'force root gpgautoimport=false **kwargs',
      'pkg.refresh_db',
      (ctx, { given, kwargs }) => refresh(ctx, { ...given, repos: kwargs.get('repos') ?? [] }),
    ),
    install: changing(
      'Install packages.',
      INSTALL,
      'pkg.install bash',
      install,
      ret.dict('Old and new versions, by package'),
    ),
    upgrade: changing('Bring packages to their newest version.', UPGRADE, 'pkg.upgrade', upgrade),
    remove: changing('Remove packages.', 'name pkgs root **kwargs', 'pkg.remove bash', remove),
    purge: changing('Remove packages.', 'name pkgs root **kwargs', 'pkg.purge bash', remove),
    list_holds: reading(
      'Held packages.',
      'pattern full=true root **kwargs',
      'pkg.list_holds',
      (ctx, { given }) => listHolds(ctx, given['pattern']!, truthy(given['full']!), given['root']!),
      ret.list('The held packages'),
    ),
    list_locks: reading(
      'Locks.',
      'root',
      'pkg.list_locks',
      (ctx, { given }) => listLocks(ctx, given['root']!),
      ret.dict('The locks, by package'),
    ),
    clean_locks: changing('Throw away locks that lock nothing.', 'root', 'pkg.clean_locks', (ctx, { given }) =>
      cleanLocks(ctx, given['root']!),
    ),
    hold: changing(
      'Hold packages at their version.',
      'name pkgs root **kwargs',
      'pkg.hold bash',
      (ctx, { given }) => hold(ctx, given),
      ret.dict('What was done, by package'),
    ),
    unhold: changing(
      'Let held packages go.',
      'name pkgs root **kwargs',
      'pkg.unhold bash',
      (ctx, { given }) => unhold(ctx, given),
      ret.dict('What was done, by package'),
    ),
    verify: low('verify', '*names **kwargs', 'Files that differ from their packages.'),
    file_list: low('file_list', '*packages **kwargs', 'The files of packages.'),
    file_dict: low('file_dict', '*packages **kwargs', 'The files of packages, by package.'),
    modified: low('modified', '*packages **flags', 'Files that differ from their packages.'),
    owner: low('owner', '*paths **kwargs', 'The packages that files belong to.'),
    list_patterns: reading('Patterns.', 'refresh=false root', 'pkg.list_patterns', async (ctx, call) => {
      await refreshed(call, ctx)
      return patterns(ctx, call.given['root']!)
    }),
    list_installed_patterns: reading('Installed patterns.', 'root', 'pkg.list_installed_patterns', (ctx, { given }) =>
      installedPatterns(ctx, given['root']!),
    ),
    list_products: reading('Products.', 'all=false refresh=false root', 'pkg.list_products', async (ctx, call) => {
      await refreshed(call, ctx)
      return products(ctx, truthy(call.given['all']!), call.given['root']!)
    }),
    search: reading(
      'Look for packages.',
      '!criteria refresh=false **kwargs',
      'pkg.search bash match=exact',
      async (ctx, call) => {
        await refreshed(call, ctx)
        return search(ctx, str(call.given['criteria']!), call.kwargs)
      },
    ),
    download: changing('Fetch package files.', '*packages **kwargs', 'pkg.download httpd', async (ctx, call) => {
      await refreshed(call, ctx)
      return download(ctx, call.rest, call.kwargs.get('root') ?? null)
    }),
    list_downloaded: reading(
      'Package files that were fetched.',
      'root **kwargs',
      'pkg.list_downloaded',
      (ctx, { given }) => listDownloaded(ctx, given['root']!),
      ret.dict('The files, by package and version'),
    ),
    diff: reading(
      'How files differ from those of their packages.',
      '*paths **kwargs',
      'pkg.diff /etc/hosts',
      async (ctx, { rest, kwargs }) => {
        const found: Dict = new Map()
        for (const path of rest) {
          const owner = str(await ctx.call('lowpkg.owner', [path], kwargs))
          if (owner === '') found.set(path, (await ctx.host.stat(path)) === undefined ? 'N/A' : 'Not managed')
          else {
            const file = (await download(ctx, [owner], kwargs.get('root') ?? null)).get(owner) as Dict
            const differs = await ctx.call('lowpkg.diff', [file.get('path')!, path])
            found.set(path, truthy(differs) ? differs : 'Unchanged')
          }
        }
        return found
      },
    ),
    list_patches: reading('Patches.', 'refresh=false root **kwargs', 'pkg.list_patches', async (ctx, call) => {
      await refreshed(call, ctx)
      return patches(ctx, call.given['root']!, false)
    }),
    list_installed_patches: reading(
      'Installed patches.',
      'root **kwargs',
      'pkg.list_installed_patches',
      (ctx, { given }) => patches(ctx, given['root']!, true),
      ret.dict('The patches, by name'),
    ),
    list_provides: reading(
      'Packages by what they provide.',
      'root **kwargs',
      'pkg.list_provides',
      (ctx, { given }) => provides(ctx, given['root']!),
      ret.dict('The packages, by what they provide'),
    ),
    resolve_capabilities: reading(
      'Names of packages for capabilities.',
      '!pkgs refresh=false root **kwargs',
      'pkg.resolve_capabilities resolve_capabilities=True w3m_ssl',
      async (ctx, call) => {
        await refreshed(call, ctx)
        const found: Value[] = []
        for (const wish of call.given['pkgs'] as Value[])
          found.push(await resolved(ctx, wish, call.kwargs, call.given['root']!))
        return found
      },
    ),
    services_need_restart: reading(
      'Services that still run what an update replaced.',
      'root **kwargs',
      'pkg.services_need_restart',
      async (ctx, { given }) => {
        const { stdout } = await zypper(ctx, ['ps', '-sss'], { root: given['root']!, readOnly: true })
        return stdout.split(/\s+/).filter(Boolean)
      },
    ),
  },
})
