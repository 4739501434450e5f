// The record of orchestration runs: kept from the start of a run, step by step, so that a run can be watched while it works and
// resumed after a failure.
import { type Dict, SaltError, type Value } from '../data/mod.ts'
import type { OrchestrationRequest, ResumeChoice } from '../sdk/mod.ts'
import type { OrchestrationRun, OrchestrationStore } from '../store/mod.ts'

const KEPT = ['mods', 'saltenv', 'test', 'exclude', 'pillar', 'pillarenv', 'pillar_enc', 'parallel'] as const

/** Return the part of a request that the record stores. */
export const keptRequest = (request: OrchestrationRequest, user: string): Dict =>
  new Map<Value, Value>(KEPT.map((name) => [name, request[name]])).set('user', user)

/** Return the request of a run that can be resumed; refuse a choice of steps that the run does not have. */
export function resumedRequest(store: OrchestrationStore, jid: string, choice: ResumeChoice): OrchestrationRequest {
  const { state, asked } = runOf(store, jid)
  if (state === 'running') throw new SaltError('CommandExecutionError', `Orchestration '${jid}' is still running`)
  const known = new Set([...store.planOf(jid), ...store.steps(jid)].map(({ tag }) => tag))
  const unknown = [...choice.skip, ...choice.retry].find((tag) => !known.has(tag))
  if (unknown !== undefined)
    throw new SaltError('CommandExecutionError', `Orchestration '${jid}' has no step '${unknown}'`)
  const kept = (name: (typeof KEPT)[number]): Value => asked.get(name) ?? null
  return {
    mods: kept('mods'),
    saltenv: kept('saltenv'),
    test: kept('test'),
    exclude: kept('exclude'),
    pillar: kept('pillar'),
    pillarenv: kept('pillarenv'),
    pillar_enc: kept('pillar_enc'),
    parallel: kept('parallel'),
    orchestration_jid: jid,
  }
}

function runOf(store: OrchestrationStore, jid: string): OrchestrationRun {
  const run = store.run(jid)
  if (!run) throw new SaltError('CommandExecutionError', `There is no record of an orchestration '${jid}'`)
  return run
}

/** Return the tags of steps that began and did not end: their results are unknown. */
export const doubtfulSteps = (store: OrchestrationStore, jid: string): string[] =>
  store.steps(jid).flatMap(({ tag, result }) => (result ? [] : [tag]))

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString()

export function listRuns(store: OrchestrationStore, count: number): Dict {
  return new Map(
    store
      .runs(count)
      .map(({ jid, at, state, asked }) => [
        jid,
        new Map<Value, Value>([['mods', asked.get('mods') ?? null]]).set('state', state).set('started', timeOf(at)),
      ]),
  )
}

export function showRun(store: OrchestrationStore, jid: string): Dict {
  const run = runOf(store, jid)
  const steps = store.steps(jid).map(({ tag, at, result }) => {
    const step = new Map<Value, Value>([['step', tag]]).set('started', timeOf(at))
    if (!result) return step.set('state', run.state === 'running' ? 'begun' : 'in doubt')
    step.set('state', result.get('result') === false ? 'failed' : 'done').set('comment', result.get('comment') ?? '')
    return result.has('__jid__') ? step.set('jid', result.get('__jid__')!) : step
  })
  return new Map<Value, Value>([['jid', jid]])
    .set('state', run.state)
    .set('started', timeOf(run.at))
    .set('asked', run.asked)
    .set('steps', steps)
}
