// The steps of one orchestration in the store: each is noted when it begins, with the jobs it makes, and when it ends; what
// succeeded in an earlier attempt is not done again.
import { AsyncLocalStorage } from 'node:async_hooks'
import { newJid } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { StepMemory } from '../sdk/mod.ts'
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

export function keptSteps(store: OrchestrationStore, jid: string): StepMemory {
  const done = new Map<string, Dict>()
  for (const { tag, result } of store.steps(jid)) {
    if (result && result.get('result') !== false && result.get('__state_ran__') !== false) done.set(tag, result)
  }
  return {
    recall: (tag) => done.get(tag),
    begun: (tag, place) => store.beginStep(jid, tag, place),
    ended: (tag, result) => store.endStep(jid, tag, result),
    during: (tag, work) => going.run({ store, jid, tag }, work),
  }
}
