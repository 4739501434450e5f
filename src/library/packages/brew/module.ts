// Packages of macOS through Homebrew, which runs as the owner of its program and never as root.
import {
  type Dict,
  dictFrom,
  failure,
  isDict,
  iterate,
  loadJson,
  PyError,
  SaltError,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  CommandError,
  type CommandOutcome,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  type Host,
  isTrue,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import { commonFunctions, type Options } from '../common/functions.ts'
import { type HoldCall, holdTargets, isDryRun, judged, type Verdict } from '../common/holds.ts'
import {
  addPackage,
  changesSince,
  clearRefreshMark,
  listPackages,
  namesOf,
  type TargetCall,
  targetsOf,
  type Versions,
} from '../common/installed.ts'
import * as param from '../common/params.ts'

const SILICON = '/opt/homebrew/bin'

async function brewProgram(host: Host): Promise<string | undefined> {
  const found = await host.which('brew')
  if (found !== undefined) return found
  return (await host.access(`${SILICON}/brew`, 'execute')) ? `${SILICON}/brew` : undefined
}

const ownerOf = async (host: Host, path: string): Promise<string | undefined> => {
  const facts = await host.stat(path)
  return facts && (await host.user(facts.uid))?.name
}

/** Return the directory of Homebrew; undefined without Homebrew. */
async function prefix(host: Host): Promise<string | undefined> {
  const set = (await host.env()).get('HOMEBREW_PREFIX')
  if (set !== undefined) return set
  const program = await brewProgram(host)
  if (program === undefined) return undefined
  const user = await ownerOf(host, program)
  const { retcode, stdout } = await host.run({ argv: [program, '--prefix'], ...(user !== undefined && { user }) })
  return retcode === 0 ? Buffer.from(stdout).toString().trim() : undefined
}

async function brew(ctx: FunctionContext, words: readonly string[], failhard = true): Promise<CommandOutcome> {
  const program = `${await prefix(ctx.host)}/bin/brew`
  const owner = await ownerOf(ctx.host, program)
  const { uid } = await ctx.host.identity()
  const me = str(ctx.opts.get('user') ?? (await ctx.host.user(uid))?.name ?? 'root')
  const sudo = owner !== undefined && owner !== me ? ['sudo', '-i', '-n', '-H', '-u', owner, '--'] : []
  const outcome = await runAll(ctx, [...sudo, program, ...words], { output_loglevel: 'trace' })
  if (failhard && outcome.retcode !== 0) {
    throw new CommandError('Brew command failed', dictFrom({ result: dictFrom({ ...outcome }) }))
  }
  return outcome
}

/** Run a command, log its failure, and return whether it succeeded. */
async function attempted(ctx: FunctionContext, verb: string, name: string): Promise<boolean> {
  try {
    await brew(ctx, [verb, name])
    return true
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    ctx.log('error', `Failed to ${verb} "${name}"`)
    return false
  }
}

const dictsIn = (data: Value, key: string): Dict[] => ((isDict(data) && data.get(key)) || []) as Dict[]
const texts = (value: Value = []): string[] => Array.from(iterate(value), str)

async function gather(ctx: FunctionContext): Promise<Versions> {
  const data = loadJson((await brew(ctx, ['info', '--json=v2', '--installed'])).stdout)
  const versions: Versions = new Map()
  for (const formula of dictsIn(data, 'formulae')) {
    const names = [...texts(formula.get('aliases')), str(formula.get('name')!), str(formula.get('full_name')!)]
    for (const name of names) {
      for (const one of dictsIn(formula, 'installed')) addPackage(versions, name, str(one.get('version')!))
    }
  }
  for (const cask of dictsIn(data, 'casks')) {
    const token = str(cask.get('token')!)
    const tap = truthy(cask.get('tap') ?? null) ? str(cask.get('tap')!) : 'homebrew/cask'
    const names = [cask.get('full_token') ?? null, token, `${tap}/${token}`].filter((name) => name !== null)
    for (const name of new Set(names.map((one) => str(one))))
      addPackage(versions, name, str(cask.get('installed') ?? ''))
  }
  return versions
}

const list = (ctx: FunctionContext): Promise<Dict> => listPackages(ctx, gather)

async function refresh(ctx: FunctionContext): Promise<true> {
  await clearRefreshMark(ctx)
  await brew(ctx, ['update'])
  return true
}

/** Return the facts that Homebrew has about packages, by the given names. */
async function information(ctx: FunctionContext, names: readonly string[], options: string[] | null): Promise<Dict> {
  const data = loadJson((await brew(ctx, ['info', '--json=v2', ...(options ?? []), ...names])).stdout)
  const found: Dict = new Map()
  const take = (entry: Dict, known: readonly string[]): void => {
    for (const name of new Set(known)) if (names.includes(name)) found.set(name, entry)
  }
  for (const formula of dictsIn(data, 'formulae')) {
    take(formula, [str(formula.get('name')!), str(formula.get('full_name')!), ...texts(formula.get('aliases'))])
  }
  for (const cask of dictsIn(data, 'casks')) take(cask, [str(cask.get('token')!), str(cask.get('full_token')!)])
  return found
}

function newest(entry: Dict): Value {
  const known = entry.get('versions') ?? null
  if (!isDict(known)) return entry.get('version') ?? null
  const stable = known.get('stable') ?? null
  const version = truthy(stable) ? stable : (known.get('devel') ?? null)
  const revision = Number(entry.get('revision') ?? 0)
  return truthy(known.get('bottle') ?? null) && revision >= 1 ? `${str(version)}_${revision}` : version
}

async function latest(
  ctx: FunctionContext,
  names: readonly string[],
  options: string[] | null,
  further: Options,
): Promise<Value> {
  if (isTrue(further.get('refresh') ?? true)) await refresh(ctx)
  const known = await information(ctx, names, options)
  const found: Dict = new Map([...known].map(([name, entry]) => [name, newest(entry as Dict)]))
  return names.length === 1 ? ([...found.values()][0] ?? '') : found
}

interface UpgradeQuery {
  refreshing: boolean
  casks: boolean
  options: string[] | null
}

async function upgrades(ctx: FunctionContext, { refreshing, casks, options }: UpgradeQuery): Promise<Dict> {
  if (refreshing) await refresh(ctx)
  const { stdout } = await brew(ctx, ['outdated', '--json=v2', ...(options ?? [])])
  try {
    const data = loadJson(stdout)
    const entries = [...dictsIn(data, 'formulae'), ...(casks ? dictsIn(data, 'casks') : [])]
    return new Map(entries.map((entry) => [entry.get('name')!, entry.get('current_version')!]))
  } catch (error) {
    if (error instanceof PyError) throw failure(`unable to interpret output from "brew outdated": ${error.message}`)
    throw error
  }
}

async function install(
  ctx: FunctionContext,
  call: TargetCall,
  taps: string[] | null,
  options: string[] | null,
): Promise<Dict> {
  const targets = await targetsOf(ctx, call)
  if (targets === undefined) return new Map()
  const old = await list(ctx)
  for (const tap of taps ?? []) {
    const known = splitLines((await brew(ctx, ['tap'])).stdout)
    if (!known.includes(tap)) await attempted(ctx, 'tap', tap)
  }
  await brew(ctx, ['install', ...namesOf(targets), ...(options ?? [])])
  return changesSince(ctx, old, () => list(ctx))
}

async function remove(ctx: FunctionContext, call: TargetCall, options: string[] | null): Promise<Dict> {
  const targets = await targetsOf(ctx, call)
  const old = await list(ctx)
  const names = targets ? namesOf(targets).filter((name) => old.has(name)) : []
  if (names.length === 0) return new Map()
  await brew(ctx, ['uninstall', ...(options ?? []), ...names])
  return changesSince(ctx, old, () => list(ctx))
}

async function upgrade(ctx: FunctionContext, refreshing: boolean): Promise<Dict> {
  const old = await list(ctx)
  if (refreshing) await refresh(ctx)
  const outcome = await brew(ctx, ['upgrade'], false)
  const changes = await changesSince(ctx, old, () => list(ctx))
  if (outcome.retcode === 0) return changes
  const result = dictFrom({ ...outcome })
  throw new CommandError('Problem encountered upgrading packages', dictFrom({ changes, result }))
}

interface Holding {
  verb: 'pin' | 'unpin'
  already: string
  foreseen: string
  done: string
  failed: string
  changes: readonly [string, string]
}

const HOLD: Holding = {
  verb: 'pin',
  already: 'is already set to be held.',
  foreseen: 'is set to be held.',
  done: 'is now being held.',
  failed: 'Unable to hold package',
  changes: ['hold', 'install'],
}

const UNHOLD: Holding = {
  verb: 'unpin',
  already: 'is already set not to be held.',
  foreseen: 'is set to be unheld.',
  done: 'is no longer being held.',
  failed: 'Unable to unhold package',
  changes: ['install', 'hold'],
}

async function changeHolds(ctx: FunctionContext, call: HoldCall, way: Holding): Promise<Dict> {
  const names = holdTargets(call)
  const pinned = splitLines((await brew(ctx, ['list', '--pinned'])).stdout)
  const installed = await list(ctx)
  return judged(names, async (name): Promise<Verdict> => {
    if (!installed.has(name)) return [false, `Package ${name} does not have a state.`]
    if (pinned.includes(name) === (way.verb === 'pin')) return [true, `Package ${name} ${way.already}`]
    if (isDryRun(ctx)) return [null, `Package ${name} ${way.foreseen}`]
    if (!(await attempted(ctx, way.verb, name))) return [false, `${way.failed} ${name}.`]
    return [true, `Package ${name} ${way.done}`, way.changes]
  })
}

const options = arg.words('Further options of the command, such as `--HEAD`', { optional: true })

const latest_version = reads({
  doc: 'Return the newest available version of packages.',
  example: 'pkg.latest_version ruby',
  args: { names: param.names, options, kwargs: arg.open('`refresh`') },
  returns: ret.any('Version, or versions by name for several packages'),
  run: (ctx, { names, options, kwargs }) => latest(ctx, names.map(str), options, kwargs),
})

const removing = (fun: string): FunctionDeclaration =>
  changes({
    doc: 'Remove packages.',
    example: `pkg.${fun} ruby`,
    args: { name: param.name, pkgs: param.pkgs, options, kwargs: param.kwargs },
    returns: param.versionChanges,
    run: (ctx, { name, pkgs, options }) => remove(ctx, { name, pkgs }, options),
  })

const holding = (fun: string, doc: string, way: Holding): FunctionDeclaration =>
  changes({
    doc,
    example: `pkg.${fun} ruby`,
    args: { name: param.name, pkgs: param.pkgs, sources: param.sources, kwargs: param.kwargs },
    returns: param.holdReports,
    run: (ctx, call) => changeHolds(ctx, call, way),
  })

const hold = holding('hold', 'Hold packages at their version.', HOLD)
const unhold = holding('unhold', 'Release held packages.', UNHOLD)

export default defineModule({
  name: 'mac_brew_pkg',
  virtual: 'pkg',
  doc: 'Install packages with Homebrew.',
  when: async ({ grains, host }) => {
    if (grains.get('os') !== 'MacOS') return 'brew module is macos specific'
    return (await prefix(host)) !== undefined || "The 'brew' binary was not found"
  },
  functions: {
    ...commonFunctions(gather),
    homebrew_prefix: reads({
      doc: 'Return the directory of Homebrew.',
      returns: ret.optional(ret.string('Path')),
      run: async (ctx) => (await prefix(ctx.host)) ?? null,
    }),
    latest_version,
    available_version: latest_version,
    remove: removing('remove'),
    purge: removing('purge'),
    refresh_db: changes({
      doc: 'Refresh the package database.',
      args: { kwargs: param.kwargs },
      returns: ret.boolean('True'),
      run: refresh,
    }),
    install: changes({
      doc: 'Install packages.',
      example: 'pkg.install ruby',
      args: {
        name: param.name,
        pkgs: param.pkgs,
        taps: arg.words('Names of taps to add first', { optional: true }),
        options,
        kwargs: param.kwargs,
      },
      returns: param.versionChanges,
      run: (ctx, { name, pkgs, taps, options, kwargs }) =>
        install(ctx, { name, pkgs, sources: kwargs.get('sources') ?? null }, taps, options),
    }),
    list_upgrades: reads({
      doc: 'List the packages with a newer version.',
      args: {
        refresh: arg.flag('Refresh the package database first', { default: true }),
        include_casks: arg.flag('List casks too', { default: false }),
        options,
        kwargs: param.kwargs,
      },
      returns: param.versionsByName,
      run: (ctx, { refresh, include_casks, options }) =>
        upgrades(ctx, { refreshing: refresh, casks: include_casks, options }),
    }),
    upgrade_available: reads({
      doc: 'Return whether a newer version of a package is available.',
      example: 'pkg.upgrade_available ruby',
      args: { pkg: param.pkg, kwargs: arg.open('Options of `pkg.list_upgrades`') },
      returns: ret.boolean('Whether a newer version is available'),
      run: async (ctx, { pkg, kwargs }) => {
        const [refreshing, casks] = [kwargs.get('refresh') ?? true, kwargs.get('include_casks') ?? null]
        const query = {
          refreshing: truthy(refreshing),
          casks: truthy(casks),
          options: kwargs.has('options') ? texts(kwargs.get('options')) : null,
        }
        return (await upgrades(ctx, query)).has(pkg)
      },
    }),
    upgrade: changes({
      doc: 'Upgrade all packages.',
      args: { refresh: param.refresh(true), kwargs: param.kwargs },
      returns: param.versionChanges,
      run: (ctx, { refresh }) => upgrade(ctx, refresh),
    }),
    info_installed: reads({
      doc: 'Return the facts that Homebrew has about packages.',
      example: 'pkg.info_installed ruby',
      args: { names: param.names, options, kwargs: param.kwargs },
      returns: ret.dict('Facts by package name'),
      run: (ctx, { names, options }) => information(ctx, names.map(str), options),
    }),
    hold,
    pin: hold,
    unhold,
    unpin: unhold,
  },
})
