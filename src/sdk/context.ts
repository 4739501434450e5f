// The context of a function: the minion's data, and other functions by name.
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
 * The result type of a call: the declared type of a library function, else any value. It is not checked at run time,
 * and a user's own module may return another type: test a boolean result with `truthy`.
 */
export type Answer<Name extends string> = Name extends keyof Calls ? Calls[Name] : Value

/** The device that a proxy minion stands for, by the functions of its proxy module. */
export interface ProxyAccess {
  /** The name of the proxy module. */
  readonly type: string
  /** The `__context__` of the proxy module. */
  readonly memory: Dict
  /** The executors that it puts in place of those of the options. */
  readonly executors: readonly string[]
  names(): readonly string[]
  has(fun: string): boolean
  /** Where a function is, for a proxy module in Python; makes sure that the device is initialised in Python. */
  source(fun: string): Promise<{ path: string; attr: string } | undefined>
  call(fun: string, args?: readonly Value[], kwargs?: Dict): Promise<Value>
}

export interface FunctionContext {
  readonly opts: Dict
  readonly grains: Dict
  readonly pillar: Dict
  /** Kept between the calls of one loader: Salt's `__context__`. */
  readonly memory: Dict
  /** Whether pillar values are returned as asterisks; templates get the real values. */
  readonly masked: boolean
  /** Call another function, which sees this same context. */
  call<Name extends string>(
    name: Name,
    args?: readonly Value[],
    kwargs?: Keywords,
  ): Answer<Name> | Promise<Answer<Name>>
  has(name: string): boolean
  /** The names of all functions, as `module.function`. */
  names(): Iterable<string>
  /** Whether a function serves this minion; modules that serve every minion need not be loaded for that. */
  serves(name: string): Promise<boolean>
  /** Describe a module; throws when it cannot serve this minion. */
  module(name: string): Promise<ModuleDescription>
  /** The states and their declarations. */
  readonly states: StateCatalogue
  /** The runners of masters and their declarations. */
  readonly runners: RunnerCatalogue
  /** The functions of returners, `module.function`. */
  returnerNames(): Promise<string[]>
  /** Return a function of a returner; undefined if it does not exist. */
  returner(name: string, fun: string): Promise<((...args: Value[]) => Promise<Value>) | undefined>
  readonly log: Log
  /** Send a message to the user of the job beside its return. Dropped without a job. */
  hint(hint: Hint): void
  /**
   * The pillar that the master has stored for the minion whose pillar it compiles. It is compiled without Vault if none
   * is stored or `refresh` is true, but never if `refresh` is false.
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
  /** Compile the pillar again, without replacing the one in memory. */
  freshPillar(request: PillarRequest): Promise<Dict>
  /** Return the sources that set a path of keys, in merge order. */
  pillarOrigins(path: readonly string[], request: PillarRequest): Promise<PillarOrigin[]>
  /** Send a request to the minion of this machine, over its event bus. */
  askMinion(request: MinionRequest): Promise<MinionAnswer>
  /** The minion daemon of this process; absent without a master. */
  readonly daemon: DaemonAccess | undefined
  /** The device behind a proxy minion; absent on other minions. */
  readonly proxy?: ProxyAccess | undefined
  /** The master on this machine, for functions that run beside it. */
  readonly master?: MasterReach | undefined
  /** Call a driver of `sdb://` URIs of the library; undefined if it does not exist. */
  callSdb(driver: string, request: SdbRequest): Promise<Value | undefined>
  /** Return a user's own plug-in of a family that functions call, such as `sdb`. */
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
  /** The kind of the machine, which names a folder of the cache. */
  kind: string
  /** Its name. */
  name: string
  /** The command that runs a shell line on the machine; the line is appended. */
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

/** A request to a driver of `sdb://` URIs. */
export interface SdbRequest {
  action: SdbAction
  key: string
  /** The new value, to be set. */
  value?: Value
  profile: Dict
}

/** The context of plug-ins outside of functions: external pillars, tops, matchers, outputters and the like. */
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
  /** Send a request to the master as this minion. */
  askMaster(load: Dict): Promise<Value>
  /** Fires an event on the minion's own bus. */
  fire(tag: string, data: Dict): Promise<boolean>
  /** Events of the minion's own bus as they arrive; the first read fails if no minion runs here. */
  events?(filter: (tag: string) => boolean, sockDir?: string): AsyncIterable<BusMessage>
  /** Print a text for the user who waits for the call, if there is a terminal. */
  print?(text: string): void
  /** The jobs that run now: their loads, with `pid`. */
  running(): Dict[]
  /** The returns that the master has not taken yet. */
  unsent?(): Dict[]
  /** Send a signal to a job; false if it does not run. */
  signal(jid: string, signal: number): boolean
  /** Send one partial result of the running job to the master. */
  progress?(index: number, value: Value): Promise<Value>
  /** Whether another master answers. */
  answers?(master: string): Promise<boolean>
  /** The master on this machine, if there is one. */
  masterBeside?(): Promise<MasterReach | undefined>
  /**
   * Start an upgrade of this minion for the running job, whose return comes from the next start. Fails if it cannot
   * start.
   */
  upgrade?(request: UpgradeRequest): Promise<Dict>
  /** Ends the daemon once its jobs are done and their returns are sent. */
  end?(): void
  /** The command line that starts the minion again in the background, if it runs as its own daemon. */
  readonly startedAs?: readonly string[]
}

export interface RunnerCatalogue {
  names(): Iterable<string>
  /** Throws if the function does not exist. */
  find(name: string): Promise<FunctionDescription>
}

export interface StateCatalogue {
  /** `module.function` of all states. */
  names(): Iterable<string>
  /** Undefined if no such module supports this minion. */
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
  /** The extra data that a minion sends for external sources. */
  extraMinionData?: Value
}

export interface RenderRequest {
  text: string
  /** The path of the text, for errors and relative imports. */
  path?: string
  /** Path or URL of the file that the text was read from: one that a machine over SSH may have written is not rendered as a template. */
  from?: string
  /** The pipe used when the text has no shebang line. */
  renderer: string
  saltenv: string
  sls?: string
  /** A file or a text by itself, no SLS: its first line names no renderer, and templates know no `sls`. */
  asFile?: boolean
  /** Further template variables. */
  context?: ReadonlyMap<string, Value>
  /** Given if the caller needs positions in the data (`positionOf`): receives the source line of each rendered line. */
  withLines?(sourceLine: (line: number) => number): void
}
