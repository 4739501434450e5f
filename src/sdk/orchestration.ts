// Orchestrations, for the runner functions that start, resume and show them.
import type { Dict, Value } from '../data/mod.ts'

/** The arguments of `state.orchestrate`. */
export interface OrchestrationRequest {
  mods: Value
  saltenv: Value
  test: Value
  exclude: Value
  pillar: Value
  pillarenv: Value
  pillar_enc: Value
  orchestration_jid: Value
  parallel: Value
}

/** Steps that a resumed run treats in another way than by their results, by tag. */
export interface ResumeChoice {
  /** Steps that count as done and do not run. */
  skip: readonly string[]
  /** Steps to run again although they succeeded. */
  retry: readonly string[]
}

export interface Orchestrator {
  /** Run an orchestration and record it step by step; return the results of its states with `outputter` and `retcode`. */
  run(request: OrchestrationRequest): Promise<Dict>
  /** Continue a run that failed or was interrupted; steps that succeeded are not run again. */
  resume(jid: string, choice: ResumeChoice): Promise<Dict>
  /** Return the last runs by job id, newest first: `mods`, `state` and `started`. */
  runs(count: number): Dict
  /** Return the record of one run: its request and its steps. */
  show(jid: string): Dict
}

const ORCHESTRATIONS = new Set(['state.orchestrate', 'state.orch', 'state.sls'])

/** Return whether a runner function starts an orchestration. */
export const startsOrchestration = (fun: string): boolean => ORCHESTRATIONS.has(fun)
