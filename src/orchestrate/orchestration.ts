// Orchestration runs of one call of the master. A run is a state run of the minion beside the master; its states are the
// steps, which call functions of minions and of the master.
import { toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, statesSucceeded, type Value } from '../data/mod.ts'
import type { MasterContext, OrchestrationRequest, Orchestrator, ResumeChoice, StepMemory } from '../sdk/mod.ts'
import { doubtfulSteps, keptRequest, listRuns, resumedRequest, showRun } from './record.ts'
import { RunRecord, type ShareRun } from './run-record.ts'
import { keptSteps } from './steps.ts'

/** The parts of the calling context that a run needs; `function` calls a function of the minion beside the master. */
type Starter = Pick<MasterContext, 'opts' | 'jid' | 'user' | 'log' | 'function' | 'orchestrations'>

export class Orchestration implements Orchestrator {
  private readonly starter: Starter
  private readonly share: ShareRun | undefined
  /** The record of the run; undefined before the first run, and in a dry run. */
  private recorded: RunRecord | undefined
  /** How a resumed run treats the recorded steps. */
  private choice: ResumeChoice | undefined

  /** `share` sends changes of the record to the other masters of a cluster. */
  constructor(starter: Starter, share?: ShareRun) {
    this.starter = starter
    this.share = share
  }

  async run(request: OrchestrationRequest): Promise<Dict> {
    const { opts } = this.starter
    const { mods, test, exclude, pillar, pillar_enc } = request
    const jid = request.orchestration_jid ?? this.starter.jid
    if (test !== true) await this.begin(request)
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
    await this.end(succeeded ? 'succeeded' : 'failed')
    return new Map<Value, Value>([['data', data]]).set('outputter', 'highstate').set('retcode', succeeded ? 0 : 1)
  }

  resume(jid: string, choice: ResumeChoice): Promise<Dict> {
    const request = resumedRequest(this.store, jid, choice)
    for (const tag of doubtfulSteps(this.store, jid))
      this.starter.log('warning', `Step '${tag}' of orchestration '${jid}' had begun, and its outcome is unknown`)
    this.recorded = this.record(jid)
    this.choice = choice
    return this.run(request)
  }

  runs(count: number): Dict {
    return listRuns(this.store, count)
  }

  show(jid: string): Dict {
    return showRun(this.store, jid)
  }

  /** Return the recorded steps of the run; undefined if nothing is recorded. */
  steps(): StepMemory | undefined {
    return this.recorded && keptSteps(this.recorded, this.choice)
  }

  /** Begin the record of a run, or continue the record of the run that is resumed. */
  private begin(request: OrchestrationRequest): Promise<void> {
    this.recorded ??= this.record(this.starter.jid)
    return this.recorded.begin(keptRequest(request, this.starter.user))
  }

  /** End the record. The steps have run, so their results count also when the other masters do not take the end. */
  private async end(state: 'succeeded' | 'failed'): Promise<void> {
    try {
      await this.recorded?.end(state)
    } catch (error) {
      const text = `The other masters do not know that orchestration '${this.recorded?.jid}' ended`
      this.starter.log('error', `${text}: ${toError(error).message}`)
    }
  }

  private record(jid: string): RunRecord {
    return new RunRecord(this.store, jid, this.share)
  }

  private get store() {
    return this.starter.orchestrations()
  }
}
