// The steps of one orchestration in the store: each is noted when it begins, with the jobs it makes, and when it ends; what
// succeeded in an earlier attempt is not done again.
import { AsyncLocalStorage } from 'node:async_hooks'
import { newJid } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { ResumeChoice, StepMemory } from '../sdk/mod.ts'
import type { OrchestrationStore } from '../store/mod.ts'

interface GoingOn {
  store: OrchestrationStore
  jid: string
  tag: string
}

const going = new AsyncLocalStorage<GoingOn>()

/** A job that a step is about to make gets its number and is noted; others stay as they are. */
export function asStepJob<T extends { jid?: string }>(job: T): T {
  const step = going.getStore()
  if (!step) return job
  const jid = job.jid ?? newJid()
  step.store.noteJob(step.jid, step.tag, jid)
  return { ...job, jid }
}

/** `choice` is that of a run that is resumed. */
export function keptSteps(store: OrchestrationStore, jid: string, choice?: ResumeChoice): StepMemory {
  const done = new Map<string, Dict>()
  for (const { tag, result } of store.steps(jid)) {
    const isDone = result && result.get('result') !== false && result.get('__state_ran__') !== false
    if (isDone && !choice?.retry.includes(tag)) done.set(tag, result)
  }
  for (const tag of choice?.skip ?? []) if (!done.has(tag)) done.set(tag, skipped(tag))
  return {
    planned: (steps) => store.plan(jid, steps),
    recall: (tag) => done.get(tag),
    begun: (tag, place) => store.beginStep(jid, tag, place),
    ended: (tag, result) => store.endStep(jid, tag, result),
    during: (tag, work) => going.run({ store, jid, tag }, work),
  }
}

/** The result of a step that is left out. */
const skipped = (tag: string): Dict =>
  new Map<Value, Value>([
    ['name', tag.split('_|-')[2] ?? ''],
    ['changes', new Map()],
    ['result', true],
    ['comment', 'The step was left out when the run was resumed'],
  ])
