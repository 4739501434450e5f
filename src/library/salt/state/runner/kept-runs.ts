// The record of an orchestration: kept from its beginning, step by step, so that it can be looked at while it runs and
// continued when it broke off.
import { type Dict, SaltError, str, type Value } from '../../../../data/mod.ts'
import type { MasterContext } from '../../../../sdk/mod.ts'
import type { Asked } from './asked.ts'

const KEPT = ['mods', 'saltenv', 'test', 'exclude', 'pillar', 'pillarenv', 'pillar_enc', 'parallel'] as const

/** Begins the record of this run, or goes on with the one that is being resumed. */
export function keepRun(ctx: MasterContext, asked: Asked): void {
  const jid = str(ctx.memory.get('orchestration') ?? ctx.jid)
  ctx.memory.set('orchestration', jid)
  const kept = new Map<Value, Value>(KEPT.map((name) => [name, asked[name]]))
  ctx.orchestrations().begin(jid, kept.set('user', ctx.user))
}

export function endRun(ctx: MasterContext, succeeded: boolean): void {
  const jid = ctx.memory.get('orchestration')
  if (jid !== undefined) ctx.orchestrations().end(str(jid), succeeded ? 'succeeded' : 'failed')
}

export function askedOf(ctx: MasterContext, jid: string): Asked {
  const run = ctx.orchestrations().run(jid)
  if (!run) throw new SaltError('CommandExecutionError', `There is no record of an orchestration '${jid}'`)
  if (run.state === 'running') throw new SaltError('CommandExecutionError', `Orchestration '${jid}' is still running`)
  const entries = KEPT.map((name): [string, Value] => [name, run.asked.get(name) ?? null])
  return { ...(Object.fromEntries(entries) as unknown as Asked), orchestration_jid: jid }
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString()

export function listRuns(ctx: MasterContext, count: number): Dict {
  const runs = ctx.orchestrations().runs(count)
  return new Map(
    runs.map(({ jid, at, state, asked }) => [
      jid,
      new Map<Value, Value>([['mods', asked.get('mods') ?? null]]).set('state', state).set('started', timeOf(at)),
    ]),
  )
}

export function showRun(ctx: MasterContext, jid: string): Dict {
  const run = ctx.orchestrations().run(jid)
  if (!run) throw new SaltError('CommandExecutionError', `There is no record of an orchestration '${jid}'`)
  const steps = ctx.orchestrations().steps(jid)
  const shown = steps.map(({ tag, at, result }) => {
    const step = new Map<Value, Value>([['step', tag]]).set('started', timeOf(at))
    if (!result) return step.set('state', 'begun')
    step.set('state', result.get('result') === false ? 'failed' : 'done').set('comment', result.get('comment') ?? '')
    return result.has('__jid__') ? step.set('jid', result.get('__jid__')!) : step
  })
  return new Map<Value, Value>([['jid', jid]])
    .set('state', run.state)
    .set('started', timeOf(run.at))
    .set('asked', run.asked)
    .set('steps', shown)
}
