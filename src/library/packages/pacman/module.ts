// Packages of Arch Linux through pacman.
import {
  compareLoose,
  type Dict,
  fnmatch,
  splitComparison,
  splitWords,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { CommandError, defineModule, type FunctionContext, isTrue, outputOf, ret, runAll } from '../../../sdk/mod.ts'
import { commonFunctions, splitMembers } from '../common/common.ts'
import { type Call, changing, type Given, reading, scopeWords } from '../common/declare.ts'
import {
  addPackage,
  changesSince,
  clearRefreshMark,
  failure,
  infoOf,
  listed,
  listPackages,
  misuse,
  namesOf,
  single,
  targetsOf,
  type Versions,
} from '../common/installed.ts'

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

async function refresh(ctx: FunctionContext, root: Value = null): Promise<Dict> {
  await clearRefreshMark(ctx)
  const words = ['pacman', '-Sy', ...(root === null ? [] : ['-r', str(root)])]
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

async function latest(
  ctx: FunctionContext,
  names: readonly string[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Value> {
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

async function upgrades(ctx: FunctionContext, { given }: Call): Promise<Dict> {
  const { root = null } = given
  const rootWords = root === null ? [] : ['-r', str(root)]
  const fresh = truthy(given['refresh']!) ? ['-y'] : []
  const words = ['pacman', '-S', '-p', '-u', '--print-format', '%n %v', ...rootWords, ...fresh]
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

/** Versions that repositories have, newest first, by name, or by repository and name. */
async function available(
  ctx: FunctionContext,
  patterns: readonly string[],
  options: ReadonlyMap<string, Value>,
): Promise<Dict> {
  const unknown = [...options].filter(
    ([name]) => !name.startsWith('__') && !['fromrepo', 'byrepo', 'refresh'].includes(name),
  )
  if (unknown.length > 0) {
    const text = unknown.map(([name, value]) => `${name}=${str(value)}`).join(', ')
    throw misuse(`The following keyword arguments are not valid: ${text}`)
  }
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

interface Wish {
  targets: string[]
  wildcards: [name: string, version: string][]
  errors: string[]
}

function wishOf(params: Dict): Wish {
  const wish: Wish = { targets: [], wildcards: [], errors: [] }
  for (const [name, version] of params) {
    if (version === null) {
      wish.targets.push(str(name))
      continue
    }
    const [operator, text] = splitComparison(str(version))
    if (!text.includes('*')) wish.targets.push(`${str(name)}${operator || '='}${text}`)
    else if (operator === '' || operator === '=') wish.wildcards.push([str(name), text])
    else wish.errors.push(`Invalid wildcard for ${str(name)}${operator}${text}`)
  }
  return wish
}

async function repositoryWords(
  ctx: FunctionContext,
  given: Given,
  params: Dict,
): Promise<{ words: string[]; errors: string[] }> {
  const { targets, wildcards, errors } = wishOf(params)
  const refreshing = given['refresh']!
  const known =
    wildcards.length > 0
      ? await available(
          ctx,
          wildcards.map(([name]) => name),
          new Map([['refresh', refreshing]]),
        )
      : new Map()
  for (const [name, version] of wildcards) {
    const candidates = ((known.get(name) ?? []) as Value[]).map((one) => str(one))
    const match = candidates.find((candidate) => fnmatch(candidate, version))
    if (match !== undefined) targets.push(`${name}=${match}`)
    else {
      const list = candidates.length > 0 ? candidates.join(', ') : 'none'
      errors.push(`No version matching '${version}' found for package '${name}' (available: ${list})`)
    }
  }
  const fetch = refreshing === true && wildcards.length === 0 ? ['-y'] : []
  const system = given['sysupgrade'] === true ? ['-u'] : []
  return { words: ['-S', ...fetch, ...system, '--noprogressbar', '--noconfirm', '--needed', ...targets], errors }
}

async function install(ctx: FunctionContext, { given, kwargs }: Call): Promise<Dict> {
  const targets = await targetsOf(ctx, given, kwargs)
  if (targets === undefined) return new Map()
  const { words, errors } =
    targets.type === 'file'
      ? { words: ['-U', '--noprogressbar', '--noconfirm', ...namesOf(targets)], errors: [] }
      : await repositoryWords(ctx, given, targets.params as Dict)
  const failed = 'Problem encountered installing package(s)'
  if (errors.length > 0) throw new CommandError(failed, infoOf({ errors, changes: new Map() }))
  const root = kwargs.has('root') ? ['-r', str(kwargs.get('root')!)] : []
  return run(ctx, [...words, ...root], failed)
}

async function run(ctx: FunctionContext, words: readonly string[], failed: string): Promise<Dict> {
  const old = await list(ctx)
  const { retcode, stderr } = await runAll(ctx, [...(await scopeWords(ctx)), 'pacman', ...words], QUIET)
  return changesSince(ctx, old, () => list(ctx), retcode !== 0 && stderr !== '' ? [stderr] : [], failed)
}

async function uninstall(ctx: FunctionContext, given: Given, option: string): Promise<Dict> {
  const targets = await targetsOf(ctx, { name: given['name']!, pkgs: given['pkgs']! })
  const old = await list(ctx)
  const names = targets ? namesOf(targets).filter((name) => old.has(name)) : []
  if (names.length === 0) return new Map()
  return run(ctx, [option, '--noprogressbar', '--noconfirm', ...names], 'Problem encountered removing package(s)')
}

async function upgrade(ctx: FunctionContext, { given }: Call): Promise<Dict> {
  const old = await list(ctx)
  const { root = null } = given
  const words = [
    ...(await scopeWords(ctx)),
    ...['pacman', '-Su', '--noprogressbar', '--noconfirm'],
    ...(isTrue(given['refresh']!) ? ['-y'] : []),
    ...(root === null ? [] : ['-r', str(root)]),
  ]
  const outcome = await runAll(ctx, words, QUIET)
  const changes = await changesSince(ctx, old, () => list(ctx))
  if (outcome.retcode === 0) return changes
  const result = new Map<Value, Value>(Object.entries({ ...outcome }))
  throw new CommandError('Problem encountered upgrading packages', infoOf({ changes, result }))
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
  return infoOf({ installed: whole.sort(), partially_installed: partly.sort(), available: [...known.keys()].sort() })
}

async function groupInfo(ctx: FunctionContext, name: string): Promise<Dict> {
  const found = await lines(ctx, ['pacman', '-Sgg', name])
  const members = found.map((line) => splitWords(line)[1]).filter((member) => member !== undefined)
  return new Map(GROUP_TYPES.map((type) => [type, type === 'default' ? [...new Set(members)].sort() : []]))
}

/** Lines of `pacman -Ql`, by package; a first name that is a path is a root directory. */
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

const latest_version = reading(
  'The newest version that can be installed; empty when it is installed.',
  '*names **kwargs',
  'pkg.latest_version bash',
  (ctx, { rest, kwargs }) => latest(ctx, rest, kwargs),
)

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
    upgrade_available: reading(
      'Whether there is a newer version of a package.',
      '!name **kwargs',
      'pkg.upgrade_available bash',
      async (ctx, { given }) => (await latest(ctx, [str(given['name']!)], new Map())) !== '',
    ),
    list_upgrades: reading(
      'Packages of which there is a newer version.',
      'refresh=false root **kwargs',
      'pkg.list_upgrades',
      upgrades,
      ret.dict('New versions by name'),
    ),
    group_list: reading('Groups of packages.', '', 'pkg.group_list', (ctx) => groupList(ctx)),
    group_info: reading('The packages of a group.', '!name', "pkg.group_info 'xorg'", (ctx, { given }) =>
      groupInfo(ctx, str(given['name']!)),
    ),
    group_diff: reading(
      'Which packages of a group are installed.',
      '!name',
      "pkg.group_diff 'xorg'",
      async (ctx, { given }) => splitMembers(await groupInfo(ctx, str(given['name']!)), await list(ctx), GROUP_TYPES),
      ret.dict('Installed and missing packages, by kind'),
    ),
    refresh_db: changing('Fetch the package lists.', 'root **kwargs', 'pkg.refresh_db', (ctx, { given }) =>
      refresh(ctx, given['root']!),
    ),
    install: changing(
      'Install packages.',
      'name refresh=false sysupgrade pkgs sources **kwargs',
      'pkg.install bash',
      install,
      ret.dict('Old and new versions, by package'),
    ),
    upgrade: changing(
      'Bring all packages to their newest version.',
      'refresh=false root **kwargs',
      'pkg.upgrade',
      upgrade,
      ret.dict('Old and new versions, by package'),
    ),
    remove: changing('Remove packages.', 'name pkgs **kwargs', 'pkg.remove bash', (ctx, { given }) =>
      uninstall(ctx, given, '-R'),
    ),
    purge: changing(
      'Remove packages with what depends on them and what they needed.',
      'name pkgs **kwargs',
      'pkg.purge bash',
      (ctx, { given }) => uninstall(ctx, given, '-Rsc'),
    ),
    file_list: reading('The files of packages.', '*packages **kwargs', 'pkg.file_list bash', async (ctx, { rest }) => {
      const { errors, files } = await fileLines(ctx, rest)
      return { errors, files: files.map(([, path]) => path) }
    }),
    file_dict: reading(
      'The files of packages, by package.',
      '*packages **kwargs',
      'pkg.file_dict bash',
      async (ctx, { rest }) => {
        const { errors, files } = await fileLines(ctx, rest)
        const packages: Versions = new Map()
        for (const [name, path] of files) addPackage(packages, name, path)
        return { errors, packages: new Map(packages) }
      },
    ),
    owner: reading(
      'The packages that files belong to.',
      '*paths **kwargs',
      'pkg.owner /usr/bin/apachectl',
      async (ctx, { rest }) => {
        if (rest.length === 0) return ''
        const found: Dict = new Map()
        for (const path of rest) found.set(path, await stdoutOf(ctx, ['pacman', '-Qqo', path]))
        return single(found, rest)
      },
    ),
    list_repo_pkgs: reading(
      'Versions that repositories have.',
      '*args **kwargs',
      'pkg.list_repo_pkgs foo bar',
      (ctx, { rest, kwargs }) => available(ctx, rest, kwargs),
      ret.dict('Versions by name'),
    ),
  },
})
