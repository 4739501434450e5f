// Calls of the chunks of one run, and the record of their steps where steps are kept.
import { after, type Later } from '../../base/mod.ts'
import { type Dict, isDict, maskMarked, str, truthy, type Value } from '../../data/mod.ts'
import type { StateContext, StepMemory } from '../../sdk/mod.ts'
import { inSpan, isTraced } from '../../telemetry/mod.ts'
import { lowTag } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'
import { CallContexts } from './call-contexts.ts'
import { Checks } from './checks.ts'
import { GlobalConditions } from './global-conditions.ts'
import { Refresher } from './refresh.ts'
import { Slots } from './slots.ts'
import { type CallerParts, type CallParts, StateCall } from './state-call.ts'
import type { RunSurroundings, StateRet } from './surroundings.ts'
import { unify } from './unify.ts'

export class StateCaller {
  private readonly parts: CallParts

  constructor(run: RunSurroundings, parts: CallerParts & { instanceId: string }) {
    const { functions, grains, log } = run
    this.parts = {
      ...parts,
      run,
      contexts: new CallContexts(run, parts.instanceId),
      checks: new Checks(functions, functions.ctx.host, grains, log),
      slots: new Slots(functions, log),
      conditions: new GlobalConditions(functions),
      refresher: new Refresher(run),
    }
  }

  get isTest(): boolean {
    return this.parts.contexts.isTest
  }

  call(low: LowChunk, chunks: readonly LowChunk[], running: Dict): Later<StateRet> {
    const call = new StateCall(this.parts, { low, chunks, running })
    const { steps } = this.parts.run
    if (steps && !truthy(low.get('__prereq__') ?? false)) return this.callStep(call, low, steps)
    // thousands of states run without a trace
    const result = isTraced() ? traced(low, () => call.result()) : call.result()
    return after(result, unify)
  }

  /** Return the context of a call, for hooks of a module. */
  hookContext(low: LowChunk, chunks: readonly LowChunk[], running: Dict): StateContext {
    return this.parts.contexts.of({ low, chunks, running })
  }

  private async callStep(call: StateCall, low: LowChunk, steps: StepMemory): Promise<StateRet> {
    const tag = lowTag(low)
    const known = steps.recall(tag)
    if (known) return known.set('__run_num__', this.parts.nextNumber())
    const place = this.parts.placeOf(low)
    await steps.begun(tag, place && `${place.file}:${place.line}`)
    const ret = unify(await steps.during(tag, async () => traced(low, () => call.result())))
    // a parallel state ends later
    if (!this.parts.parallel.has(tag)) steps.ended(tag, maskMarked(ret) as StateRet)
    return ret
  }
}

/** Run a state in a span, where its run is traced. */
function traced<T>(low: LowChunk, run: () => T): T {
  return inSpan(
    () => ({
      name: `salt.state.${str(low.get('state') ?? '')}.${str(low.get('fun') ?? '')}`,
      attributes: { 'salt.state.id': str(low.get('__id__') ?? ''), 'salt.state.sls': str(low.get('__sls__') ?? '') },
      failure: (ret: unknown) =>
        isDict(ret as Value) && (ret as Dict).get('result') === false ? 'the state failed' : undefined,
    }),
    run,
  )
}
