// The steps of one orchestration in the store. A step is recorded when it begins, with its jobs, and when it ends. A
// step that succeeded in an earlier attempt is not repeated.
import { AsyncLocalStorage } from 'node:async_hooks'
import { newJid } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { ResumeChoice, StepMemory } from '../sdk/mod.ts'
import type { RunRecord } from './run-record.ts'

interface GoingOn {
  record: RunRecord
  tag: string
}

const going = new AsyncLocalStorage<GoingOn>()

/** Give a job of a step its job id and record it; return other jobs unchanged. */
export function asStepJob<T extends { jid?: string }>(job: T): T {
  const step = going.getStore()
  if (!step) return job
  const jid = job.jid ?? newJid()
  step.record.noteJob(step.tag, jid)
  return { ...job, jid }
}

/** `choice`: how a resumed run treats its steps. */
export function keptSteps(record: RunRecord, choice?: ResumeChoice): StepMemory {
  const { store, jid } = record
  const done = new Map<string, Dict>()
  for (const { tag, result } of store.steps(jid)) {
    const isDone = result && result.get('result') !== false && result.get('__state_ran__') !== false
    if (isDone && !choice?.retry.includes(tag)) done.set(tag, result)
  }
  for (const tag of choice?.skip ?? []) if (!done.has(tag)) done.set(tag, skipped(tag))
  return {
    planned: (steps) => record.plan(steps),
    recall: (tag) => done.get(tag),
    begun: (tag, place) => record.beginStep(tag, place),
    ended: (tag, result) => record.endStep(tag, result),
    during: (tag, work) => going.run({ record, tag }, work),
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
