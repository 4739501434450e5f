// What a function may know and do: the minion's data, and other functions by name.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { FileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import type { HttpClient } from '../http/mod.ts'
import type { Calls } from './calls.ts'
import type { FunctionDescription, ModuleDescription } from './description.ts'
import type { Hint } from './hints.ts'
import type { MasterReach } from './master-reach.ts'
import type { StateRun, StateRunRequest } from './state-run.ts'

export type Keywords = ReadonlyMap<string, Value> | Readonly<Record<string, Value>>

export interface OwnPlugin {
  has(fun: string): boolean
  call(fun: string, args: readonly Value[], kwargs?: Dict): Promise<Value>
}

/**
 * What a call returns: the type that a function of the library declares, else any value. It is not checked at run time, and a
 * module of a user's own may return something else: read an answer that only counts as true or false by `truthy`.
 */
export type Answer<Name extends string> = Name extends keyof Calls ? Calls[Name] : Value

export interface FunctionContext {
  readonly opts: Dict
  readonly grains: Dict
  readonly pillar: Dict
  /** Kept between the calls of one loader: Salt's `__context__`. */
  readonly memory: Dict
  /** Whether pillar values leave as asterisks; templates see them as they are. */
  readonly masked: boolean
  /** Call another function, which sees this same context. */
  call<Name extends string>(
    name: Name,
    args?: readonly Value[],
    kwargs?: Keywords,
  ): Answer<Name> | Promise<Answer<Name>>
  has(name: string): boolean
  /** The names of all functions there are, `module.function`. */
  names(): Iterable<string>
  /** Whether a function serves this minion; modules that serve every minion need not be loaded for that. */
  serves(name: string): Promise<boolean>
  /** Describe a module; throws when it cannot serve this minion. */
  module(name: string): Promise<ModuleDescription>
  /** What states there are, and how they are declared. */
  readonly states: StateCatalogue
  /** What runners masters have, and how they are declared. */
  readonly runners: RunnerCatalogue
  /** The functions of returners, `module.function`. */
  returnerNames(): Promise<string[]>
  /** A function of a returner; undefined when there is none. */
  returner(name: string, fun: string): Promise<((...args: Value[]) => Promise<Value>) | undefined>
  readonly log: Log
  /** Tell the person who began the job something that its return does not say. Without a job nobody hears it. */
  hint(hint: Hint): void
  /** The machine; every touch of it goes through here. */
  readonly host: Host
  /** The file server: `salt://` and other sources, and their cache. */
  readonly files: FileClient
  /** Queries to web servers. */
  readonly http: HttpClient
  /** Runs text through the render pipeline. */
  render(request: RenderRequest): Promise<Value>
  /** Compiles the pillar anew, beside the one in memory. */
  freshPillar(request: PillarRequest): Promise<Dict>
  /** Which sources say something about a path of keys, in the order they are merged. */
  pillarOrigins(path: readonly string[], request: PillarRequest): Promise<PillarOrigin[]>
  /** Asks the minion that runs on this machine, over its event bus. */
  askMinion(request: MinionRequest): Promise<MinionAnswer>
  /** The minion that runs here with a master; absent where there is none. */
  readonly daemon: DaemonAccess | undefined
  /** The master on this machine, for functions that run beside it. */
  readonly master?: MasterReach | undefined
  /** A plugin of users' own, of a family that functions call themselves, such as `sdb`. */
  ownPlugin(family: 'sdb' | 'returners', name: string): Promise<OwnPlugin | undefined>
  /** Begins a run of states. */
  openStates(request: StateRunRequest): Promise<StateRun>
}

/** What plugins see that are asked where no functions run: external pillars, tops, matchers, outputters and the like. */
export interface PluginContext {
  readonly opts: Dict
  readonly grains: Dict
  readonly pillar: Dict
  readonly log: Log
}

/** An event for the minion, and the tag of the event that answers it. */
export interface MinionRequest {
  tag: string
  data: Dict
  answer: string
  /** Seconds to wait for the answer. */
  wait: number
}

/** The data of the answering event; null when none came in time, undefined when no minion is running. */
export type MinionAnswer = Dict | null | undefined

/** A minion with a master, as functions reach it. */
export interface DaemonAccess {
  /** Asks the master, as this minion. */
  askMaster(load: Dict): Promise<Value>
  /** Fires an event on the minion's own bus. */
  fire(tag: string, data: Dict): Promise<boolean>
  /** The jobs that run now: their loads, with `pid`. */
  running(): Dict[]
  /** The returns that the master has not taken yet. */
  unsent?(): Dict[]
  /** Ends a job as a signal would; false when there is none of that number. */
  signal(jid: string, signal: number): boolean
  /** Tells the master of one of the answers of the job that runs, as it comes. */
  progress?(index: number, value: Value): Promise<Value>
  /** Whether another master answers. */
  answers?(master: string): Promise<boolean>
  /** The master on this same machine, if there is one. */
  masterBeside?(): Promise<MasterReach | undefined>
  /** Ends the daemon once its jobs are done and their returns are sent. */
  end?(): void
  /** The words that start it again in the background, where it runs there by itself. */
  readonly startedAs?: readonly string[]
}

export interface RunnerCatalogue {
  names(): Iterable<string>
  /** Throws when there is none of that name. */
  find(name: string): Promise<FunctionDescription>
}

export interface StateCatalogue {
  /** `module.function` of all states. */
  names(): Iterable<string>
  /** Undefined when there is no such module for this minion. */
  load(module: string): Promise<ModuleDescription | undefined>
}

/** A source that says something about a value of the pillar. */
export interface PillarOrigin {
  /** `sls web in base`, `ext_pillar cmd_yaml`, `command line`. */
  source: string
  file?: string
  line?: number
  value: Value
}

export interface PillarRequest {
  pillarenv: string | null
  /** Laid over the compiled pillar, and visible while it is compiled. */
  override: Dict | null
  /** The renderer that decrypts the override first. */
  overrideEncoding: string | null
  /** One more `ext_pillar` entry for this time. */
  ext?: Value
  /** What a minion passes on to external sources. */
  extraMinionData?: Value
}

export interface RenderRequest {
  text: string
  /** Where the text comes from, for errors and for relative imports. */
  path?: string
  /** The pipe used when the text has no shebang line. */
  renderer: string
  saltenv: string
  sls?: string
  /** A file or a text by itself, no SLS: its first line names no renderer, and templates know no `sls`. */
  asFile?: boolean
  /** Further template variables. */
  context?: ReadonlyMap<string, Value>
  /** Given when places in the data are wanted, for `positionOf`: tells which line of the text wrote a rendered line. */
  withLines?(sourceLine: (line: number) => number): void
}
