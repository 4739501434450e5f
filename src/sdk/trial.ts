// Calling a declared function in a context made for the occasion: how modules are tested without a loader.
import { silentLog } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { LocalFileClient } from '../fileserver/mod.ts'
import { type Host, MemoryHost } from '../host/mod.ts'
import { httpClient } from '../http/mod.ts'
import { bind } from './bind.ts'
import { boundSettings, type CloudAccount, type CloudContext, type CloudDriver } from './cloud-driver.ts'
import type { FunctionContext, Keywords, SdbAction, SdbRequest } from './context.ts'
import type { ModuleDeclaration } from './declare.ts'
import {
  callExtPillar,
  callSdb,
  callTops,
  type ExtPillar,
  type ExtPillarContext,
  type SdbDriver,
  type TopsSource,
} from './external-data.ts'
import type { MinionJobs } from './master-reach.ts'
import { toValue } from './result.ts'
import type { StateContext, StateDeclaration } from './state.ts'

export interface Trial {
  args?: readonly Value[]
  kwargs?: Keywords
  opts?: Dict
  grains?: Dict
  pillar?: Dict
  masked?: boolean
  /** An empty simulated machine unless given. */
  host?: Host
  /** Stand-ins for functions of other modules, by name. */
  others?: Readonly<Record<string, (args: readonly Value[], kwargs: Keywords) => Value | Promise<Value>>>
  context?: Partial<FunctionContext>
}

export async function tryFunction(module: ModuleDeclaration, name: string, trial: Trial = {}): Promise<Value> {
  const declaration = module.functions[name]
  if (!declaration) throw new Error(`Module '${module.name}' declares no '${name}'`)
  const { args = [], kwargs = {} } = trial
  const keywords = kwargs instanceof Map ? kwargs : new Map(Object.entries(kwargs))
  return toValue(await declaration.run(contextOf(module, trial), bind(declaration, name, args, keywords)))
}

export interface StateTrial extends Trial {
  /** Whether it is a dry run. */
  test?: boolean
  low?: Dict
  /** Other states by name, for a state that calls them. */
  states?: Readonly<Record<string, (kwargs: Keywords) => Promise<Dict>>>
}

/** The report of one state, without an engine around it. */
export async function tryState(states: StateDeclaration, name: string, trial: StateTrial = {}): Promise<Dict> {
  const declaration = states.functions[name]
  if (!declaration) throw new Error(`'${states.name}' declares no state '${name}'`)
  const { args = [], kwargs = {} } = trial
  const keywords = kwargs instanceof Map ? kwargs : new Map(Object.entries(kwargs))
  const ctx: StateContext = {
    ...contextOf({ name: states.name, doc: states.doc, functions: {} }, trial),
    test: trial.test ?? false,
    low: trial.low ?? new Map(),
    running: new Map(),
    lowstate: [],
    env: 'base',
    instanceId: 'trial',
    state: async (other, keywords) => {
      const called = trial.states?.[other]
      if (!called) throw new Error(`The trial has no state '${other}'`)
      return called(keywords)
    },
    hasState: () => false,
  }
  return toValue(await declaration.run(ctx, bind(declaration, name, args, keywords))) as Dict
}

export type SdbTrial = Omit<Trial, 'args' | 'kwargs'> & Pick<SdbRequest, 'key' | 'value'> & { profile?: Dict }

/** The answer of a driver of sdb to one call. */
export function trySdb(driver: SdbDriver, action: SdbAction, trial: SdbTrial): Promise<Value> {
  const { key, value, profile = new Map() } = trial
  const ctx = contextOf({ name: driver.name, doc: driver.doc, functions: {} }, trial)
  return callSdb(driver, ctx, { action, key, profile, ...(value !== undefined && { value }) })
}

export interface SourceTrial extends Omit<Trial, 'args' | 'kwargs'> {
  minionId?: string
  /** The value that `ext_pillar` or `master_tops` has for the source. */
  setting?: Value
}

/** Return the data of an external pillar for one minion. `pillar` is the pillar before it. */
export function tryExtPillar(source: ExtPillar, trial: SourceTrial & Partial<ExtPillarContext> = {}): Promise<Value> {
  const { minionId = 'web1', setting = [], isMember, compileRoots, render, functions, ...rest } = trial
  const known = contextOf({ name: source.name, doc: source.doc, functions: {} }, rest as Trial)
  const ctx: ExtPillarContext = {
    ...known,
    minionId,
    isMember: isMember ?? (() => false),
    compileRoots: compileRoots ?? (async () => new Map()),
    render: render ?? (async (text) => text),
    ...(functions && { functions }),
  }
  return callExtPillar(source, ctx, { setting, pillar: trial.pillar ?? new Map(), extraMinionData: new Map() })
}

/** The answer of a source of tops for one minion. */
export function tryTops(source: TopsSource, trial: SourceTrial = {}): Promise<Dict> {
  const { minionId = 'web1', setting = new Map() } = trial
  const ctx = contextOf({ name: source.name, doc: source.doc, functions: {} }, trial)
  return callTops(source, { ...ctx, minionId }, setting)
}

export interface DriverTrial extends Omit<Trial, 'args' | 'kwargs'> {
  /** The settings of the provider. */
  provider?: Dict
  context?: Partial<CloudContext & FunctionContext>
}

/** Open an account of a driver of salt-cloud, without files, keys or a master around it. */
export async function tryDriver(driver: CloudDriver, trial: DriverTrial = {}): Promise<CloudAccount> {
  const { opts, host, http, log } = contextOf({ name: driver.name, doc: driver.doc, functions: {} }, trial)
  const jobs: MinionJobs = {
    run: async function* () {},
    publish: async () => undefined,
    targets: () => ({ minions: [], missing: [] }),
    logHints: async () => {},
  }
  const ctx = { opts, host, http, log, jobs, alias: 'trial', signal: new AbortController().signal, ...trial.context }
  return driver.open(ctx, boundSettings(driver.provider, trial.provider ?? new Map(), `The driver ${driver.name}`))
}

function contextOf(module: ModuleDeclaration, trial: Trial): FunctionContext {
  const host = trial.host ?? new MemoryHost()
  const others = trial.others ?? {}
  const names = [...Object.keys(module.functions).map((name) => `${module.name}.${name}`), ...Object.keys(others)]
  return {
    opts: trial.opts ?? new Map(),
    grains: trial.grains ?? new Map(),
    pillar: trial.pillar ?? new Map(),
    memory: new Map(),
    masked: trial.masked ?? false,
    call: ((name, args = [], kwargs = {}) => {
      const other = others[name]
      if (!other) throw new Error(`The trial has no '${name}'`)
      return other(args, kwargs)
    }) as FunctionContext['call'],
    has: (name) => names.includes(name),
    names: () => names,
    serves: async (name) => names.includes(name),
    module: async () => module,
    states: { names: () => [], load: async () => undefined },
    runners: {
      names: () => [],
      find: async (name) => {
        throw new Error(`The trial has no runner '${name}'`)
      },
    },
    returnerNames: async () => [],
    returner: async () => undefined,
    log: silentLog,
    hint: () => {},
    host,
    files: new LocalFileClient(trial.opts ?? new Map(), host),
    http: httpClient(host, trial.opts ?? new Map()),
    render: async ({ text }) => text,
    freshPillar: async () => trial.pillar ?? new Map(),
    askMinion: async () => undefined,
    daemon: undefined,
    openStates: async () => {
      throw new Error('The trial has no states')
    },
    callInside: async () => {
      throw new Error('The trial has no machines')
    },
    pillarOrigins: async () => [],
    callSdb: async () => undefined,
    ownPlugin: async () => undefined,
    extensions: async () => [],
    ...trial.context,
  }
}
