// The contexts of state functions in one run: the functions they call, their log, and other states by name.

import { type Log, namedLog } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, str, strip, truthy, type Value } from '../../data/mod.ts'
import { readOnlyHost } from '../../host/mod.ts'
import { loggerName, type Registry } from '../../loader/mod.ts'
import { bind, type Keywords, type StateContext, toValue } from '../../sdk/mod.ts'
import type { LowChunk } from '../compile/types.ts'
import { contextClass } from './call-context.ts'
import type { RunSurroundings } from './surroundings.ts'
import { unify } from './unify.ts'

/** One chunk of a run, with all chunks of the run and the results so far. */
export interface CalledChunk {
  readonly low: LowChunk
  readonly chunks: readonly LowChunk[]
  readonly running: Dict
}

export class CallContexts {
  private readonly run: RunSurroundings
  private readonly instanceId: string
  private readonly logs = new Map<string, Log>()
  /** Functions that cannot change anything, made at the first dry call. */
  private dry: Registry | undefined

  constructor(run: RunSurroundings, instanceId: string) {
    this.run = run
    this.instanceId = instanceId
  }

  get isTest(): boolean {
    return option(this.run.opts, 'test')
  }

  /** Return the context of a call; `env` is the state's own argument of that name. */
  of({ low, chunks, running }: CalledChunk, env?: Value, functions = this.functionsFor(low)): StateContext {
    return new (contextClass(functions.ctx))({
      log: this.logOf(str(low.get('state')!)),
      test: this.isDry(low),
      low,
      running,
      lowstate: chunks,
      env: this.environmentOf(low, env),
      instanceId: this.instanceId,
      hasState: this.hasState,
      callState: this.callState,
    })
  }

  /** Return the functions that a state with the option `provider` works with. */
  async providing(low: LowChunk): Promise<Registry | undefined> {
    const providers = providersOf(low)
    return providers.size > 0 ? this.functionsFor(low).providing(providers) : undefined
  }

  private functionsFor(low: LowChunk): Registry {
    return this.isDry(low) ? this.dryFunctions() : this.run.functions
  }

  /** Whether a state must change nothing: in a dry run, and when only its changes are computed. */
  private isDry(low: LowChunk): boolean {
    return truthy(low.get('__prereq__') ?? false) || this.isTest
  }

  /** The log under the name of a state module. */
  private logOf(module: string): Log {
    const known = this.logs.get(module)
    if (known) return known
    const log = namedLog(this.run.functions.ctx.log, loggerName('states', module))
    this.logs.set(module, log)
    return log
  }

  private readonly hasState = (name: string): boolean => this.run.states.has(name)

  private readonly callState = (ctx: StateContext, name: string, kwargs: Keywords): Promise<Dict> =>
    this.callOther(ctx, name, kwargs)

  /** Return the functions for a dry run, which may write caches: states do not manage these. */
  private dryFunctions(): Registry {
    if (this.dry) return this.dry
    const cachedir = strip(option(this.run.opts, 'cachedir'))
    const { functions } = this.run
    const host = readOnlyHost(functions.ctx.host, (path) => cachedir !== '' && path.startsWith(`${cachedir}/`))
    const opts: Dict = new Map([...functions.ctx.opts, ['test', true]])
    this.dry = functions.with({ host, opts })
    return this.dry
  }

  private environmentOf(low: LowChunk, env: Value | undefined): string {
    const isLocked = option(this.run.opts, 'lock_saltenv')
    if (!isLocked && low.has('saltenv')) return str(low.get('saltenv')!)
    if (!isLocked && typeof env === 'string') return env
    return str(low.get('__env__') ?? 'base')
  }

  private async callOther(ctx: StateContext, name: string, kwargs: Keywords): Promise<Dict> {
    const module = name.slice(0, name.indexOf('.'))
    await this.run.states.load(module)
    const declaration = this.run.states.get(name)
    if (!declaration) throw new Error(this.run.states.missing(name))
    const keywords = kwargs instanceof Map ? kwargs : new Map(Object.entries(kwargs))
    const bound = bind(declaration, name.slice(module.length + 1), [], keywords)
    return asDict(toValue(await declaration.run(ctx, bound as never)))
  }
}

export const asDict = (value: Value): Dict => (value instanceof Map ? value : unify(value))

/** Return providers by virtual name: one for the state's own module, or a list of dicts. */
function providersOf(low: LowChunk): Map<string, string> {
  const given = low.get('provider') ?? null
  if (!truthy(given)) return new Map()
  const dicts = Array.isArray(given) ? given : [new Map([[low.get('state')!, given]])]
  const pairs = dicts.flatMap((dict) => (dict instanceof Map ? [...dict] : []))
  return new Map(pairs.map(([module, name]) => [str(module), str(name)]))
}
