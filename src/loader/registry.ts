// Functions by name. A table says which functions exist; the file behind a module is imported at its first call, so
// the size of the library costs nothing at start.
import { didYouMean, type Log, namedLog, silentLog } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type FileClient, LocalFileClient } from '../fileserver/mod.ts'
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
import { refuseBeyondTarget } from './beyond-target.ts'
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

/** Users' own modules laid over the built-in ones. */
export interface UserTables {
  functions: ModuleTable
  states: StateTable
}

/** What functions of this registry see. `memory` is made when it is not given. */
export interface RegistryContext {
  opts: Dict
  grains: Dict
  pillar: Dict
  memory?: Dict
  masked?: boolean
  log?: Log
  /** Takes the hints of a job; without it they are dropped. */
  hint?: FunctionContext['hint']
  /** This machine unless given. */
  host?: Host
  /** Over the host and the options it was first made with, unless given. */
  files?: FileClient
  /** Over the host and the options, unless given. */
  http?: HttpClient
  render?: FunctionContext['render']
  /** Without it the pillar in memory counts as fresh. */
  freshPillar?: FunctionContext['freshPillar']
  /** Without it no minion is running here. */
  askMinion?: FunctionContext['askMinion']
  daemon?: FunctionContext['daemon']
  keptPillar?: FunctionContext['keptPillar']
  master?: FunctionContext['master']
  /** The state engine, for runs that functions of this registry begin. */
  openStates?: (functions: Registry, request: StateRunRequest) => Promise<StateRun>
  /** Without it there are no machines behind this one. */
  callInside?: (functions: Registry, call: InsideCall) => Promise<Value>
  /** Without it there are no plugins of users' own. */
  ownPlugin?: (functions: Registry, ...which: Parameters<FunctionContext['ownPlugin']>) => OwnPluginAnswer
  /** Without it there are no returners of users' own. */
  ownReturners?: (functions: Registry) => Promise<string[]>
  /** Without it no value has a known origin. */
  pillarOrigins?: FunctionContext['pillarOrigins']
  /** Looks for users' own modules; undefined when there are none. */
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
  /** What functions of this registry see. */
  readonly ctx: FunctionContext
  /** The same for each module, with the name of the module in the log. */
  private readonly contexts = new Map<string, FunctionContext>()

  constructor(table: ModuleTable, context: RegistryContext, shared?: Shared) {
    const host = context.host ?? new LocalHost()
    const files = context.files ?? new LocalFileClient(context.opts, host, context.log)
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
      http: context.http ?? httpClient(host, context.opts),
      render: context.render ?? noRenderer,
      freshPillar: context.freshPillar ?? (async ({ override }) => new Map([...context.pillar, ...(override ?? [])])),
      askMinion: context.askMinion ?? (async () => undefined),
      daemon: context.daemon,
      master: context.master,
      keptPillar: context.keptPillar,
      callSdb: (driver, request) => this.callSdb(driver, request),
      ownPlugin: async (family, name) => context.ownPlugin?.(this, family, name),
      extensions: async () =>
        (host as Host).remote ? [] : (await import('../python/mod.ts')).installedExtensions(context.opts),
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

  /** The same functions, already loaded ones included, over a context that differs in what is given. */
  with(changes: Partial<RegistryContext>): Registry {
    return new Registry(this.shared.table, { ...this.context, ...changes }, this.shared)
  }

  /** Functions of a table for other options, with users' own modules as they are for these once `refresh` was called. */
  apart(table: ModuleTable, changes: Partial<RegistryContext>): Registry {
    return new Registry(table, { ...this.context, ...changes })
  }

  /**
   * The same functions, but those of the named modules come from other ones, whether these would serve this minion or
   * not; what they do not have stays as it is.
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

  /** The module that has this name of its own, among those called by it or by the virtual name. */
  private async declared(virtual: string, name: string): Promise<ModuleDeclaration | undefined> {
    for (const entry of [...(this.shared.table[virtual] ?? []), ...(this.shared.table[name] ?? [])]) {
      const { default: declaration } = await entry.load()
      if (declaration.name === name) return declaration
    }
    this.ctx.log('error', `There is no module '${name}' that could provide '${virtual}'`)
    return undefined
  }

  /** Lets modules be chosen anew, since what decides whether one serves this minion has changed. */
  reload(): void {
    this.shared.loaded.clear()
    this.shared.loading.clear()
  }

  /** Takes users' own modules as they are now, for this registry and all that share its functions. */
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

  /** The states there are, users' own among them. */
  get stateTable(): StateTable {
    return this.shared.states
  }

  /** Whether there is a function (`module.function`) of that name; of a loaded module those that serve this minion. */
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

  /** A module's declaration, imported when it is not there yet. */
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
      throw new LoaderError('ModuleUnavailable', `'${name}' __virtual__ returned False: ${reasons.join('; ')}`)
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
      const result = declaration.run(this.contextOf(module.name, name), bind(declaration, fun, args, kwargs))
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

  private unknown(name: string): LoaderError {
    const hint = didYouMean(name, this.names())
    return new LoaderError('FunctionUnknown', `'${name}' is not available.`, hint === undefined ? {} : { hint })
  }
}

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
