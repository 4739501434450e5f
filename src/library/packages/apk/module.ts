// Packages of Alpine Linux through apk.
import { type Dict, dictFrom, failure, repr, splitLines, truthy, type Value } from '../../../data/mod.ts'
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
import {
  commonFunctions,
  fileFunctions,
  installation,
  latestVersion,
  type Options,
  removal,
  upgradeAvailable,
} from '../common/functions.ts'
import { packageNames } from '../common/holds.ts'
import { addPackage, changesSince, listPackages, single, type TargetCall, type Versions } from '../common/installed.ts'
import * as param from '../common/params.ts'

const QUIET = { output_loglevel: 'trace' }

/** Split `name-version-release` into name and version. */
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
  throw new CommandError('Problem encountered installing package(s)', dictFrom({ errors: [stdout], changes: false }))
}

/** Return the names in `pkgs`, else in `name`; with `both`, in both. */
function named({ name = null, pkgs = null }: TargetCall, both = false): string[] {
  const alone = name !== null && name !== '' && (both || !truthy(pkgs)) ? name.split(',') : []
  return [...alone, ...(truthy(pkgs) ? packageNames(pkgs) : [])]
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

async function latest(ctx: FunctionContext, names: readonly string[], options: Options): Promise<Value> {
  if (names.length === 0) return ''
  const installed = await list(ctx)
  if (isTrue(options.get('refresh') ?? true)) await refresh(ctx)
  const upgrades = upgradesIn(await stdoutOf(ctx, ['apk', 'upgrade', '-s']))
  const found: Dict = new Map()
  for (const name of names) {
    let version = upgrades.get(name) ?? ''
    if (version === '') {
      const lines = (await stdoutOf(ctx, ['apk', 'search', name])).split('\n').map(cut)
      const last = lines.findLast(([one]) => one === name)?.[1] ?? ''
      version = installed.get(name) === last ? '' : last
    }
    found.set(name, version)
  }
  return single(found, names)
}

async function run(ctx: FunctionContext, words: string[], doing: string): Promise<Dict> {
  const old = await list(ctx)
  const { retcode, stderr } = await runAll(ctx, words, QUIET)
  const errors = retcode !== 0 && stderr !== '' ? [stderr] : []
  return changesSince(ctx, old, () => list(ctx), errors, `Problem encountered ${doing} package(s)`)
}

const INSTALL = {
  name: param.name,
  refresh: param.refresh(false),
  pkgs: param.pkgs,
  sources: param.sources,
  kwargs: param.kwargs,
}

async function install(ctx: FunctionContext, call: Bound<typeof INSTALL>): Promise<Dict> {
  const old = await list(ctx)
  const names = truthy(call.sources) ? named({ pkgs: call.pkgs }) : named(call)
  if (names.length === 0) return new Map()
  if (call.refresh) await refresh(ctx)
  const known = names.some((name) => truthy(old.get(name) ?? null))
  return run(ctx, ['apk', 'add', ...(known ? ['-u'] : []), ...names], 'installing')
}

async function remove(ctx: FunctionContext, call: TargetCall, purge: boolean): Promise<Dict> {
  const names = named(call, true)
  return names.length === 0 ? new Map() : run(ctx, ['apk', 'del', ...(purge ? ['--purge'] : []), ...names], 'removing')
}

async function upgrade(ctx: FunctionContext, refreshing: boolean, call: TargetCall): Promise<Dict> {
  if (refreshing) await refresh(ctx)
  const old = await list(ctx)
  const names = named(call)
  const words = names.length > 0 ? ['apk', 'add', '-u', ...names] : ['apk', 'upgrade']
  const { retcode, stdout } = await runAll(ctx, words, { ...QUIET, redirect_stderr: true })
  const changes = await changesSince(ctx, old, () => list(ctx))
  return dictFrom({ changes, result: retcode === 0, comment: retcode === 0 ? '' : stdout })
}

async function files(ctx: FunctionContext, packages: readonly string[]): Promise<Value> {
  if (packages.length === 0) return 'Package name should be provided'
  const found: Dict = new Map()
  for (const name of packages) {
    const { stdout } = await runAll(ctx, ['apk', 'info', '-L', name], QUIET)
    const lines = splitLines(stdout).filter((line) => !line.endsWith('contains:'))
    if (lines.length > 0) found.set(name, lines)
  }
  return dictFrom({ errors: [], packages: found })
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

export default defineModule({
  name: 'apkpkg',
  virtual: 'pkg',
  doc: 'Install packages with apk.',
  when: ({ grains }) => grains.get('os_family') === 'Alpine' || 'Module apk only works on Alpine Linux based systems',
  functions: {
    ...commonFunctions(gather),
    refresh_db: changes({
      doc: 'Refresh the package database.',
      args: { kwargs: param.kwargs },
      returns: ret.boolean('True'),
      run: refresh,
    }),
    latest_version: latestVersion(latest),
    upgrade_available: upgradeAvailable(async (ctx, name, options) => (await latest(ctx, [name], options)) !== ''),
    install: installation(INSTALL, install),
    remove: changes({
      doc: 'Remove packages.',
      example: 'pkg.remove bash',
      args: {
        name: param.name,
        pkgs: param.pkgs,
        purge: arg.flag('Remove configuration files too', { default: false }),
        kwargs: param.kwargs,
      },
      returns: param.versionChanges,
      run: (ctx, { name, pkgs, purge }) => remove(ctx, { name, pkgs }, purge),
    }),
    purge: removal('purge', 'Remove packages and their configuration.', (ctx, call) => remove(ctx, call, true)),
    upgrade: changes({
      doc: 'Upgrade packages; all of them when none is given.',
      args: { name: param.name, pkgs: param.pkgs, refresh: param.refresh(true), kwargs: param.kwargs },
      returns: ret.dict('`changes` by package name, `result` and `comment`'),
      run: (ctx, { name, pkgs, refresh }) => upgrade(ctx, refresh, { name, pkgs }),
    }),
    list_upgrades: reads({
      doc: 'List the packages with a newer version.',
      args: { refresh: param.refresh(true), kwargs: param.kwargs },
      returns: param.versionsByName,
      run: async (ctx, { refresh: refreshing }) => {
        if (refreshing) await refresh(ctx)
        const { retcode, stdout, stderr } = await runAll(ctx, ['apk', 'upgrade', '-s'], QUIET)
        if (retcode !== 0) throw failure(stderr + stdout)
        return upgradesIn(stdout)
      },
    }),
    ...fileFunctions({ list: files, dict: files, owner: owners }),
  },
})
