// Orchestration runs of one call of the master. A run is a state run of the minion beside the master; its states are the steps, and
// have minions and the master work.
import { option } from '../config/mod.ts'
import { type Dict, statesSucceeded, type Value } from '../data/mod.ts'
import type { MasterContext, OrchestrationRequest, Orchestrator, ResumeChoice, StepMemory } from '../sdk/mod.ts'
import { keptRequest, listRuns, resumedRequest, showRun } from './record.ts'
import { keptSteps } from './steps.ts'

/** What a run needs of the call that starts it; `function` calls a function of the minion beside the master. */
type Starter = Pick<MasterContext, 'opts' | 'jid' | 'user' | 'function' | 'orchestrations'>

export class Orchestration implements Orchestrator {
  private readonly starter: Starter
  /** The job id of the recorded run; undefined before the first run, and in a dry run. */
  private recorded: string | undefined
  /** How steps of a run that is resumed are treated. */
  private choice: ResumeChoice | undefined

  constructor(starter: Starter) {
    this.starter = starter
  }

  async run(request: OrchestrationRequest): Promise<Dict> {
    const { opts } = this.starter
    const { mods, test, exclude, pillar, pillar_enc } = request
    const jid = request.orchestration_jid ?? this.starter.jid
    if (test !== true) this.begin(request)
    const running = await this.starter.function('state.sls', [mods, test, exclude], {
      pillar,
      saltenv: request.saltenv ?? option(opts, 'saltenv'),
      pillarenv: request.pillarenv ?? option(opts, 'pillarenv'),
      pillar_enc,
      __pub_jid: jid,
      orchestration_jid: jid,
      orchestrate_parallel: request.parallel,
    })
    const data: Dict = new Map([[option(opts, 'id') || 'master', running]])
    const succeeded = statesSucceeded(data)
    if (this.recorded !== undefined) this.store.end(this.recorded, succeeded ? 'succeeded' : 'failed')
    return new Map<Value, Value>([['data', data]]).set('outputter', 'highstate').set('retcode', succeeded ? 0 : 1)
  }

  resume(jid: string, choice: ResumeChoice): Promise<Dict> {
    const request = resumedRequest(this.store, jid, choice)
    this.recorded = jid
    this.choice = choice
    return this.run(request)
  }

  runs(count: number): Dict {
    return listRuns(this.store, count)
  }

  show(jid: string): Dict {
    return showRun(this.store, jid)
  }

  /** Return the memory of the steps of the recorded run; undefined when there is none. */
  steps(): StepMemory | undefined {
    return this.recorded === undefined ? undefined : keptSteps(this.store, this.recorded, this.choice)
  }

  /** Begin the record of a run, or continue the record of the run that is resumed. */
  private begin(request: OrchestrationRequest): void {
    this.recorded ??= this.starter.jid
    this.store.begin(this.recorded, keptRequest(request, this.starter.user))
  }

  private get store() {
    return this.starter.orchestrations()
  }
}
