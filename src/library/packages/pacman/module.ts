// Packages of Arch Linux through pacman.
import {
  compareLoose,
  type Dict,
  dictFrom,
  failure,
  fnmatch,
  iterate,
  splitComparison,
  splitWords,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  CommandError,
  changes,
  defineModule,
  type FunctionContext,
  isTrue,
  outputOf,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import { scopeWords } from '../common/command.ts'
import {
  commonFunctions,
  fileFunctions,
  installation,
  latestVersion,
  listRepoPkgs,
  type Options,
  removal,
  splitMembers,
  upgradeAvailable,
} from '../common/functions.ts'
import {
  addPackage,
  changesSince,
  clearRefreshMark,
  listed,
  listPackages,
  namesOf,
  refuseOptions,
  single,
  type TargetCall,
  targetsOf,
  type Versions,
} from '../common/installed.ts'
import * as param from '../common/params.ts'

const QUIET = { output_loglevel: 'trace' }
const GROUP_TYPES = ['mandatory', 'optional', 'default', 'conditional']

const lines = async (ctx: FunctionContext, words: string[]): Promise<string[]> =>
  (await outputOf(ctx, words, QUIET)).split('\n').filter((line) => line !== '')

const stdoutOf = async (ctx: FunctionContext, words: readonly string[]): Promise<string> =>
  await ctx.call('cmd.run_stdout', [[...words]], { ...QUIET, python_shell: false })

async function gather(ctx: FunctionContext): Promise<Versions> {
  const versions: Versions = new Map()
  for (const line of await lines(ctx, ['pacman', '-Q'])) {
    const [name, version] = splitWords(line)
    if (version !== undefined) addPackage(versions, name!, version)
    else ctx.log('error', `Problem parsing pacman -Q: Unexpected formatting in line: '${line}'`)
  }
  return versions
}

const list = (ctx: FunctionContext): Promise<Dict> => listPackages(ctx, gather)

const rootWords = (root: string | null): string[] => (root === null ? [] : ['-r', root])

async function refresh(ctx: FunctionContext, root: string | null = null): Promise<Dict> {
  await clearRefreshMark(ctx)
  const words = ['pacman', '-Sy', ...rootWords(root)]
  const env = new Map<Value, Value>([['LANG', 'C']])
  const { retcode, stdout, stderr } = await runAll(ctx, words, { ...QUIET, env })
  if (retcode !== 0) throw failure(`Error refreshing package database: ${stderr}`)
  const found: Dict = new Map()
  for (const line of stdout.split('\n').filter((one) => one !== '' && !one.trim().startsWith('::'))) {
    const parts = splitWords(line)
    if (line.includes('is up to date')) found.set(parts[0]!, false)
    else if (line.includes('downloading')) found.set(parts[1]!.split('.')[0]!, true)
  }
  return found
}

async function latest(ctx: FunctionContext, names: readonly string[], kwargs: Options): Promise<Value> {
  if (names.length === 0) return ''
  if (isTrue(kwargs.get('refresh') ?? false)) await refresh(ctx)
  const found: Dict = new Map(names.map((name) => [name, '']))
  const root = kwargs.has('root') ? ['-r', str(kwargs.get('root')!)] : []
  const words = ['pacman', '-Sp', '--needed', '--print-format', '%n %v', ...names, ...root]
  for (const line of (await stdoutOf(ctx, words)).split('\n')) {
    const parts = splitWords(line)
    if (parts.length === 2 && names.includes(parts[0]!)) found.set(parts[0]!, parts[1]!)
  }
  return single(found, names)
}

async function upgrades(ctx: FunctionContext, refreshing: boolean, root: string | null): Promise<Dict> {
  const fresh = refreshing ? ['-y'] : []
  const words = ['pacman', '-S', '-p', '-u', '--print-format', '%n %v', ...rootWords(root), ...fresh]
  const { retcode, stdout, stderr } = await runAll(ctx, words, QUIET)
  if (retcode !== 0) throw failure(`Error listing upgrades${stderr + stdout ? `: ${stderr}${stdout}` : ''}`)
  const found: Dict = new Map()
  for (const line of stdout.split('\n')) {
    const parts = splitWords(line)
    if (parts.length !== 2 || (parts[0]!.toLowerCase() === 'downloading' && parts[1]!.toLowerCase().includes('.db')))
      continue
    found.set(parts[0]!, parts[1]!)
  }
  return found
}

/** Return the versions that repositories have, newest first, by name, or by repository and name. */
async function available(ctx: FunctionContext, patterns: readonly string[], options: Options): Promise<Dict> {
  refuseOptions(options, ['fromrepo', 'byrepo', 'refresh'])
  const repos = listed(options.get('fromrepo') ?? null)
  if (truthy(options.get('refresh') ?? null)) await refresh(ctx)
  const { stdout } = await runAll(ctx, ['pacman', '-Sl'], { ...QUIET, ignore_retcode: true })
  const byRepo = truthy(options.get('byrepo') ?? null)
  const found: Dict = new Map()
  for (const line of stdout.split('\n')) {
    const [repo, name, version] = splitWords(line)
    if (version === undefined || (repos.length > 0 && !repos.includes(repo!))) continue
    if (patterns.length > 0 && !patterns.some((pattern) => fnmatch(name!, pattern))) continue
    const place = byRepo ? ((found.get(repo!) as Dict | undefined) ?? new Map()) : found
    if (byRepo) found.set(repo!, place)
    const versions = [...((place.get(name!) as string[] | undefined) ?? []), version]
    place.set(
      name!,
      versions.sort((a, b) => -(compareLoose(a, b) ?? 0)),
    )
  }
  return found
}

interface Request {
  targets: string[]
  wildcards: [name: string, version: string][]
  errors: string[]
}

function requestOf(params: Dict): Request {
  const request: Request = { targets: [], wildcards: [], errors: [] }
  for (const [name, version] of params) {
    if (version === null) {
      request.targets.push(str(name))
      continue
    }
    const [operator, text] = splitComparison(str(version))
    if (!text.includes('*')) request.targets.push(`${str(name)}${operator || '='}${text}`)
    else if (operator === '' || operator === '=') request.wildcards.push([str(name), text])
    else request.errors.push(`Invalid wildcard for ${str(name)}${operator}${text}`)
  }
  return request
}

const INSTALL = {
  name: param.name,
  refresh: arg.any('Refresh the package database first; only True counts, except for versions with `*`', {
    default: false,
  }),
  sysupgrade: arg.any('Upgrade all packages too; only True counts', { optional: true }),
  pkgs: param.pkgs,
  sources: param.sources,
  kwargs: arg.open('`root`, `version`'),
}

async function repositoryWords(
  ctx: FunctionContext,
  { refresh: refreshing, sysupgrade }: Bound<typeof INSTALL>,
  params: Dict,
): Promise<{ words: string[]; errors: string[] }> {
  const { targets, wildcards, errors } = requestOf(params)
  const known: Dict =
    wildcards.length > 0
      ? await available(
          ctx,
          wildcards.map(([name]) => name),
          new Map([['refresh', refreshing]]),
        )
      : new Map()
  for (const [name, version] of wildcards) {
    const candidates = Array.from(iterate(known.get(name) ?? []), str)
    const match = candidates.find((candidate) => fnmatch(candidate, version))
    if (match !== undefined) targets.push(`${name}=${match}`)
    else {
      const list = candidates.length > 0 ? candidates.join(', ') : 'none'
      errors.push(`No version matching '${version}' found for package '${name}' (available: ${list})`)
    }
  }
  const fetch = refreshing === true && wildcards.length === 0 ? ['-y'] : []
  const system = sysupgrade === true ? ['-u'] : []
  return { words: ['-S', ...fetch, ...system, '--noprogressbar', '--noconfirm', '--needed', ...targets], errors }
}

async function install(ctx: FunctionContext, call: Bound<typeof INSTALL>): Promise<Dict> {
  const { kwargs } = call
  const targets = await targetsOf(ctx, call, kwargs)
  if (targets === undefined) return new Map()
  const { words, errors } =
    targets.type === 'repository'
      ? await repositoryWords(ctx, call, targets.params)
      : { words: ['-U', '--noprogressbar', '--noconfirm', ...namesOf(targets)], errors: [] }
  const failed = 'Problem encountered installing package(s)'
  if (errors.length > 0) throw new CommandError(failed, dictFrom({ errors, changes: new Map() }))
  const root = kwargs.has('root') ? ['-r', str(kwargs.get('root')!)] : []
  return run(ctx, [...words, ...root], failed)
}

async function run(ctx: FunctionContext, words: readonly string[], failed: string): Promise<Dict> {
  const old = await list(ctx)
  const { retcode, stderr } = await runAll(ctx, [...(await scopeWords(ctx)), 'pacman', ...words], QUIET)
  return changesSince(ctx, old, () => list(ctx), retcode !== 0 && stderr !== '' ? [stderr] : [], failed)
}

async function uninstall(ctx: FunctionContext, { name, pkgs = null }: TargetCall, option: string): Promise<Dict> {
  const targets = await targetsOf(ctx, { name, pkgs })
  const old = await list(ctx)
  const names = targets ? namesOf(targets).filter((name) => old.has(name)) : []
  if (names.length === 0) return new Map()
  return run(ctx, [option, '--noprogressbar', '--noconfirm', ...names], 'Problem encountered removing package(s)')
}

async function upgrade(ctx: FunctionContext, refreshing: boolean, root: string | null): Promise<Dict> {
  const old = await list(ctx)
  const words = [
    ...(await scopeWords(ctx)),
    ...['pacman', '-Su', '--noprogressbar', '--noconfirm'],
    ...(refreshing ? ['-y'] : []),
    ...rootWords(root),
  ]
  const outcome = await runAll(ctx, words, QUIET)
  const changes = await changesSince(ctx, old, () => list(ctx))
  if (outcome.retcode === 0) return changes
  const result = dictFrom({ ...outcome })
  throw new CommandError('Problem encountered upgrading packages', dictFrom({ changes, result }))
}

async function membersByGroup(ctx: FunctionContext, option: string): Promise<Map<string, string[]>> {
  const groups: Versions = new Map()
  for (const line of await lines(ctx, ['pacman', option])) {
    const [group, name] = splitWords(line)
    if (name !== undefined) addPackage(groups, group!, name)
    else ctx.log('error', `Problem parsing pacman ${option}: Unexpected formatting in line: '${line}'`)
  }
  return groups
}

async function groupList(ctx: FunctionContext): Promise<Dict> {
  const known = await membersByGroup(ctx, '-Sgg')
  const there = [...(await membersByGroup(ctx, '-Qg'))].filter(([group]) => known.has(group))
  const whole = there.filter(([group, members]) => members.length === known.get(group)!.length).map(([group]) => group)
  const partly = there.map(([group]) => group).filter((group) => !whole.includes(group))
  for (const [group] of there) known.delete(group)
  return dictFrom({ installed: whole.sort(), partially_installed: partly.sort(), available: [...known.keys()].sort() })
}

async function groupInfo(ctx: FunctionContext, name: string): Promise<Map<string, string[]>> {
  const found = await lines(ctx, ['pacman', '-Sgg', name])
  const members = found.map((line) => splitWords(line)[1]).filter((member) => member !== undefined)
  return new Map(GROUP_TYPES.map((type) => [type, type === 'default' ? [...new Set(members)].sort() : []]))
}

/** Return the lines of `pacman -Ql` by package; a first name that is a path means a root directory. */
async function fileLines(
  ctx: FunctionContext,
  packages: readonly string[],
): Promise<{ errors: string[]; files: [string, string][] }> {
  const [first, ...others] = packages
  const isRoot = first !== undefined && (await ctx.host.stat(first)) !== undefined
  const output = await outputOf(ctx, ['pacman', '-Ql', ...(isRoot ? ['-r', first, ...others] : packages)], QUIET)
  const all = output.split('\n')
  const errors = all.filter((line) => line.startsWith('error'))
  const files = all
    .filter((line) => !line.startsWith('error'))
    .map((line): [string, string] => {
      const [name = '', ...path] = splitWords(line)
      return [name, path.join(' ')]
    })
  return { errors, files }
}

const latest_version = latestVersion(latest)
const group = arg.text('Group name')

export default defineModule({
  name: 'pacmanpkg',
  virtual: 'pkg',
  doc: 'Install packages with pacman.',
  when: ({ grains }) =>
    grains.get('os_family') === 'Arch' || 'The pacman module could not be loaded: unsupported OS family.',
  functions: {
    ...commonFunctions(gather),
    latest_version,
    available_version: latest_version,
    upgrade_available: upgradeAvailable(async (ctx, name) => (await latest(ctx, [name], new Map())) !== ''),
    list_upgrades: reads({
      doc: 'List the packages with a newer version.',
      args: {
        refresh: arg.flag('Refresh the package database first', { default: false }),
        root: param.root,
        kwargs: param.kwargs,
      },
      returns: param.versionsByName,
      run: (ctx, { refresh, root }) => upgrades(ctx, refresh, root),
    }),
    group_list: reads({
      doc: 'List the package groups.',
      returns: ret.dict('Group names as `installed`, `partially_installed` and `available`'),
      run: groupList,
    }),
    group_info: reads({
      doc: 'List the packages of a group.',
      example: 'pkg.group_info xorg',
      args: { name: group },
      returns: ret.dict('Package names by type; pacman has the type `default` only'),
      run: async (ctx, { name }) => new Map<Value, Value>(await groupInfo(ctx, name)),
    }),
    group_diff: reads({
      doc: 'List the installed and the missing packages of a group.',
      example: 'pkg.group_diff xorg',
      args: { name: group },
      returns: ret.dict('`installed` and `not installed` package names by type'),
      run: async (ctx, { name }) => splitMembers(await groupInfo(ctx, name), await list(ctx)),
    }),
    refresh_db: changes({
      doc: 'Refresh the package database.',
      args: { root: param.root, kwargs: param.kwargs },
      returns: ret.dict('By repository: True when it was fetched, False when it was up to date'),
      run: (ctx, { root }) => refresh(ctx, root),
    }),
    install: installation(INSTALL, install),
    upgrade: changes({
      doc: 'Upgrade all packages.',
      args: { refresh: param.refresh(false), root: param.root, kwargs: param.kwargs },
      returns: param.versionChanges,
      run: (ctx, { refresh, root }) => upgrade(ctx, refresh, root),
    }),
    remove: removal('remove', 'Remove packages.', (ctx, call) => uninstall(ctx, call, '-R')),
    purge: removal(
      'purge',
      'Remove packages, the packages that depend on them, and dependencies that nothing else needs.',
      (ctx, call) => uninstall(ctx, call, '-Rsc'),
    ),
    ...fileFunctions({
      list: async (ctx, packages) => {
        const { errors, files } = await fileLines(ctx, packages)
        return { errors, files: files.map(([, path]) => path) }
      },
      dict: async (ctx, names) => {
        const { errors, files } = await fileLines(ctx, names)
        const packages: Versions = new Map()
        for (const [name, path] of files) addPackage(packages, name, path)
        return { errors, packages: new Map(packages) }
      },
      owner: async (ctx, paths) => {
        if (paths.length === 0) return ''
        const found: Dict = new Map()
        for (const path of paths) found.set(path, await stdoutOf(ctx, ['pacman', '-Qqo', path]))
        return single(found, paths)
      },
    }),
    list_repo_pkgs: listRepoPkgs(available),
  },
})
