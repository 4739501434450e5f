// Carries out one call of a reaction. A job is published without waiting for its returns, unless another call requires
// it. Runner and wheel functions run in a pool, under the user name of the reactor, which also marks their events.
import { setTimeout as sleep } from 'node:timers/promises'
import { toError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import { failureLine } from '../render/mod.ts'
import type { MasterOutcome } from '../sdk/mod.ts'
import type { ReactionCall } from './calls.ts'
import type { Cause, Caused, Causes } from './causes.ts'
import { noMaster, type ReactorContext, type ReactorMaster } from './context.ts'
import { type Continued, continuation } from './continue.ts'
import { ReactionJobs } from './jobs.ts'
import { Pool } from './pool.ts'
import { callIn, type ReactionRecord, stateOf } from './record.ts'

/** Milliseconds until every master knows that the process of an orchestration is gone, and between two looks. */
const NOTICED_MS = 30_000
const LOOK_MS = 500

/** User name of functions of the master that the reactor runs. */
export const REACTOR_USER = 'Reactor'

export interface MasterRun {
  family: 'runner' | 'wheel'
  fun: string
  args: readonly Value[]
  kwargs: ReadonlyMap<string, Value>
  jid: string
  user: string
  /** The cause that events and jobs of this reaction carry. */
  caused: Caused
}

export interface PerformParts {
  context: ReactorContext
  /** Undefined on a minion. */
  master?: ReactorMaster & {
    /** Call a runner or wheel function. */
    call(run: MasterRun): Promise<MasterOutcome>
  }
  bus: EventBus
  causes: Causes
}

/** One call with its record and cause. */
export interface Performance {
  entry: Dict
  record: ReactionRecord
  cause: Cause
  /** Whether other calls wait for its result. */
  isRequired: boolean
}

export class Performer {
  readonly jobs: ReactionJobs
  private readonly parts: PerformParts
  private readonly pool: Pool

  constructor(parts: PerformParts) {
    this.parts = parts
    const { opts } = parts.context
    this.pool = new Pool(option(opts, 'reactor_worker_threads'), option(opts, 'reactor_worker_hwm'))
    this.jobs = new ReactionJobs(parts.master, parts.bus)
  }

  /** How many functions of the master could start at once. */
  get room(): number {
    return this.pool.free
  }

  /** Whether it succeeded; of a job whether it was published. Never fails itself. */
  perform(performance: Performance): Promise<boolean> {
    const { entry, record } = performance
    const call = callIn(entry)
    if (call.kind === 'local') {
      const send = (jid: string): Promise<string[] | undefined> => this.jobs.publish(call, jid)
      return this.recordingFailure(
        performance,
        async () => (await record.begins(entry)) && this.publish(performance, send),
      )
    }
    return this.inPool(performance, call, () => this.runHere(performance, call))
  }

  /** Resume a call that was running when the master ended. */
  takeUp(performance: Performance): Promise<boolean> {
    const { entry, record } = performance
    if (stateOf(entry) === 'waiting') return this.perform(performance)
    const call = callIn(entry)
    if (call.kind === 'local') {
      return this.recordingFailure(performance, () =>
        this.publish(performance, (jid) => this.jobs.publishAgain(call, jid)),
      )
    }
    const { context, master } = this.parts
    const next = continuation(context.opts, master, entry)
    this.tell(performance, next)
    if ('outcome' in next) {
      record.ended(entry, next.outcome, next.value)
      return Promise.resolve(next.outcome === 'done')
    }
    record.note(entry, 'attempts', next.attempts)
    return this.inPool(performance, call, async () => {
      if (next.resumed !== undefined) await this.interrupted(next.resumed)
      return this.runHere(performance, { ...call, ...next.call })
    })
  }

  private async recordingFailure({ entry, record }: Performance, work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work()
    } catch (error) {
      tellFailure(this.parts.context, callIn(entry), error)
      record.ended(entry, 'failed', failureLine(error))
      return false
    }
  }

  private inPool(performance: Performance, call: ReactionCall, work: () => Promise<boolean>): Promise<boolean> {
    const { entry, record, cause } = performance
    const { log } = this.parts.context
    return this.recordingFailure(performance, async () => {
      const running = this.pool.run(async () => {
        if (!(await record.begins(entry))) return false
        return call.kind === 'caller' ? this.parts.causes.during(cause, work) : work()
      })
      if (running) return running
      const text = 'TaskPool queue is full!Consider tuning reactor_worker_threads and/or reactor_worker_hwm'
      log('error', `Reactor '${call.id}' failed  to execute ${call.kind} '${call.fun}': ${text}`)
      record.ended(entry, 'failed', text)
      return false
    })
  }

  private async publish(
    { entry, record, cause, isRequired }: Performance,
    send: (jid: string) => Promise<string[] | undefined>,
  ): Promise<boolean> {
    const jid = str(entry.get('jid')!)
    this.parts.causes.noteJob(jid, cause)
    const minions = await send(jid)
    if (!minions) {
      record.ended(entry, 'failed', 'No minions matched the target')
      return false
    }
    if (isRequired) record.note(entry, 'minions', minions)
    else record.ended(entry, 'done', minions)
    return true
  }

  /** Whether a published job that others require succeeded on all its minions. */
  returned(performance: Performance): Promise<boolean> {
    const { entry, record } = performance
    return this.recordingFailure(performance, async () => {
      const minions = (entry.get('minions') as Value[]).map(str)
      const succeeded = await this.jobs.returned(str(entry.get('jid')!), minions)
      if (succeeded) record.ended(entry, 'done', minions)
      else record.ended(entry, 'failed', 'The job failed, or minions did not return')
      return succeeded
    })
  }

  private async runHere({ entry, record, cause }: Performance, call: ReactionCall): Promise<boolean> {
    const { fun, args, kwargs } = call
    if (call.kind === 'caller') {
      record.ended(entry, 'done', await this.parts.context.function(fun, args, kwargs))
      return true
    }
    const { master } = this.parts
    if (!master) throw noMaster()
    const jid = str(entry.get('jid')!)
    this.parts.causes.noteJob(jid, cause)
    const family = call.kind === 'wheel' ? 'wheel' : 'runner'
    const caused = this.parts.causes.by(cause)
    const result = await master.call({ family, fun, args, kwargs, jid, user: REACTOR_USER, caused })
    const succeeded = result.success && !result.misused
    record.ended(entry, succeeded ? 'done' : 'failed', result.value)
    return succeeded
  }

  /** Resolves when the record of an orchestration shows that its process is gone, which takes some seconds in a cluster. */
  private async interrupted(jid: string): Promise<void> {
    const state = (): string | undefined => this.parts.master?.orchestrations().run(jid)?.state
    for (const end = performance.now() + NOTICED_MS; performance.now() < end && state() === 'running'; ) {
      await sleep(LOOK_MS)
    }
  }

  /** Report a call that the end of the master interrupted, whatever happens to it next. */
  private tell({ entry, record }: Performance, next: Continued): void {
    const { context, bus } = this.parts
    const isAgain = !('outcome' in next)
    const name = `${str(entry.get('type') ?? '')}.${str(entry.get('fun') ?? '')}`
    if ('outcome' in next && !next.isBrokenOff) return
    context.log('warning', `${name} of the reaction to ${record.tag} was broken off: ${next.why}`)
    const data = new Map<Value, Value>([['reaction', record.id]]).set('tag', record.tag)
    data
      .set('id', entry.get('id') ?? '')
      .set('fun', name)
      .set('jid', entry.get('jid') ?? null)
    bus.fire('salt/reactor/interrupted', data.set('again', isAgain).set('comment', next.why))
  }
}

export function tellFailure(ctx: ReactorContext, { id, kind, fun }: ReactionName, error: unknown): void {
  const trace = `Traceback (most recent call last):\n${failureLine(error)}`
  ctx.log('error', `Reactor '${id}' failed to execute ${kind} '${fun}'\n${trace}`)
  ctx.log('debug', toError(error).stack ?? '')
}

interface ReactionName {
  id: string
  kind: string
  fun: string
}

export const nameOf = (chunk: ReadonlyMap<Value, Value>, kind: string): ReactionName => ({
  id: str(chunk.get('__id__') ?? ''),
  kind,
  fun: str(chunk.get('fun') ?? ''),
})
