// The interface of functions to the master on their machine: jobs for minions, functions of the master, its events.
// Runner functions have it in their context; execution functions and states only beside a master.
import type { Beginning, Origin } from '../bus/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { SshJobs } from './ssh.ts'

export interface MinionJob {
  tgt: Value
  tgtType?: string
  fun: Value
  arg?: Value[]
  kwarg?: Dict
  ret?: string
  jid?: string
  /** Seconds; the master's `timeout` unless given. */
  timeout?: number
  gatherJobTimeout?: number
  /** `metadata`, `delimiter` and the like. */
  options?: Dict
}

/** The return of one minion, or the reason why there is none. */
export interface MinionReturn {
  id: string
  /** `return`, `retcode`, `success`, `out` …; undefined when it did not return. */
  data?: Dict
  reason?: 'missing' | 'silent' | 'gone'
  /** The number of the job. */
  jid?: string
}

export const lookUpLater = (jid: string): string =>
  `The minions may not have all finished running and any remaining minions will return upon completion. To look up the return data for this job later, run the following command:\n\nsalt-run jobs.lookup_jid ${jid}`

/** The text in place of a missing return. */
export const unreturnedText = ({ reason, jid = '' }: Pick<MinionReturn, 'reason' | 'jid'>): string =>
  reason === 'gone'
    ? 'Minion did not return. [Not connected]'
    : `Minion did not return. [No response]\n${lookUpLater(jid)}`

export interface TargetedMinions {
  minions: string[]
  missing: string[]
}

/** A job that was published. */
export interface Published extends TargetedMinions {
  jid: string
  /** Minions that lost their connection a moment ago. They get the job if they are back within this many seconds. */
  reconnecting?: { ids: string[]; seconds: number }
  /**
   * Syndics that report which of their minions the job targets, and how many seconds to wait for the reports; no ids if
   * the syndics are unknown.
   */
  syndics?: { ids?: string[]; seconds: number }
}

/** Jobs for minions, and the minions that a target means. */
export interface MinionJobs {
  /** Publish a job and yield returns as they arrive; yield nothing if the target matches no minion. */
  run(job: MinionJob): AsyncIterable<MinionReturn>
  /** Publish a job without waiting; undefined when the target means no minion. */
  publish(job: MinionJob): Promise<Published | undefined>
  /** Return the minions that a target means. */
  targets(target: Value, kind: string, delimiter?: string): TargetedMinions
  /** Log the hints of returns, by minion; `run` does that itself. */
  logHints(returns: ReadonlyMap<string, Dict>): Promise<void>
}

/** Events of the master's bus. */
export interface EventStream {
  /** Yield events whose tag passes, from now on; end after `seconds` without an event, if given. */
  events(filter: (tag: string) => boolean, seconds?: number, wish?: EventStart): AsyncIterable<BusMessage>
}

export interface BusMessage {
  tag: string
  data: Dict
  /** Its place in the journal of the master; 0 or none when it is not known. */
  number?: number
  /** The sender, and how it was proven. */
  origin: Origin
}

/**
 * Return the id of the minion whose return to a job is in the event; undefined for other events. Only the master fires
 * such events, and the id in the tag is the proven one. Salt's own bus has no origins, so there the data must contain
 * the same id.
 */
export function returnedBy({ tag, data, origin }: BusMessage, jid: string): string | undefined {
  const [first, family, job, what, id, ...more] = tag.split('/')
  if (first !== 'salt' || family !== 'job' || job !== jid || what !== 'ret' || !id || more.length > 0) return undefined
  if (origin.kind !== 'master' && origin.kind !== 'unknown') return undefined
  return data.has('return') && (data.get('resource_id') ?? data.get('id')) === id ? id : undefined
}

/** Which events of the bus to yield, besides the filter. */
export interface EventStart {
  /** Globs of tags: others are not even sent. */
  tags?: readonly string[]
  /** Start with the events of the journal since this position. */
  since?: Beginning
  /** Use the bus of a minion on this machine instead of the master's. */
  ofMinion?: boolean
  /** The directory of the sockets, if it differs from the options. */
  sockDir?: string
}

/** The result of a call of a runner or wheel function. */
export interface MasterOutcome {
  jid: string
  value: Value
  success: boolean
  retcode: number
  /** Whether the arguments did not fit the function, which Salt does not count as a failure. */
  misused?: boolean
}

/** The master as execution functions and states beside it reach it. */
export interface MasterReach extends MinionJobs, SshJobs, EventStream {
  /** The user who started the call or the running orchestration. */
  readonly user: string
  /** Start a job in batches on the master; return its id. The rest comes as events of the job and the batch. */
  beginBatch(load: Dict): Promise<string>
  /** Return the parameters of a runner or wheel function; undefined if it does not exist. */
  parameters(family: 'runner' | 'wheel', name: string): Promise<MasterParameters | undefined>
  /** The names of all runner or wheel functions. */
  names(family: 'runner' | 'wheel'): Iterable<string>
  /** Call a runner or wheel function as a run of its own, with its events. */
  call(family: 'runner' | 'wheel', call: MasterFunctionCall): Promise<MasterOutcome>
  /** Fires an event if a master runs. */
  fire(tag: string, data: Dict): Promise<void>
  /** The step store of the running orchestration, if there is one. */
  steps(): StepMemory | undefined
  /** Print a text if a user is watching. */
  print(text: string): void
}

/** A step as the files have it, before it runs. */
export interface StepPlan {
  tag: string
  /** The file and line it is written in. */
  place?: string
  /** The tags of the steps that must have run before it. */
  requires: string[]
}

/** The steps of one orchestration. */
export interface StepMemory {
  /** Keep the steps that a run is going to make, in their order. */
  planned(steps: readonly StepPlan[]): void
  /** The result of a step that need not be done again. */
  recall(tag: string): Dict | undefined
  /** A step begins; fails when another process drives the run now. */
  begun(tag: string, place?: string): Promise<void>
  ended(tag: string, result: Dict): void
  /** Jobs and calls of the master that are made during the work are noted as the step's. */
  during<T>(tag: string, work: () => Promise<T>): Promise<T>
}

export interface MasterParameters {
  names: readonly string[]
  /** Whether further keywords are taken. */
  open: boolean
}

export interface MasterFunctionCall {
  name: string
  args: readonly Value[]
  kwargs: ReadonlyMap<string, Value>
  user: string
  /** Its number; a new one unless given. */
  jid?: string
}
