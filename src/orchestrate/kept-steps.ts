// The steps of one orchestration in the store: each is noted when it begins and when it ends, and what succeeded in an earlier
// attempt is not done again.
import type { Dict } from '../data/mod.ts'
import type { StepMemory } from '../sdk/mod.ts'
import type { OrchestrationStore } from '../store/mod.ts'

export function keptSteps(store: OrchestrationStore, jid: string): StepMemory {
  const done = new Map<string, Dict>()
  for (const { tag, result } of store.steps(jid)) {
    if (result && result.get('result') !== false && result.get('__state_ran__') !== false) done.set(tag, result)
  }
  return {
    recall: (tag) => done.get(tag),
    begun: (tag) => store.beginStep(jid, tag),
    ended: (tag, result) => store.endStep(jid, tag, result),
  }
}
