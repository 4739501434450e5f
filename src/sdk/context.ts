// What a function may know and do: the minion's data, and other functions by name.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { FileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import type { HttpClient } from '../http/mod.ts'
import type { Calls } from './calls.ts'
import type { FunctionDescription, ModuleDescription } from './description.ts'
import type { Hint } from './hints.ts'
import type { BusMessage, MasterReach } from './master-reach.ts'
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
  /**
   * The pillar that the master keeps of the minion whose pillar it compiles; compiled without Vault where it keeps none, or always
   * when `refresh` is true, and never when it is false.
   */
  readonly keptPillar?: ((refresh: boolean | null) => Promise<Dict>) | undefined
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
  /** Call a driver of `sdb://` URIs of the library; undefined when there is none of that name. */
  callSdb(driver: string, request: SdbRequest): Promise<Value | undefined>
  /** A plugin of users' own, of a family that functions call themselves, such as `sdb`. */
  ownPlugin(family: 'sdb' | 'returners' | 'serializers', name: string): Promise<OwnPlugin | undefined>
  /** The Salt extensions that are installed for the Python of this machine. */
  extensions(): Promise<readonly InstalledExtension[]>
  /** Begins a run of states. */
  openStates(request: StateRunRequest): Promise<StateRun>
  /** Call a function on a machine that a program of this host leads to, such as a container. */
  callInside(call: InsideCall): Promise<Value>
}

/** A function to call on a machine that needs nothing but a POSIX shell. */
export interface InsideCall {
  /** Of what kind the machine is: a folder of the cache. */
  kind: string
  /** Its name. */
  name: string
  /** Words of the program that runs the shell line after them there. */
  via: readonly string[]
  fun: string
  args: readonly Value[]
  kwargs: ReadonlyMap<string, Value>
}

/** An installed Python package that extends Salt. */
export interface InstalledExtension {
  readonly name: string
  readonly version: string
}

export type SdbAction = 'get' | 'set' | 'delete'

/** What is asked of a driver of `sdb://` URIs. */
export interface SdbRequest {
  action: SdbAction
  key: string
  /** The new value, to be set. */
  value?: Value
  profile: Dict
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

/** A package for an upgrade. */
export interface UpgradePackage {
  /** A file of this machine. */
  file: string
  sha256: string
  /** The file with its signature, where signatures are checked. */
  signature?: string
}

/** An upgrade of a minion. */
export interface UpgradeRequest {
  /** One archive of npm's form, or the Debian packages that are installed in their new version. */
  packages: readonly UpgradePackage[]
  /** The file with the trusted keys, where signatures are checked. */
  keyring?: string
  /** How long the new version may take to report to its master, in seconds. */
  seconds: number
  /** The job that runs, as it was published; the minion fills it in. */
  job?: Dict
}

/** A minion with a master, as functions reach it. */
export interface DaemonAccess {
  /** Asks the master, as this minion. */
  askMaster(load: Dict): Promise<Value>
  /** Fires an event on the minion's own bus. */
  fire(tag: string, data: Dict): Promise<boolean>
  /** The events of the minion's own bus as they come; the first one fails when no minion runs here. */
  events?(filter: (tag: string) => boolean, sockDir?: string): AsyncIterable<BusMessage>
  /** Prints a text for the person who waits for the call, where there is a terminal. */
  print?(text: string): void
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
  /** Begins an upgrade of this minion for the running job, whose return comes from the next start. Fails when it cannot begin. */
  upgrade?(request: UpgradeRequest): Promise<Dict>
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
