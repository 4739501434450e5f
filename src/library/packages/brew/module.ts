// Packages of macOS through Homebrew, which runs as the owner of its program and never as root.
import {
  type Dict,
  isDict,
  loadJson,
  PyError,
  SaltError,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  CommandError,
  type CommandOutcome,
  defineModule,
  type FunctionContext,
  type Host,
  isTrue,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import { commonFunctions } from '../common/common.ts'
import { type Call, changing, reading } from '../common/declare.ts'
import { type HoldCall, holdTargets, isDryRun, judged, type Verdict } from '../common/holds.ts'
import {
  addPackage,
  changesSince,
  clearRefreshMark,
  failure,
  infoOf,
  listPackages,
  namesOf,
  targetsOf,
  type Versions,
} from '../common/installed.ts'

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

/** Where Homebrew is installed, as it says itself. */
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
    throw new CommandError(
      'Brew command failed',
      infoOf({ result: new Map<Value, Value>(Object.entries({ ...outcome })) }),
    )
  }
  return outcome
}

/** Whether a command succeeded; a failure is logged. */
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
const texts = (value: Value | undefined): string[] => ((value ?? []) as Value[]).map((one) => str(one))

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

const optionsOf = (options: Value): string[] => (truthy(options) ? texts(options as Value[]) : [])

/** What Homebrew knows about packages, by the name that was asked for. */
async function information(ctx: FunctionContext, names: readonly string[], options: Value): Promise<Dict> {
  const data = loadJson((await brew(ctx, ['info', '--json=v2', ...optionsOf(options), ...names])).stdout)
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
  const versions = entry.get('versions')
  if (!isDict(versions ?? null)) return entry.get('version') ?? null
  const known = versions as Dict
  const stable = known.get('stable') ?? null
  const version = truthy(stable) ? stable : (known.get('devel') ?? null)
  const revision = Number(entry.get('revision') ?? 0)
  return truthy(known.get('bottle') ?? null) && revision >= 1 ? `${str(version)}_${revision}` : version
}

async function latest(ctx: FunctionContext, { given, rest, kwargs }: Call): Promise<Value> {
  if (isTrue(kwargs.get('refresh') ?? true)) await refresh(ctx)
  const known = await information(ctx, rest, given['options'] ?? null)
  const found: Dict = new Map([...known].map(([name, entry]) => [name, newest(entry as Dict)]))
  return rest.length === 1 ? ([...found.values()][0] ?? '') : found
}

async function upgrades(
  ctx: FunctionContext,
  { refresh: fresh, include_casks, options }: Readonly<Record<string, Value>>,
): Promise<Dict> {
  if (truthy(fresh ?? true)) await refresh(ctx)
  const { stdout } = await brew(ctx, ['outdated', '--json=v2', ...optionsOf(options ?? null)])
  try {
    const data = loadJson(stdout)
    const entries = [...dictsIn(data, 'formulae'), ...(truthy(include_casks ?? null) ? dictsIn(data, 'casks') : [])]
    return new Map(entries.map((entry) => [entry.get('name')!, entry.get('current_version')!]))
  } catch (error) {
    if (error instanceof PyError) throw failure(`unable to interpret output from "brew outdated": ${error.message}`)
    throw error
  }
}

async function install(ctx: FunctionContext, { given, kwargs }: Call): Promise<Dict> {
  const { name = null, pkgs = null } = given
  const targets = await targetsOf(ctx, { name, pkgs, sources: kwargs.get('sources') ?? null })
  if (targets === undefined) return new Map()
  const old = await list(ctx)
  const taps = given['taps'] ?? null
  for (const tap of truthy(taps) ? (Array.isArray(taps) ? (taps as Value[]) : [taps]) : []) {
    const known = splitLines((await brew(ctx, ['tap'])).stdout)
    if (!known.includes(str(tap))) await attempted(ctx, 'tap', str(tap))
  }
  await brew(ctx, ['install', ...namesOf(targets), ...optionsOf(given['options'] ?? null)])
  return changesSince(ctx, old, () => list(ctx))
}

async function remove(ctx: FunctionContext, { given }: Call): Promise<Dict> {
  const targets = await targetsOf(ctx, { name: given['name']!, pkgs: given['pkgs']! })
  const old = await list(ctx)
  const names = targets ? namesOf(targets).filter((name) => old.has(name)) : []
  if (names.length === 0) return new Map()
  await brew(ctx, ['uninstall', ...optionsOf(given['options'] ?? null), ...names])
  return changesSince(ctx, old, () => list(ctx))
}

async function upgrade(ctx: FunctionContext, { given }: Call): Promise<Dict> {
  const old = await list(ctx)
  if (isTrue(given['refresh']!)) await refresh(ctx)
  const outcome = await brew(ctx, ['upgrade'], false)
  const changes = await changesSince(ctx, old, () => list(ctx))
  if (outcome.retcode === 0) return changes
  const result = new Map<Value, Value>(Object.entries({ ...outcome }))
  throw new CommandError('Problem encountered upgrading packages', infoOf({ changes, result }))
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

async function changeHolds(ctx: FunctionContext, { given }: Call, way: Holding): Promise<Dict> {
  const names = holdTargets(given as unknown as HoldCall)
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

const latest_version = reading('The newest version.', '*names options **kwargs', 'pkg.latest_version ruby', latest)
const hold = changing(
  'Hold packages at their version.',
  'name pkgs sources **kwargs',
  'pkg.hold ruby',
  (ctx, call) => changeHolds(ctx, call, HOLD),
  ret.dict('What was done, by package'),
)
const unhold = changing(
  'Let held packages go.',
  'name pkgs sources **kwargs',
  'pkg.unhold ruby',
  (ctx, call) => changeHolds(ctx, call, UNHOLD),
  ret.dict('What was done, by package'),
)

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
    homebrew_prefix: reading(
      'Where Homebrew is installed.',
      '',
      'pkg.homebrew_prefix',
      async (ctx) => (await prefix(ctx.host)) ?? null,
    ),
    latest_version,
    available_version: latest_version,
    remove: changing('Remove packages.', 'name pkgs options **kwargs', 'pkg.remove ruby', remove),
    purge: changing('Remove packages.', 'name pkgs options **kwargs', 'pkg.purge ruby', remove),
    refresh_db: changing('Fetch the package lists.', '**kwargs', 'pkg.refresh_db', (ctx) => refresh(ctx)),
    install: changing(
      'Install packages.',
      'name pkgs taps options **kwargs',
      'pkg.install ruby',
      install,
      ret.dict('Old and new versions, by package'),
    ),
    list_upgrades: reading(
      'Packages of which there is a newer version.',
      'refresh=true include_casks=false options **kwargs',
      'pkg.list_upgrades',
      (ctx, { given }) => upgrades(ctx, given),
      ret.dict('New versions by name'),
    ),
    upgrade_available: reading(
      'Whether there is a newer version of a package.',
      '!pkg **kwargs',
      'pkg.upgrade_available ruby',
      async (ctx, { given, kwargs }) => (await upgrades(ctx, Object.fromEntries(kwargs))).has(given['pkg']!),
    ),
    upgrade: changing(
      'Bring all packages to their newest version.',
      'refresh=true **kwargs',
      'pkg.upgrade',
      upgrade,
      ret.dict('Old and new versions, by package'),
    ),
    info_installed: reading(
      'All facts about packages.',
      '*names options **kwargs',
      'pkg.info_installed ruby',
      (ctx, { rest, given }) => information(ctx, rest, given['options'] ?? null),
    ),
    hold,
    pin: hold,
    unhold,
    unpin: unhold,
  },
})
