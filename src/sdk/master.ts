// Functions of the master: runners and wheel functions, declared like those of minions. They use the master's stores
// and bus, and reach minions by publishing.
import type { Log } from '../base/mod.ts'
import type { JournalReader, Origin } from '../bus/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { FileClient, FileServer } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import type { HttpClient } from '../http/mod.ts'
import type {
  DataCache,
  JobStore,
  OrchestrationStore,
  PkiKeys,
  QueueStore,
  ReactionStore,
  SharedBanks,
} from '../store/mod.ts'
import type { Args, Bound, NoArgs } from './arg.ts'
import type { BootstrapReach } from './bootstrap.ts'
import type { CloudReach } from './cloud.ts'
import type { FunctionContext, Keywords, OwnPlugin, PillarOrigin, RenderRequest } from './context.ts'
import type { FunctionDescription, ModuleDescription, Result } from './description.ts'
import type { EventStream, MinionJobs } from './master-reach.ts'
import type { Orchestrator } from './orchestration.ts'
import type { SshJobs } from './ssh.ts'

/** The functions of a job cache. */
export interface JobCache {
  job(jid: string): Promise<Dict | undefined>
  returns(jid: string): Promise<Map<string, Dict>>
  jobs(): Promise<Map<string, Dict>>
}

/** The stores of the master. */
export interface MasterStores {
  readonly jobs: JobStore
  readonly keys: PkiKeys
  readonly cache: DataCache
  /** Return the banks of a cache driver; undefined if it does not exist. The caller closes them. */
  cacheBanks(driver: string): Promise<SharedBanks | undefined>
  /** Wait until changes of the cache are visible to other masters, up to a limit. */
  settled(): Promise<void>
  /** Orchestration runs and their steps. */
  orchestrations(): OrchestrationStore
  /** Queues in the embedded store. */
  queues(): QueueStore
  /** The records of reactions. */
  reactions(): ReactionStore
  /** Past events. */
  journal(): JournalReader
}

/** Calls of functions beside the master. */
export interface MasterCalls {
  /** Calls another runner function. */
  call(name: string, args?: readonly Value[], kwargs?: Keywords): Promise<Value>
  /** Calls a wheel function. */
  wheel(name: string, args?: readonly Value[], kwargs?: Keywords): Promise<Value>
  /** Calls a function as a minion on the master's machine would. */
  function(name: string, args?: readonly Value[], kwargs?: Keywords): Promise<Value>
  /** The context of functions of that minion. */
  functions(): Promise<FunctionContext>
  /** `module.function` of all runners, wheel functions or functions, with their documentation. */
  docs(family: 'runner' | 'wheel' | 'function'): Promise<Map<string, string>>
}

/** Events of a call of the master. */
export interface MasterEvents extends EventStream {
  /** Fires an event on the master's bus; fails when no master runs. */
  fire(tag: string, data: Dict): Promise<void>
  /** Fire an event whose tag the caller chose, with the caller as its origin; fail if the caller may not fire it. */
  fireForCaller(tag: string, data: Dict): Promise<void>
  /** Fires an event if a master runs. */
  announce(tag: string, data: Dict): Promise<void>
  /** Reports the progress of this call: an event below the tag of the call. */
  progress(data: Dict, suffix?: string): Promise<void>
}

/** The pillar of minions, compiled by the master. */
export interface MinionPillars {
  /** Compile the pillar of a minion. */
  pillarOf(
    id: string,
    grains: Dict,
    options?: { saltenv?: Value; pillarenv?: Value; override?: Dict | null },
  ): Promise<Dict>
  /** Return the sources that set a path of keys in the pillar of a minion, in merge order. */
  pillarOrigins(
    id: string,
    grains: Dict,
    path: readonly string[],
    options?: { saltenv?: Value; pillarenv?: Value },
  ): Promise<PillarOrigin[]>
  /** The pillar that the master keeps of a minion; see `FunctionContext.keptPillar`. */
  keptPillar(id: string, grains: Dict, refresh: boolean | null): Promise<Dict>
  /** Return the top data of a minion's pillar, and the errors. */
  pillarTop(id: string, grains: Dict, saltenv: Value): Promise<{ top: Dict; errors: string[] }>
}

/** Git repositories that the master takes pillar and definitions from. */
export interface GitRepositories {
  /**
   * Fetch the remotes of the external pillar `git`. Return a dict by remote: true for changes, None for no changes,
   * false for a failure.
   */
  updateGitPillars(wanted: { branch: Value; repo: Value }): Promise<Dict>
  /**
   * Fetch the repositories of definitions for Windows minions; return their directories, or the problem with the
   * options.
   */
  updateWinrepos(opts: Dict, isClean: boolean): Promise<Value>
  /** Remove lock files of remotes whose URL matches a glob; return what was done. */
  clearGitLocks(
    role: 'git_pillar' | 'winrepo',
    types: ReadonlyArray<'update' | 'checkout' | 'mountpoint'>,
    pattern: string | null,
  ): Promise<string[]>
}

/** The context of runner and wheel functions. */
export interface MasterContext
  extends MasterStores,
    MasterCalls,
    MinionJobs,
    SshJobs,
    CloudReach,
    BootstrapReach,
    MasterEvents,
    MinionPillars,
    GitRepositories {
  readonly opts: Dict
  readonly log: Log
  readonly host: Host
  readonly http: HttpClient
  /** The master's own file server. */
  readonly files: FileClient
  /** The same by its backends. */
  readonly fileServer: FileServer
  /** Kept between the calls of one loader: Salt's `__context__`. */
  readonly memory: Dict
  /** The job id of this call. */
  readonly jid: string
  readonly user: string
  /** The caller, if it is not the master itself. */
  readonly caller: Origin | undefined
  /** Whether pillar values are masked in the answer. */
  readonly masked: boolean
  readonly orchestration: Orchestrator
  /** Connected minions, each with its address. */
  connected(): Map<string, string>
  /** Return a user's own store of queues, a module in `_queues`; undefined if it does not exist. */
  ownQueues(name: string): Promise<OwnPlugin | undefined>
  /** Return the functions of a returner that is a job cache; undefined if it does not exist. */
  jobCache(name: string): Promise<JobCache | undefined>
  /** Sends a command to the master itself, as programs without a key of a minion do. */
  ask(load: Dict): Promise<Value>
  /** Facts of the running master that only its owner may read, by the name of the command; undefined if it does not know the command. */
  facts(cmd: string): Promise<readonly Dict[] | undefined>
  render(request: RenderRequest): Promise<Value>
  /** Print a text during the call, if a user is watching. */
  print(text: string): void
}

export interface MasterFunction<A extends Args = Args> extends FunctionDescription<A> {
  /** Whether only the caller may see the result: events and the job cache do not contain it. */
  readonly isSecret?: boolean
  readonly run: (ctx: MasterContext, args: Bound<A>) => Result | Promise<Result>
}

/** A function in the form in which it is declared: without `args` if there are no parameters. */
type WrittenMasterFunction<A extends Args> = Omit<MasterFunction<A>, 'args'> & { readonly args?: A }

export function masterFn<const A extends Args = NoArgs>(declaration: WrittenMasterFunction<A>): MasterFunction {
  return { ...declaration, args: declaration.args ?? {} } as unknown as MasterFunction
}

export interface MasterModule extends ModuleDescription {
  readonly functions: Readonly<Record<string, MasterFunction>>
}

/** Runner functions: `salt-run name.function`. */
export function defineRunner(declaration: MasterModule): MasterModule {
  return declaration
}

/** Wheel functions, which manage the master itself. */
export function defineWheel(declaration: MasterModule): MasterModule {
  return declaration
}
