// Plugins that fetch data from elsewhere: drivers of `sdb://` URIs, external pillars and master tops. Each declares its settings as
// typed arguments, and gets a small context: options, grains, the machine, web requests, and execution functions by name.
import { didYouMean, type Log, withHint } from '../base/mod.ts'
import { type BoundArguments, type Dict, SaltError, str, textOf, typeError, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { httpClient } from '../http/mod.ts'
import type { FunctionSource } from '../render/mod.ts'
import type { SharedBanks } from '../store/mod.ts'
import { type Arg, type Args, arg, type Bound } from './arg.ts'
import { bind, filledArguments } from './bind.ts'
import type { FunctionContext, Keywords, SdbRequest } from './context.ts'
import type { Result } from './description.ts'
import { toValue } from './result.ts'

type Fetched<T> = T | Promise<T>

/** The context of every data source. `call` calls execution functions by name. */
export type DataSourceContext = Pick<FunctionContext, 'opts' | 'grains' | 'host' | 'http' | 'log' | 'has' | 'call'> & {
  /** The functions behind `call`, for templates; absent if a function queries the source. */
  readonly functions?: FunctionSource | undefined
}

interface SourceSurroundings {
  opts: Dict
  grains: Dict
  host: Host
  log: Log
  /** Absent where no functions can be called. */
  functions?: FunctionSource | undefined
}

/** Return the context of a data source that is queried outside of functions. */
export function dataSourceContext({ functions, ...known }: SourceSurroundings): DataSourceContext {
  const call = (name: string, args: readonly Value[] = [], kwargs: Keywords = {}): Value | Promise<Value> => {
    if (!functions) throw new SaltError('CommandExecutionError', `${name} cannot be called here`)
    return functions.call(name, args, kwargs instanceof Map ? kwargs : new Map(Object.entries(kwargs)))
  }
  return {
    ...known,
    functions,
    http: httpClient(known.host, known.opts),
    has: (name) => functions?.has(name) ?? false,
    call: call as DataSourceContext['call'],
  }
}

/** The context of a driver of `sdb://` URIs. */
export type SdbContext = DataSourceContext & Pick<FunctionContext, 'render'>

export interface SdbDriver<A extends Args = Args> {
  readonly name: string
  readonly doc: string
  /** The settings of a profile, without `driver`. */
  readonly args: A
  /** Return the value of a key; null if it does not exist. */
  get(ctx: SdbContext, key: string, settings: Bound<A>): Fetched<Result>
  set?(ctx: SdbContext, key: string, value: Value, settings: Bound<A>): Fetched<Result>
  delete?(ctx: SdbContext, key: string, settings: Bound<A>): Fetched<Result>
}

/** Declare a driver of `sdb://` URIs; the type of the settings follows from `args`. */
export function defineSdb<const A extends Args>(declaration: SdbDriver<A>): SdbDriver {
  return declaration as unknown as SdbDriver
}

/** Call a driver with the settings of a profile in their declared types. */
export async function callSdb(driver: SdbDriver, ctx: SdbContext, request: SdbRequest): Promise<Value> {
  const settings = profileSettings(driver, request.profile, ctx.log)
  const { action, key, value = null } = request
  if (action === 'get') return toValue(await driver.get(ctx, key, settings))
  if (!driver[action]) {
    throw new SaltError('CommandExecutionError', `The sdb driver '${driver.name}' cannot ${action} values`)
  }
  if (action === 'set') return toValue(await driver.set!(ctx, key, value, settings))
  return toValue(await driver.delete!(ctx, key, settings))
}

/** Unknown settings have no effect, as in Salt, and the log says so. */
function profileSettings(driver: SdbDriver, profile: Dict, log: Log): Bound<Args> {
  const { name, args } = driver
  const isOpen = Object.values(args).some(({ kind }) => kind === 'open')
  const given: BoundArguments = { named: new Map(), rest: [], further: new Map() }
  for (const [key, value] of profile) {
    const setting = str(key)
    if (setting === 'driver') continue
    if (Object.hasOwn(args, setting) && args[setting]!.kind !== 'open') given.named.set(setting, value)
    else if (isOpen) given.further.set(setting, value)
    else {
      const unknown = `A profile of the sdb driver '${name}' has the unknown setting '${setting}', which has no effect`
      log('warning', withHint(unknown, didYouMean(setting, Object.keys(args))))
    }
  }
  const missing = Object.keys(args).find((setting) => isRequired(args[setting]!) && !given.named.has(setting))
  if (missing !== undefined) {
    throw new SaltError('CommandExecutionError', `A profile of the sdb driver '${name}' needs the setting '${missing}'`)
  }
  return filledArguments({ args }, given, name)
}

const isRequired = ({ kind, default: fallback }: Arg<unknown>): boolean => kind !== 'open' && fallback === undefined

/** The context of an external pillar. */
export interface ExtPillarContext extends DataSourceContext {
  readonly minionId: string
  /** Return whether a compound target means this minion to the master. */
  isMember(target: Value): boolean | Promise<boolean>
  /** Return the pillar that the SLS files of other roots give this minion, without external pillars. */
  compileRoots(roots: Dict, saltenv: string): Promise<Dict>
  /** Run text through a pipe of renderers. */
  render(text: string, options: { renderer: string; opts?: Dict; path?: string }): Promise<Value>
}

export interface ExtPillar<A extends Args = Args> {
  readonly name: string
  readonly doc: string
  /** The parameters after `minion_id` and `pillar`. */
  readonly args: A
  /** Return the data to merge; an empty dict changes nothing. `pillar` is the pillar so far. */
  run(ctx: ExtPillarContext, args: Bound<A>, pillar: Dict): Fetched<Value>
}

/** Declare an external pillar; the type of the arguments of `run` follows from `args`. */
export function defineExtPillar<const A extends Args>(declaration: ExtPillar<A>): ExtPillar {
  return declaration as unknown as ExtPillar
}

/** Call an external pillar with the value that `ext_pillar` has for it: keywords, a list of arguments, or one argument. */
export async function callExtPillar(
  source: ExtPillar,
  ctx: ExtPillarContext,
  request: { setting: Value; pillar: Dict; extraMinionData: Dict },
): Promise<Value> {
  const { setting, pillar, extraMinionData } = request
  const { positional, keywords } = settingArguments(setting)
  if ('extra_minion_data' in source.args && extraMinionData.size > 0 && !keywords.has('extra_minion_data')) {
    keywords.set('extra_minion_data', extraMinionData)
  }
  const {
    minion_id,
    pillar: _pillar,
    ...args
  } = bind(
    { args: { minion_id: arg.any('Id of the minion'), pillar: arg.any('Pillar so far'), ...source.args } },
    'ext_pillar',
    [ctx.minionId, pillar, ...positional],
    keywords,
  )
  return source.run(ctx, args, pillar)
}

/** The context of a source of master tops. Its grains are those of the requesting minion. */
export interface TopsContext extends DataSourceContext {
  readonly minionId: string
}

export interface TopsSource<A extends Args = Args> {
  readonly name: string
  readonly doc: string
  /** The settings of the source in `master_tops`. */
  readonly args: A
  /** Return lists of SLS names by environment. */
  run(ctx: TopsContext, args: Bound<A>): Fetched<Dict>
}

/** Declare a source of master tops; the type of the arguments of `run` follows from `args`. */
export function defineTops<const A extends Args>(declaration: TopsSource<A>): TopsSource {
  return declaration as unknown as TopsSource
}

/** Call a source with the value that `master_tops` has for it: keywords, a list of arguments, or one argument. */
export async function callTops(source: TopsSource, ctx: TopsContext, setting: Value): Promise<Dict> {
  const { positional, keywords } = settingArguments(setting)
  return source.run(ctx, bind({ args: source.args }, source.name, positional, keywords))
}

/** A driver of the data cache of masters (option `cache`): banks of values on a server. */
export interface CacheDriver {
  readonly name: string
  readonly doc: string
  /** Return the banks of the server in the options. Connections are opened at first use. */
  open(ctx: DataSourceContext): SharedBanks
}

/** Declare a driver of the data cache. */
export function defineCache(declaration: CacheDriver): CacheDriver {
  return declaration
}

function settingArguments(setting: Value): { positional: readonly Value[]; keywords: Map<string, Value> } {
  const keywords = new Map<string, Value>()
  if (!(setting instanceof Map)) return { positional: Array.isArray(setting) ? setting : [setting], keywords }
  for (const [key, value] of setting) {
    const name = textOf(key)
    if (name === undefined) throw typeError('keywords must be strings')
    keywords.set(name, value)
  }
  return { positional: [], keywords }
}
