// Functions by name. A table says which functions exist; the file behind a module is imported at its first call, so
// the size of the library costs nothing at start.
import { didYouMean, type Log, namedLog, silentLog } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type FileClient, type LoadOwnBackends, LocalFileClient } from '../fileserver/mod.ts'
import { type Host, LocalHost } from '../host/mod.ts'
import { type HttpClient, httpClient } from '../http/mod.ts'
import {
  bind,
  callSdb,
  type FunctionContext,
  type InsideCall,
  type Keywords,
  type ModuleDeclaration,
  type SdbRequest,
  type StateRun,
  type StateRunRequest,
  toValue,
} from '../sdk/mod.ts'
import { absence } from './absent-plugins.ts'
import { ownMaster, ownNetwork, refuseBeyondTarget, seenContext } from './beyond-target.ts'
import { LoaderError } from './errors.ts'
import { loggedCall, loggerName } from './logged-call.ts'
import { MasterRegistry } from './master-registry.ts'
import { type ModuleTable, splitName } from './module-entry.ts'
import { OfferedFunctions } from './offered.ts'
import { returnerTable } from './returner-table.ts'
import { runnerTable } from './runner-table.ts'
import { sdbTable } from './sdb-table.ts'
import { StateRegistry, type StateTable } from './state-registry.ts'
import { stateTable } from './state-table.ts'

/** Users' own modules over the built-in ones. */
export interface UserTables {
  functions: ModuleTable
  states: StateTable
}

/** The context of functions in this registry. `memory` is created if it is not given. */
export interface RegistryContext {
  opts: Dict
  grains: Dict
  pillar: Dict
  memory?: Dict
  masked?: boolean
  log?: Log
  /** Receives the hints of a job. Default: hints are dropped. */
  hint?: FunctionContext['hint']
  /** This machine unless given. */
  host?: Host
  /** Over the host and the options it was first made with, unless given. */
  files?: FileClient
  /** For the files that are over the host and the options. Default: there are no users' own file server backends. */
  ownBackends?: LoadOwnBackends
  /** Over the host and the options, unless given. */
  http?: HttpClient
  render?: FunctionContext['render']
  /** Without it the pillar in memory counts as fresh. */
  freshPillar?: FunctionContext['freshPillar']
  /** Without it no minion is running here. */
  askMinion?: FunctionContext['askMinion']
  daemon?: FunctionContext['daemon']
  proxy?: FunctionContext['proxy']
  keptPillar?: FunctionContext['keptPillar']
  master?: FunctionContext['master']
  /** The state engine, for runs that functions of this registry begin. */
  openStates?: (functions: Registry, request: StateRunRequest) => Promise<StateRun>
  /** Default: there are no machines behind this one. */
  callInside?: (functions: Registry, call: InsideCall) => Promise<Value>
  /** Default: there are no users' own plug-ins. */
  ownPlugin?: (functions: Registry, ...which: Parameters<FunctionContext['ownPlugin']>) => OwnPluginAnswer
  /** Default: there are no users' own returners. */
  ownReturners?: (functions: Registry) => Promise<string[]>
  /** Return the error that templates fail with in place of one of a function. */
  templateError?: (name: string, error: unknown) => unknown
  /** Without it no value has a known origin. */
  pillarOrigins?: FunctionContext['pillarOrigins']
  /** Find users' own modules; undefined if there are none. */
  userModules?: (registry: Registry, builtIn: UserTables) => Promise<UserTables | undefined>
}

type OwnPluginAnswer = ReturnType<FunctionContext['ownPlugin']>

interface Shared {
  readonly builtIn: ModuleTable
  table: ModuleTable
  states: StateTable
  functions: OfferedFunctions
  readonly loaded: Map<string, ModuleDeclaration>
  readonly loading: Map<string, Promise<ModuleDeclaration>>
}

const runners = new MasterRegistry(runnerTable)

async function returnerNames(): Promise<string[]> {
  const found = Object.entries(returnerTable).map(async ([name, load]) => {
    const { default: returner } = await load()
    return Object.keys(returner.functions).map((fun) => `${name}.${fun}`)
  })
  return (await Promise.all(found)).flat()
}

export class Registry {
  private readonly shared: Shared
  private readonly context: RegistryContext
  private readonly states: StateRegistry
  /** The context of functions in this registry. */
  readonly ctx: FunctionContext
  /** The same for each module, with the name of the module in the log. */
  private readonly contexts = new Map<string, FunctionContext>()

  constructor(table: ModuleTable, context: RegistryContext, shared?: Shared) {
    const host: Host = context.host ?? new LocalHost()
    const files = context.files ?? new LocalFileClient(context.opts, host, context.log, host, context.ownBackends)
    this.context = { memory: new Map(), ...context, host, files }
    this.shared = shared ?? {
      builtIn: table,
      table,
      states: stateTable,
      functions: new OfferedFunctions(table, context.opts),
      loaded: new Map(),
      loading: new Map(),
    }
    this.states = new StateRegistry(this.shared.states, { ...context, host })
    const [http, { daemon }] = [context.http ?? httpClient(host, context.opts), context]
    this.ctx = {
      opts: context.opts,
      grains: context.grains,
      pillar: context.pillar,
      memory: this.context.memory!,
      masked: context.masked ?? true,
      call: ((name, args, kwargs) => this.call(name, args, kwargs)) as FunctionContext['call'],
      has: (name) => this.has(name),
      names: () => this.names(),
      serves: (name) => this.serves(name),
      module: (name) => this.module(name),
      states: this.states,
      runners,
      returnerNames: async () => [...(await returnerNames()), ...((await context.ownReturners?.(this)) ?? [])],
      returner: (name, fun) => this.returner(name, fun),
      log: context.log ?? silentLog,
      hint: context.hint ?? (() => {}),
      host,
      files,
      http: host.remote ? ownNetwork(http) : http,
      render: context.render ?? noRenderer,
      freshPillar: context.freshPillar ?? (async ({ override }) => new Map([...context.pillar, ...(override ?? [])])),
      askMinion: context.askMinion ?? (async () => undefined),
      daemon: daemon && host.remote ? ownMaster(daemon) : daemon,
      proxy: context.proxy,
      master: context.master,
      keptPillar: context.keptPillar,
      callSdb: (driver, request) => this.callSdb(driver, request),
      ownPlugin: async (family, name) => context.ownPlugin?.(this, family, name),
      extensions: async () => (host.remote ? [] : (await import('../python/mod.ts')).installedExtensions(context.opts)),
      openStates: (request) => (context.openStates ?? noStates)(this, request),
      callInside: (call) => (context.callInside ?? noMachines)(this, call),
      pillarOrigins: context.pillarOrigins ?? (async () => []),
    }
  }

  private async returner(name: string, fun: string): ReturnType<FunctionContext['returner']> {
    const own = await this.ctx.ownPlugin('returners', name)
    if (own) return own.has(fun) ? (...args) => own.call(fun, args) : undefined
    const functions = Object.hasOwn(returnerTable, name) ? (await returnerTable[name]!()).default.functions : {}
    const found = (functions as Readonly<Record<string, unknown>>)[fun]
    return typeof found === 'function' ? async (...args) => found(this.ctx, ...args) : undefined
  }

  private async callSdb(name: string, request: SdbRequest): Promise<Value | undefined> {
    if (!Object.hasOwn(sdbTable, name)) return undefined
    return callSdb((await sdbTable[name]!()).default, this.ctx, request)
  }

  /** Return a registry with the same functions, including loaded ones, and a changed context. */
  with(changes: Partial<RegistryContext>): Registry {
    return new Registry(this.shared.table, { ...this.context, ...changes }, this.shared)
  }

  /**
   * Return a registry over another table and other options. After `refresh`, it has users' own modules for these
   * options.
   */
  apart(table: ModuleTable, changes: Partial<RegistryContext>): Registry {
    return new Registry(table, { ...this.context, ...changes })
  }

  /**
   * Return a registry with the same functions, except that those of the named modules come from other providers,
   * whether these support this minion or not; missing functions stay as they are.
   */
  async providing(providers: ReadonlyMap<string, string>): Promise<Registry> {
    const { shared } = this
    const loaded = new Map(shared.loaded)
    const changed = new Map<string, ReadonlySet<string>>()
    for (const [module, name] of providers) {
      const provider = await this.declared(module, name)
      if (!provider) continue
      const usual = this.hasModule(module) ? await this.module(module).catch(unavailable) : undefined
      loaded.set(module, { ...provider, functions: { ...usual?.functions, ...provider.functions } })
      changed.set(module, new Set(Object.keys(loaded.get(module)!.functions)))
    }
    const loading = new Map(Array.from(loaded, ([name, module]) => [name, Promise.resolve(module)]))
    const functions = new OfferedFunctions(shared.table, this.context.opts, changed)
    return new Registry(shared.table, this.context, { ...shared, loaded, loading, functions })
  }

  /** Return the module with this real name, among those with the real or virtual name. */
  private async declared(virtual: string, name: string): Promise<ModuleDeclaration | undefined> {
    for (const entry of [...(this.shared.table[virtual] ?? []), ...(this.shared.table[name] ?? [])]) {
      const { default: declaration } = await entry.load()
      if (declaration.name === name) return declaration
    }
    this.ctx.log('error', `There is no module '${name}' that could provide '${virtual}'`)
    return undefined
  }

  /** Select modules again, because the conditions for them have changed. */
  reload(): void {
    this.shared.loaded.clear()
    this.shared.loading.clear()
  }

  /** Load users' own modules again, for this registry and all that share its functions. */
  async refresh(): Promise<void> {
    const { shared, context } = this
    const builtIn = { functions: shared.builtIn, states: stateTable }
    const own = await context.userModules?.(this, builtIn)
    if (!own && shared.table === shared.builtIn) return
    const tables = own ?? builtIn
    shared.table = tables.functions
    shared.states = tables.states
    shared.functions = new OfferedFunctions(shared.table, context.opts)
    this.reload()
    this.states.use(shared.states)
  }

  /** The table of states, users' own included. */
  get stateTable(): StateTable {
    return this.shared.states
  }

  /**
   * Whether a function (`module.function`) exists; of a loaded module, only functions that support this minion count.
   */
  has(name: string): boolean {
    const [module, fun] = splitName(name)
    const offered = this.shared.functions.of(module)?.has(fun) ?? false
    const loaded = this.shared.loaded.get(module)
    return offered && (loaded === undefined || Object.hasOwn(loaded.functions, fun))
  }

  hasModule(name: string): boolean {
    return this.shared.functions.has(name)
  }

  /** Whether no module of a user's own, and no option, provides functions of that name. */
  isBuiltIn(module: string): boolean {
    const { table, builtIn } = this.shared
    return table[module] === builtIn[module] && this.providerOf(module) === undefined
  }

  names(): Generator<string> {
    return this.shared.functions.names()
  }

  /** The error of templates in place of an error of a function. */
  get failure(): RegistryContext['templateError'] {
    return this.context.templateError
  }

  /** The answer is a promise only when the function is asynchronous or its module has yet to be imported. */
  call(name: string, args: readonly Value[] = [], kwargs: Keywords = new Map()): Value | Promise<Value> {
    if (!this.has(name)) throw this.unknown(name)
    const [module, fun] = splitName(name)
    const keywords = kwargs instanceof Map ? kwargs : new Map(Object.entries(kwargs))
    const loaded = this.shared.loaded.get(module)
    if (loaded) return this.run(loaded, name, fun, args, keywords)
    return this.module(module).then((declaration) => this.run(declaration, name, fun, args, keywords))
  }

  /** Whether a function serves this minion; its module is imported only if it does not serve all. */
  async serves(name: string): Promise<boolean> {
    if (!this.has(name)) return false
    const [module, fun] = splitName(name)
    const isOfAll = this.shared.table[module]?.some(({ always, functions }) => always && functions.includes(fun))
    if (isOfAll && !this.shared.loaded.has(module) && this.providerOf(module) === undefined) return true
    const declaration = await this.module(module).catch(unavailable)
    return declaration !== undefined && Object.hasOwn(declaration.functions, fun)
  }

  /** Return the declaration of a module; import it if needed. */
  module(name: string): Promise<ModuleDeclaration> {
    const { loading } = this.shared
    let promise = loading.get(name)
    if (!promise) {
      promise = this.load(name)
      loading.set(name, promise)
    }
    return promise
  }

  private async load(name: string): Promise<ModuleDeclaration> {
    const named = await this.provider(name)
    if (named) {
      this.shared.loaded.set(name, named)
      return named
    }
    const reasons: string[] = []
    let chosen: ModuleDeclaration | undefined
    for (const entry of this.shared.table[name] ?? []) {
      if (chosen !== undefined && entry.functions.every((fun) => Object.hasOwn(chosen!.functions, fun))) continue
      const { default: declaration } = await entry.load()
      const verdict = (await declaration.when?.(this.ctx)) ?? true
      if (verdict !== true) reasons.push(verdict)
      else if (chosen === undefined) chosen = declaration
      else chosen = { ...chosen, functions: { ...declaration.functions, ...chosen.functions } }
    }
    if (chosen === undefined) {
      const why = this.whyAbsent(name)
      throw new LoaderError('ModuleUnavailable', refusal(name, [...reasons, ...(why ? [why] : [])].join('; ')))
    }
    this.shared.loaded.set(name, chosen)
    return chosen
  }

  /** The module that the option `providers` names for a virtual one. */
  private async provider(name: string): Promise<ModuleDeclaration | undefined> {
    const wanted = this.providerOf(name)
    return wanted === undefined ? undefined : this.declared(name, wanted)
  }

  private providerOf(name: string): string | undefined {
    const providers = this.ctx.opts.get('providers')
    const wanted = providers instanceof Map ? providers.get(name) : undefined
    return typeof wanted === 'string' ? wanted : undefined
  }

  private run(
    module: ModuleDeclaration,
    name: string,
    fun: string,
    args: readonly Value[],
    kwargs: ReadonlyMap<string, Value>,
  ): Value | Promise<Value> {
    const declaration = module.functions[fun]
    if (!declaration) throw this.unknown(name)
    refuseBeyondTarget(name, args, kwargs)
    return loggedCall(this.ctx.log, name, () => {
      const ctx = seenContext(this.contextOf(module.name, name))
      const result = declaration.run(ctx, bind(declaration, fun, args, kwargs))
      return result instanceof Promise ? result.then(toValue) : toValue(result)
    })
  }

  private contextOf(module: string, name: string): FunctionContext {
    const { ctx, contexts, shared } = this
    if (!ctx.log.from) return ctx
    const known = contexts.get(module)
    if (known) return known
    const [virtual] = splitName(name)
    const isOwn = shared.table[virtual] !== shared.builtIn[virtual]
    const own = { ...ctx, log: namedLog(ctx.log, loggerName('module', module, isOwn)) }
    contexts.set(module, own)
    return own
  }

  /** Return the error text for a function of a module that Salt has and Brine has not; undefined for others. */
  absence(name: string): string | undefined {
    const [module] = splitName(name)
    const why = this.hasModule(module) ? undefined : this.whyAbsent(module)
    return why === undefined ? undefined : refusal(module, why)
  }

  private whyAbsent(module: string): string | undefined {
    return Object.hasOwn(this.shared.builtIn, module) ? undefined : absence('module', module)
  }

  private unknown(name: string): LoaderError {
    const why = this.absence(name)
    if (why !== undefined) return new LoaderError('ModuleUnavailable', why)
    const hint = didYouMean(name, this.names())
    return new LoaderError('FunctionUnknown', `'${name}' is not available.`, hint === undefined ? {} : { hint })
  }
}

const refusal = (module: string, why: string): string => `'${module}' __virtual__ returned False: ${why}`

/** A module that cannot serve this minion has nothing to add. */
function unavailable(error: unknown): undefined {
  if (!(error instanceof LoaderError)) throw error
  return undefined
}

function noStates(): never {
  throw new LoaderError('ModuleUnavailable', 'The state engine is not available to functions here')
}

function noMachines(): never {
  throw new LoaderError('ModuleUnavailable', 'Containers cannot be reached by functions here')
}

function noRenderer(): never {
  throw new LoaderError('ModuleUnavailable', 'Rendering is not available to functions here')
}
