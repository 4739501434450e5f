// The master as functions on its machine reach it: jobs for minions, its own functions, its events. Runner functions have it
// as part of their context; execution functions and states only where they run beside a master.
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

/** What one minion answered, or why it did not. */
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

/** What is shown in place of a return that did not come. */
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
  /** Minions that lost their connection a moment ago. They get the job if they are back within so many seconds. */
  reconnecting?: { ids: string[]; seconds: number }
  /** Syndics that tell which of their minions the job is for, and for how many seconds that is waited for; no ids when nobody knows them. */
  syndics?: { ids?: string[]; seconds: number }
}

/** Jobs for minions, and the minions that a target means. */
export interface MinionJobs {
  /** Publish a job and yield what comes back, as it comes; yield nothing when the target means no minion. */
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
  /** Events whose tag passes, from now on; ends after `seconds` without one, if given. */
  events(filter: (tag: string) => boolean, seconds?: number, wish?: EventWish): AsyncIterable<BusMessage>
}

export interface BusMessage {
  tag: string
  data: Dict
  /** Its place in the journal of the master; 0 or none when it is not known. */
  number?: number
  /** Who fired it, and how that was proven. */
  origin: Origin
}

/**
 * The id of the minion that an event says has returned to a job, or undefined when it says nothing of the kind. Only the
 * master tells of returns, and the id in the tag is the one it has proven; a bus of Salt's own does not say who fired an
 * event, so that the data must name the same id.
 */
export function returnedBy({ tag, data, origin }: BusMessage, jid: string): string | undefined {
  const [first, family, job, what, id, ...more] = tag.split('/')
  if (first !== 'salt' || family !== 'job' || job !== jid || what !== 'ret' || !id || more.length > 0) return undefined
  if (origin.kind !== 'master' && origin.kind !== 'unknown') return undefined
  return data.has('return') && (data.get('resource_id') ?? data.get('id')) === id ? id : undefined
}

/** Which events of the bus are wanted, besides the filter. */
export interface EventWish {
  /** Globs of tags: others are not even sent. */
  tags?: readonly string[]
  /** From the journal: everything since, before what comes. */
  since?: Beginning
  /** Of a minion on this machine in place of the master. */
  ofMinion?: boolean
  /** Where the sockets are, when not where the options say. */
  sockDir?: string
}

/** How a call of a runner or wheel function ended. */
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
  /** The user who started the call or the orchestration that is running. */
  readonly user: string
  /** Has the master do a job in batches, and gives its number; the events of job and batch tell the rest. */
  beginBatch(load: Dict): Promise<string>
  /** The names of a runner's or wheel function's parameters, or undefined when there is none of that name. */
  parameters(family: 'runner' | 'wheel', name: string): Promise<MasterParameters | undefined>
  /** The names of all runner or wheel functions. */
  names(family: 'runner' | 'wheel'): Iterable<string>
  /** Calls a runner or wheel function as a run of its own, with its events. */
  call(family: 'runner' | 'wheel', call: MasterFunctionCall): Promise<MasterOutcome>
  /** Fires an event if a master runs. */
  fire(tag: string, data: Dict): Promise<void>
  /** Where the steps of the orchestration that is going on are kept, if one is. */
  steps(): StepMemory | undefined
  /** Prints where somebody looks. */
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
  begun(tag: string, place?: string): void
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
