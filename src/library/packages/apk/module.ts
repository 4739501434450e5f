// Packages of Alpine Linux through apk.
import { type Dict, isDict, repr, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { CommandError, defineModule, type FunctionContext, isTrue, outputOf, ret, runAll } from '../../../sdk/mod.ts'
import { commonFunctions } from '../common/common.ts'
import { type Call, changing, type Given, reading } from '../common/declare.ts'
import { addPackage, changesSince, failure, infoOf, listPackages, single, type Versions } from '../common/installed.ts'

const QUIET = { output_loglevel: 'trace' }

/** `name-version-release` by name and version. */
function cut(line: string): [name: string, version: string] {
  const parts = line.split('-')
  return [parts.slice(0, -2).join('-'), parts.slice(-2).join('-')]
}

async function gather(ctx: FunctionContext): Promise<Versions> {
  const versions: Versions = new Map()
  for (const line of (await outputOf(ctx, ['apk', 'info', '-v'], QUIET)).split('\n')) {
    if (line !== '') addPackage(versions, ...cut(line))
  }
  return versions
}

const list = (ctx: FunctionContext): Promise<Dict> => listPackages(ctx, gather)

const stdoutOf = async (ctx: FunctionContext, words: string[]): Promise<string> =>
  await ctx.call('cmd.run_stdout', [words], { ...QUIET, python_shell: false })

async function refresh(ctx: FunctionContext): Promise<true> {
  const { retcode, stdout } = await runAll(ctx, ['apk', 'update'], QUIET)
  if (retcode === 0) return true
  throw new CommandError('Problem encountered installing package(s)', infoOf({ errors: [stdout], changes: false }))
}

/** Names of a text with commas and of a list, whose items may be dicts with versions. */
function named({ name = null, pkgs = null }: Given, both = false): string[] {
  const alone = truthy(name) && (both || !truthy(pkgs)) ? str(name).split(',') : []
  const several = truthy(pkgs) ? (pkgs as Value[]).map((one) => str(isDict(one) ? [...one.keys()][0]! : one)) : []
  return [...alone, ...several]
}

/** Lines of `apk upgrade -s`: `(1/2) Upgrading name (old -> new)`. */
function upgradesIn(output: string): Dict {
  const found: Dict = new Map()
  for (const line of splitLines(output)) {
    const words = line.split(' ')
    if (line.includes('Upgrading') && words.length > 5) found.set(words[2]!, words[5]!.replace(/^\)+|\)+$/g, ''))
  }
  return found
}

async function latest(ctx: FunctionContext, { rest, kwargs }: Call): Promise<Value> {
  if (rest.length === 0) return ''
  const installed = await list(ctx)
  if (isTrue(kwargs.get('refresh') ?? true)) await refresh(ctx)
  const upgrades = upgradesIn(await stdoutOf(ctx, ['apk', 'upgrade', '-s']))
  const found: Dict = new Map()
  for (const name of rest) {
    let version = upgrades.get(name) ?? ''
    if (version === '') {
      const lines = (await stdoutOf(ctx, ['apk', 'search', name])).split('\n').map(cut)
      const last = lines.findLast(([one]) => one === name)?.[1] ?? ''
      version = installed.get(name) === last ? '' : last
    }
    found.set(name, version)
  }
  return single(found, rest)
}

async function run(ctx: FunctionContext, words: string[], doing: string): Promise<Dict> {
  const old = await list(ctx)
  const { retcode, stderr } = await runAll(ctx, words, QUIET)
  const errors = retcode !== 0 && stderr !== '' ? [stderr] : []
  return changesSince(ctx, old, () => list(ctx), errors, `Problem encountered ${doing} package(s)`)
}

async function install(ctx: FunctionContext, { given }: Call): Promise<Dict> {
  const old = await list(ctx)
  const names = truthy(given['sources']!) ? named({ pkgs: given['pkgs']! }) : named(given)
  if (names.length === 0) return new Map()
  if (isTrue(given['refresh']!)) await refresh(ctx)
  const known = names.some((name) => truthy(old.get(name) ?? null))
  return run(ctx, ['apk', 'add', ...(known ? ['-u'] : []), ...names], 'installing')
}

async function remove(ctx: FunctionContext, given: Given, purge: boolean): Promise<Dict> {
  const names = named(given, true)
  return names.length === 0 ? new Map() : run(ctx, ['apk', 'del', ...(purge ? ['--purge'] : []), ...names], 'removing')
}

async function upgrade(ctx: FunctionContext, { given }: Call): Promise<Dict> {
  if (isTrue(given['refresh']!)) await refresh(ctx)
  const old = await list(ctx)
  const names = named(given)
  const words = names.length > 0 ? ['apk', 'add', '-u', ...names] : ['apk', 'upgrade']
  const { retcode, stdout } = await runAll(ctx, words, { ...QUIET, redirect_stderr: true })
  const changes = await changesSince(ctx, old, () => list(ctx))
  return infoOf({ changes, result: retcode === 0, comment: retcode === 0 ? '' : stdout })
}

async function files(ctx: FunctionContext, packages: readonly string[]): Promise<Value> {
  if (packages.length === 0) return 'Package name should be provided'
  const found: Dict = new Map()
  for (const name of packages) {
    const { stdout } = await runAll(ctx, ['apk', 'info', '-L', name], QUIET)
    const lines = splitLines(stdout).filter((line) => !line.endsWith('contains:'))
    if (lines.length > 0) found.set(name, lines)
  }
  return infoOf({ errors: [], packages: found })
}

async function owners(ctx: FunctionContext, paths: readonly string[]): Promise<Value> {
  if (paths.length === 0) return 'You must provide a path'
  const found: Dict = new Map()
  for (const path of paths) {
    const words = ['apk', 'info', '-W', path]
    const output = await stdoutOf(ctx, words)
    if (output === '') found.set(path, `Error running ${repr(words)}`)
    else
      found.set(
        path,
        output.includes('ERROR:') ? 'Could not find owner package' : (output.split('by ')[1] ?? '').trim(),
      )
  }
  return found
}

const REMOVE = 'name pkgs purge=false **kwargs'

export default defineModule({
  name: 'apkpkg',
  virtual: 'pkg',
  doc: 'Install packages with apk.',
  when: ({ grains }) => grains.get('os_family') === 'Alpine' || 'Module apk only works on Alpine Linux based systems',
  functions: {
    ...commonFunctions(gather),
    refresh_db: changing('Fetch the package lists.', '**kwargs', 'pkg.refresh_db', (ctx) => refresh(ctx)),
    latest_version: reading(
      'The newest version that can be installed; empty when there is none newer than the installed one.',
      '*names **kwargs',
      'pkg.latest_version bash',
      latest,
    ),
    upgrade_available: reading(
      'Whether there is a newer version of a package.',
      '!name **kwargs',
      'pkg.upgrade_available bash',
      async (ctx, { given, kwargs }) => (await latest(ctx, { given, rest: [str(given['name']!)], kwargs })) !== '',
    ),
    install: changing(
      'Install packages.',
      'name refresh=false pkgs sources **kwargs',
      'pkg.install bash',
      install,
      ret.dict('Old and new versions, by package'),
    ),
    remove: changing('Remove packages.', REMOVE, 'pkg.remove bash', (ctx, { given }) =>
      remove(ctx, given, truthy(given['purge']!)),
    ),
    purge: changing(
      'Remove packages and their configuration.',
      'name pkgs **kwargs',
      'pkg.purge bash',
      (ctx, { given }) => remove(ctx, given, true),
    ),
    upgrade: changing(
      'Bring packages to their newest version.',
      'name pkgs refresh=true **kwargs',
      'pkg.upgrade',
      upgrade,
      ret.dict('Old and new versions, by package'),
    ),
    list_upgrades: reading(
      'Packages of which there is a newer version.',
      'refresh=true **kwargs',
      'pkg.list_upgrades',
      async (ctx, { given }) => {
        if (isTrue(given['refresh']!)) await refresh(ctx)
        const { retcode, stdout, stderr } = await runAll(ctx, ['apk', 'upgrade', '-s'], QUIET)
        if (retcode !== 0) throw failure(stderr + stdout)
        return upgradesIn(stdout)
      },
      ret.dict('New versions by name'),
    ),
    file_list: reading('The files of packages.', '*packages **kwargs', 'pkg.file_list bash', (ctx, { rest }) =>
      files(ctx, rest),
    ),
    file_dict: reading(
      'The files of packages, by package.',
      '*packages **kwargs',
      'pkg.file_dict bash',
      (ctx, { rest }) => files(ctx, rest),
    ),
    owner: reading('The packages that files belong to.', '*paths **kwargs', 'pkg.owner /bin/busybox', (ctx, { rest }) =>
      owners(ctx, rest),
    ),
  },
})
