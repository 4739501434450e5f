// Drivers of salt-cloud: a file `driver.ts` of the library declares one. A driver knows one API of machines. Files, profiles, keys, deployment,
// events, the record of a creation and its undo are the work of the room `cloud/`, the same for all drivers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/mod.ts'
import { type BoundArguments, type Dict, SaltError, str, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { HttpClient } from '../http/mod.ts'
import type { Args, Bound } from './arg.ts'
import { filledArguments } from './bind.ts'
import type { Result } from './description.ts'
import type { MinionJobs } from './master-reach.ts'

/** The context of every driver. */
export interface CloudContext {
  /** Options of the master merged with those of the file `cloud`. */
  readonly opts: Dict
  /** The machine of the master. */
  readonly host: Host
  readonly http: HttpClient
  readonly log: Log
  /** Jobs for minions, for drivers that manage machines through their minions. */
  readonly jobs: MinionJobs
  /** The name of the provider in the files. */
  readonly alias: string
  /** Aborted when the user interrupts the program. */
  readonly signal: AbortSignal
}

/** A machine, as queries show it. */
export interface CloudNode {
  name: string
  id: Value
  image: Value
  size: Value
  /** The provider's word, such as `running`. */
  state: string
  private_ips: string[]
  public_ips: string[]
  /** Further fields of the provider; `-F` shows them. */
  details?: Dict
  /** Login settings from the driver, such as the password of a new machine. They override configured ones. */
  login?: Dict
}

/** A machine to be made. */
export interface MachineRequest<M extends Args = Args> {
  name: string
  /** The declared settings of the machine: from the map over the profile over the provider. */
  settings: Bound<M>
  /** All settings that were written, declared or not. */
  written: Dict
  /** The name of the profile, if the machine is of one. */
  profile?: string | null
  /** Unique for this creation: an idempotency token or a tag, by which `undo` finds the resources. */
  token: string
}

/** Progress reports of a driver to the user and the record. */
export interface CloudSteps {
  /** Fire `salt/cloud/<name>/<event>`, such as `requesting`. Marked and declared secrets in the data are masked. */
  report(event: string, data?: Dict): Promise<void>
  /**
   * Store facts of this creation on disk, for `undo` after a kill. Call it with the intended names before a request
   * that creates something, and with the ids after it. Later facts are merged over earlier ones.
   */
  note(facts: Dict): Promise<void>
}

/** A creation that failed or was interrupted. */
export interface UnfinishedMachine {
  name: string
  token: string
  /** The facts of `note`. */
  noted: Dict
}

/** One opened provider of the configuration. */
export interface CloudAccount<M extends Args = Args> {
  /** Return all machines of the provider, in its order. */
  nodes(): Promise<CloudNode[]>
  /**
   * Create a machine and wait until it has the address for connections; nothing else needs a wait. The driver reports
   * `requesting`, `querying`, `tagging` and the like, but not `creating`, `waiting_for_ssh`, `deploying` and `created`.
   */
  create(request: MachineRequest<M>, steps: CloudSteps): Promise<CloudNode>
  /** Destroy a machine from `nodes`, and wait until nothing is billed. Return the result for users. */
  destroy(node: CloudNode, steps: CloudSteps): Promise<Result>
  /**
   * Remove everything that an unfinished creation may have left: machines, volumes, addresses. It is called again after
   * a failure, and must succeed if nothing is left. Default: destroy the machine of that name, if it exists.
   */
  undo?(unfinished: UnfinishedMachine, steps: CloudSteps): Promise<void>
  /** Return locations for machines by name; absent if the provider has none. */
  locations?(): Promise<Dict>
  images?(): Promise<Dict>
  sizes?(): Promise<Dict>
  /** End connections. */
  close?(): Promise<void>
}

/** Something that can be done to a machine: `salt-cloud -a <name> <machine>`. */
export interface CloudAction<C extends CloudAccount = CloudAccount, A extends Args = Args> {
  readonly doc: string
  /** Keywords, `key=value` on the command line. */
  readonly args?: A
  run(account: C, node: CloudNode, args: Bound<A>, steps: CloudSteps): Promise<Result> | Result
}

/** A function of a provider: `salt-cloud -f <name> <provider>`. */
export interface CloudFunction<C extends CloudAccount = CloudAccount, A extends Args = Args> {
  readonly doc: string
  readonly args?: A
  run(account: C, args: Bound<A>): Promise<Result> | Result
}

export interface CloudDriver<
  P extends Args = Args,
  M extends Args = Args,
  C extends CloudAccount<M> = CloudAccount<M>,
> {
  readonly name: string
  readonly doc: string
  /**
   * The provider settings that `open` needs. Secrets (`arg.text(…, { secret: true })`) are marked before `open` gets
   * them.
   */
  readonly provider: P
  /**
   * Settings of a machine in profiles, maps, or the provider as a default. Settings about ssh and deployment are common
   * to all drivers.
   */
  readonly machine: M
  readonly actions?: Readonly<Record<string, CloudAction<C>>>
  readonly functions?: Readonly<Record<string, CloudFunction<C>>>
  /** Whether the machines exist independently of salt-cloud, so that undoing a creation destroys nothing. */
  readonly isForExisting?: boolean
  /** Check the settings and return the account. Requests are made later. */
  open(ctx: CloudContext, provider: Bound<P>): Promise<C> | C
}

/** Declare a driver; the types of the settings follow from `provider` and `machine`. */
export function defineDriver<const P extends Args, const M extends Args, C extends CloudAccount<M>>(
  declaration: CloudDriver<P, M, C>,
): CloudDriver {
  return declaration as unknown as CloudDriver
}

/** Declare an action with typed keywords: the type of the account follows from the first parameter of `run`. */
export function cloudAction<C extends CloudAccount, const A extends Args = Record<never, never>>(
  declaration: CloudAction<C, A>,
): CloudAction<C> {
  return declaration as unknown as CloudAction<C>
}

/** Declare a function of a provider with typed keywords. */
export function cloudFunction<C extends CloudAccount, const A extends Args = Record<never, never>>(
  declaration: CloudFunction<C, A>,
): CloudFunction<C> {
  return declaration as unknown as CloudFunction<C>
}

/**
 * Return settings in their declared types. Undeclared ones go to an open argument or are ignored; a missing required
 * one is an error that names `where`.
 */
export function boundSettings<A extends Args>(args: A, written: Dict, where: string): Bound<A> {
  const given: BoundArguments = { named: new Map(), rest: [], further: new Map() }
  for (const [name, { kind, default: fallback }] of Object.entries(args)) {
    const value = written.get(name)
    if (value !== undefined && kind !== 'open') given.named.set(name, value)
    else if (fallback === undefined && kind !== 'open' && kind !== 'rest') {
      throw new SaltError('SaltCloudConfigError', `${where} needs the setting '${name}': ${args[name]!.doc}`)
    }
  }
  if (Object.values(args).some(({ kind }) => kind === 'open')) {
    for (const [name, value] of written) if (!given.named.has(str(name))) given.further.set(str(name), value)
  }
  return filledArguments({ args }, given, where) as Bound<A>
}

interface Patience {
  /** The awaited condition, for the error: `an address of the machine`. */
  what: string
  /** Seconds. */
  timeout: number
  /** Seconds between two looks; 2 unless given. */
  interval?: number
  signal: AbortSignal
}

/** Look until `look` returns something, or fail after a time. An error of `look` ends the wait. */
export async function awaitReady<T>(patience: Patience, look: () => Promise<T | undefined>): Promise<T> {
  const { what, timeout, interval = 2, signal } = patience
  const end = performance.now() + timeout * 1000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() >= end) {
      throw new SaltError('SaltCloudExecutionTimeout', `Waited ${timeout} s for ${what} in vain`)
    }
    await sleep(interval * 1000, undefined, { signal })
  }
}
