// Carrying out one call of a reaction. Jobs are published and not waited for; runner and wheel functions run in a pool under
// the name of the reactor, by which their own events are known.
import { newJid, toError } from '../base/mod.ts'
import { numberOf, str, type Value } from '../data/mod.ts'
import type { MasterContext, MasterOutcome } from '../sdk/mod.ts'
import type { ReactionCall } from './calls.ts'
import type { Cause, Causes } from './causes.ts'
import { Pool } from './pool.ts'
import type { ReactionRecord } from './record.ts'
import { failureText } from './render-reactions.ts'

/** As which functions of the master run for the reactor. */
export const REACTOR_USER = 'Reactor'

export interface MasterRun {
  family: 'runner' | 'wheel'
  fun: string
  args: readonly Value[]
  kwargs: ReadonlyMap<string, Value>
  jid: string
  user: string
}

export interface PerformParts {
  context: MasterContext
  causes: Causes
  run(call: MasterRun): Promise<MasterOutcome>
}

export class Performer {
  private readonly parts: PerformParts
  private readonly pool: Pool

  constructor(parts: PerformParts) {
    this.parts = parts
    const { opts } = parts.context
    const number = (name: string, fallback: number): number => numberOf(opts.get(name) ?? fallback) ?? fallback
    this.pool = new Pool(number('reactor_worker_threads', 10), number('reactor_worker_hwm', 10_000))
  }

  /** Whether it succeeded; of a job whether it was published. Never fails itself. */
  async perform(call: ReactionCall, record: ReactionRecord, entry: Map<Value, Value>, cause: Cause): Promise<boolean> {
    const { log } = this.parts.context
    try {
      if (call.kind === 'local') return await this.publish(call, record, entry, cause)
      const work = this.pool.run(() => this.parts.causes.during(cause, () => this.runHere(call, record, entry, cause)))
      if (work) return await work
      const text = 'TaskPool queue is full!Consider tuning reactor_worker_threads and/or reactor_worker_hwm'
      log('error', `Reactor '${call.id}' failed  to execute ${call.kind} '${call.fun}': ${text}`)
      record.ended(entry, 'failed', text)
    } catch (error) {
      tellFailure(this.parts.context, call, error)
      record.ended(entry, 'failed', failureText(error))
    }
    return false
  }

  private async publish(call: ReactionCall, record: ReactionRecord, entry: Map<Value, Value>, cause: Cause) {
    const jid = newJid()
    this.parts.causes.noteJob(jid, cause)
    record.begun(entry, jid)
    const published = await this.parts.context.publish({
      tgt: call.tgt ?? '',
      tgtType: call.tgtType ?? 'glob',
      fun: call.fun,
      arg: call.args,
      kwarg: new Map<Value, Value>(call.kwargs),
      ret: call.ret ?? '',
      jid,
      ...(call.options && { options: call.options }),
    })
    if (published) record.ended(entry, 'done', published.minions)
    else record.ended(entry, 'failed', 'No minions matched the target')
    return published !== undefined
  }

  private async runHere(call: ReactionCall, record: ReactionRecord, entry: Map<Value, Value>, cause: Cause) {
    const { fun, args, kwargs } = call
    if (call.kind === 'caller') {
      record.ended(entry, 'done', await this.parts.context.function(fun, args, kwargs))
      return true
    }
    const jid = newJid()
    this.parts.causes.noteJob(jid, cause)
    record.begun(entry, jid)
    const family = call.kind === 'wheel' ? 'wheel' : 'runner'
    const { success, value } = await this.parts.run({ family, fun, args, kwargs, jid, user: REACTOR_USER })
    record.ended(entry, success ? 'done' : 'failed', value)
    return success
  }
}

export function tellFailure(ctx: MasterContext, { id, kind, fun }: ReactionName, error: unknown): void {
  const trace = `Traceback (most recent call last):\n${failureText(error)}`
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
