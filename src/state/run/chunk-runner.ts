// Runs chunks in order. Requisites decide about each; a required chunk runs first.
import { after, type Later } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, dictDelete, isDict, str, truthy, type Value } from '../../data/mod.ts'
import type { Dependencies } from '../compile/dependencies.ts'
import { lowTag, required } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'
import type { Decision } from '../report/explain.ts'
import { Abreast } from './abreast.ts'
import { noTime } from './clock.ts'
import { fireStateEvent } from './events.ts'
import { Foresight } from './foresight.ts'
import type { ParallelStates } from './parallel.ts'
import { type PauseFile, pauseAction } from './pause.ts'
import { checkRequisites, NOTHING_REQUIRED, type RequisiteCheck } from './requisites.ts'
import type { StateCaller } from './state-caller.ts'
import { type RunSurroundings, resultDict, type StateRet } from './surroundings.ts'

/** Deeper than any real chain of states that call for one another. */
const DEEPEST = 20

const NOT_RUN = {
  skip_req: 'State was not run because requisites were skipped by another state',
  pre: 'No changes detected',
  onfail: 'State was not run because onfail req did not change',
  onchanges: 'State was not run because none of the onchanges reqs changed',
} as const

export interface RunnerParts {
  dependencies: Dependencies
  caller: StateCaller
  parallel: ParallelStates
  nextNumber(): number
  /** The number that `nextNumber` would give. */
  peekNumber(): number
  pause: PauseFile | undefined
  /** Receives the decision about each state. */
  decided(decision: Decision): void
}

/** The outcome of a chunk: whether it waits for a parallel state, and whether the run must end. */
interface Outcome {
  isPending: boolean
  isFatal: boolean
}

const DONE: Outcome = { isPending: false, isFatal: false }

export class ChunkRunner {
  /** Results of dry runs that `prereq` asks for. */
  private readonly trials: Dict = new Map()
  private readonly initialised = new Set<Value>()
  private readonly run: RunSurroundings
  private readonly parts: RunnerParts

  constructor(run: RunSurroundings, parts: RunnerParts) {
    this.run = run
    this.parts = parts
  }

  /** The results by tag, in the order of the run. */
  async callAll(chunks: readonly LowChunk[]): Promise<Dict> {
    const running: Dict = new Map()
    let pending = new Map<string, LowChunk>()
    const { host } = this.run.functions.ctx
    const foresight = host.expect && new Foresight(host, chunks)
    const abreast = new Abreast(this.run, this.parts.dependencies)
    const likely = (place: number): number => place + abreast.likely(chunks, place)
    for (let place = 0; place < chunks.length; place++) {
      const low = chunks[place]!
      foresight?.at(place, Math.max(likely(place), likely(place + 1)))
      if (pending.size > 0) {
        const still = await this.callPending(pending, running, chunks)
        if (!still) return running
        pending = still
      }
      this.parts.parallel.reconcile(running)
      const tag = lowTag(low)
      if (running.has(tag)) continue
      const { pause } = this.parts
      if (pause && !pause.isAbsent?.() && (await pauseAction(low, pause)) === 'kill') break
      const counted = this.parts.parallel.isIdle ? abreast.count(chunks, place, running) : 0
      const count = counted instanceof Promise ? await counted : counted
      if (count > 1) {
        foresight?.at(place + count, likely(place + count))
        const lows = chunks.slice(place, place + count)
        await abreast.beside(chunks, place, count, () => this.callAbreast(lows, running, chunks))
        place += count - 1
        continue
      }
      const called = this.callChunk(low, running, chunks, 0, tag)
      const { isPending, isFatal } = called instanceof Promise ? await called : called
      if (isPending) pending.set(tag, low)
      if (isFatal || this.failsHard(low, running)) return running
    }
    while (pending.size > 0) {
      const still = await this.callPending(pending, running, chunks)
      if (!still) return running
      pending = still
      if (pending.size > 0) await this.parts.parallel.next()
    }
    await this.parts.parallel.settle(running)
    return running
  }

  /** Call chunks beside each other. Their results are in the order of the chunks. */
  private async callAbreast(lows: readonly LowChunk[], running: Dict, chunks: readonly LowChunk[]): Promise<void> {
    const ended = await Promise.allSettled(lows.map(async (low) => this.callChunk(low, running, chunks)))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
    const results = lows.map((low): [string, Value] => [lowTag(low), running.get(lowTag(low)) ?? null])
    const dicts = results.flatMap(([, ret]) => (isDict(ret) ? [ret] : []))
    const numbers = dicts.map((ret) => ret.get('__run_num__') as number).sort((one, other) => one - other)
    for (const [i, ret] of dicts.entries()) ret.set('__run_num__', numbers[i]!)
    for (const [tag] of results) running.delete(tag)
    for (const [tag, ret] of results) running.set(tag, ret)
  }

  /** Return the chunks that still wait, or undefined if the run must end. */
  private async callPending(
    pending: Map<string, LowChunk>,
    running: Dict,
    chunks: readonly LowChunk[],
  ): Promise<Map<string, LowChunk> | undefined> {
    const still = new Map<string, LowChunk>()
    for (const [tag, low] of pending) {
      if (running.has(tag)) continue
      const { isPending, isFatal } = await this.callChunk(low, running, chunks)
      if (isPending) still.set(tag, low)
      if (isFatal || this.failsHard(low, running)) return undefined
    }
    return still
  }

  private failsHard(low: LowChunk, running: Dict): boolean {
    const failhard = low.get('failhard') ?? option(this.run.opts, 'failhard')
    if (!truthy(failhard) || this.parts.caller.isTest) return false
    const result = running.get(lowTag(low))
    return result instanceof Map && result.get('result') !== null && !truthy(result.get('result') ?? false)
  }

  /** Synchronous if nothing must be awaited, as for states that only read: an await costs as much as such a state. */
  callChunk(given: LowChunk, running: Dict, chunks: readonly LowChunk[], depth = 0, ownTag?: string): Later<Outcome> {
    if (!this.isPrepared(given)) {
      return this.prepared(given, running, chunks).then((low) =>
        this.callPrepared(low, running, chunks, depth, lowTag(low)),
      )
    }
    return this.callPrepared(given, running, chunks, depth, ownTag ?? lowTag(given))
  }

  private callPrepared(
    low: LowChunk,
    running: Dict,
    chunks: readonly LowChunk[],
    depth: number,
    tag: string,
  ): Later<Outcome> {
    return after(this.check(low, tag, running), (check) => {
      if (check.status === 'pending') return { isPending: true, isFatal: false }
      this.parts.decided({ check, low, isTrial: low.get('__prereq__') === true })
      if (check.status === 'unmet') {
        return this.callUnmet(low, running, chunks, tag, depth).then((outcome) =>
          outcome.isPending || outcome.isFatal ? outcome : this.reported(low, running, chunks, tag),
        )
      }
      return after(this.settle(low, check, running, chunks, tag), () => this.reported(low, running, chunks, tag))
    })
  }

  /** Report the result to the listeners. */
  private reported(low: LowChunk, running: Dict, chunks: readonly LowChunk[], tag: string): Later<Outcome> {
    const result = running.get(tag)
    if (!(result instanceof Map)) return DONE
    return after(fireStateEvent(result, chunks.length, low.get('fire_event') ?? false, this.run), () => {
      this.takeSubStates(result, low, running)
      return DONE
    })
  }

  private check(low: LowChunk, tag: string, running: Dict): Later<RequisiteCheck> {
    const { dependencies, parallel } = this.parts
    const required = dependencies.of(low, tag)
    if (required.length === 0) return NOTHING_REQUIRED
    return checkRequisites(low, required, { running, trials: this.trials, parallel })
  }

  /** Whether the module of a chunk is loaded and wants nothing done before its calls. */
  private isPrepared(low: LowChunk): boolean {
    const { states } = this.run
    const module = str(required(low, 'state'))
    if (!states.isSettled(module)) return false
    const declaration = states.module(module)
    return !declaration?.modAggregate && !declaration?.modInit
  }

  /** Return the chunk, aggregated with others for the same call, after initialising its module. */
  private async prepared(given: LowChunk, running: Dict, chunks: readonly LowChunk[]): Promise<LowChunk> {
    const { states, log } = this.run
    const module = str(required(given, 'state'))
    if (!states.isSettled(module)) await states.load(module)
    const declaration = states.module(module)
    let low = given
    if (declaration?.modAggregate && !truthy(given.get('__agg__') ?? false)) {
      const others = this.parts.dependencies.aggregateOf(given)
      if (others.length > 0) {
        given.set('__agg__', true)
        log('debug', `Aggregating ${others.length} states of ${module}`)
        low = await declaration.modAggregate(
          this.parts.caller.hookContext(given, chunks, running),
          given,
          others,
          running,
        )
      }
    }
    if (declaration?.modInit && !this.initialised.has(module) && states.get(`${module}.${str(required(low, 'fun'))}`)) {
      if (await declaration.modInit(this.parts.caller.hookContext(low, chunks, running), low))
        this.initialised.add(module)
    }
    return low
  }

  private settle(
    low: LowChunk,
    { status, reqs }: RequisiteCheck,
    running: Dict,
    chunks: readonly LowChunk[],
    tag: string,
  ): Later<unknown> {
    const { caller } = this.parts
    if (status === 'fail') return this.failed(low, reqs.values(), running, tag)
    if (status === 'pre' || status === 'onfail' || status === 'onchanges' || status === 'skip_req') {
      return this.notRun(low, tag, true, NOT_RUN[status], running)
    }
    if (truthy(low.get('__prereq__') ?? false)) {
      return after(caller.call(low, chunks, running), (ret) => this.trials.set(tag, ret))
    }
    if (status === 'change') {
      return this.callWatching(low, reqs, running, chunks).then((ret) => running.set(tag, ret))
    }
    return after(caller.call(low, chunks, running), (ret) => {
      if (status === 'skip_watch') {
        const note = ' mod_watch was not run because requisites were skipped by another state'
        ret.set('comment', `${str(ret.get('comment') ?? '')}${note}`)
      }
      running.set(tag, ret)
    })
  }

  /** The state itself, and `mod_watch` when that changed nothing. */
  private async callWatching(
    low: LowChunk,
    reqs: RequisiteCheck['reqs'],
    running: Dict,
    chunks: readonly LowChunk[],
  ): Promise<StateRet> {
    const { caller } = this.parts
    const ret = await caller.call(low, chunks, running)
    if (truthy(ret.get('changes') ?? null) || truthy(ret.get('skip_watch') ?? false)) return ret
    const watching = new Map(low)
    watching.set('sfun', required(low, 'fun'))
    watching.set('fun', 'mod_watch')
    watching.set('__reqs__', new Map<Value, Value>(Array.from(reqs, ([type, lows]) => [type, lows])))
    return caller.call(watching, chunks, running)
  }

  private failed(low: LowChunk, reqs: Iterable<readonly LowChunk[]>, running: Dict, tag: string): void {
    const trial = this.trials.get(tag)
    if (trial instanceof Map) {
      // show the trial without the changes that will not happen
      if (truthy(trial.get('changes') ?? null)) trial.set('changes', new Map())
      trial.set('__run_num__', this.parts.nextNumber())
      identify(trial, low)
      running.set(tag, trial)
      return
    }
    const failed = new Set<string>()
    for (const required of reqs) {
      for (const req of required) {
        const reqTag = lowTag(req)
        const ret = this.trials.get(reqTag) ?? running.get(reqTag)
        if (!(ret instanceof Map) || ret.get('result') !== false) continue
        failed.add(`${str(req.get('__sls__') ?? null)}.${str(req.get('__id__') ?? null)}`)
      }
    }
    this.notRun(low, tag, false, `One or more requisite failed: ${[...failed].join(', ')}`, running)
  }

  private notRun(low: LowChunk, tag: string, result: boolean, comment: string, running: Dict): void {
    const ret = notRunResult(result, comment, this.parts.nextNumber())
    identify(ret, low)
    running.set(tag, ret)
    if (truthy(low.get('__prereq__') ?? false)) this.trials.set(tag, ret)
  }

  /** Run the requisites first, then the state itself. */
  private async callUnmet(
    low: LowChunk,
    running: Dict,
    chunks: readonly LowChunk[],
    tag: string,
    depth: number,
  ): Promise<Outcome> {
    for (const [, chunk] of [...this.parts.dependencies.of(low)]) {
      if (running.has(lowTag(chunk))) continue
      const outcome = await this.callChunk(chunk, running, chunks)
      if (outcome.isPending || outcome.isFatal) return outcome
      if (this.failsHard(chunk, running)) return { isPending: false, isFatal: true }
    }
    let isPending = false
    if (truthy(low.get('__prereq__') ?? false)) await this.callTrial(low, running, chunks, tag)
    else if (depth + 1 >= DEEPEST) running.set(tag, this.recursive(low))
    else {
      const outcome = await this.callChunk(low, running, chunks, depth + 1)
      if (outcome.isFatal) return outcome
      isPending = outcome.isPending
    }
    return { isPending, isFatal: this.failsHard(low, running) }
  }

  private async callTrial(low: LowChunk, running: Dict, chunks: readonly LowChunk[], tag: string): Promise<void> {
    const { caller, nextNumber } = this.parts
    const { status } = await this.check(low, tag, running)
    if (status === 'pre') {
      const ret = notRunResult(true, NOT_RUN.pre, nextNumber())
      identify(ret, low)
      this.trials.set(tag, ret)
      return
    }
    const ret = await caller.call(low, chunks, running)
    if (!truthy(ret.get('changes') ?? null) && status === 'change') {
      ret.set('changes', new Map([['watch', 'watch']]))
      ret.set('result', null)
    }
    this.trials.set(tag, ret)
  }

  private recursive(low: LowChunk): StateRet {
    const ret = resultDict([
      ['changes', new Map()],
      ['result', false],
      ['comment', 'Recursive requisite found'],
      ['__run_num__', this.parts.peekNumber()],
    ])
    identify(ret, low)
    return ret
  }

  /** Record the results of sub-states as separate results. */
  private takeSubStates(ret: StateRet, low: LowChunk, running: Dict): void {
    if (!ret.has('sub_state_run')) return
    const subStates = dictDelete(ret, 'sub_state_run')
    for (const sub of Array.isArray(subStates) ? subStates : []) {
      const subLow = sub instanceof Map ? sub.get('low') : undefined
      if (sub instanceof Map && subLow instanceof Map) running.set(lowTag(subLow), this.subResult(sub, low))
    }
  }

  private subResult(sub: Dict, low: LowChunk): StateRet {
    const { start_time, duration } = noTime()
    const ret = resultDict([
      ['name', null],
      ['changes', required(sub, 'changes')],
      ['result', required(sub, 'result')],
      ['duration', sub.get('duration') ?? duration],
      ['start_time', sub.get('start_time') ?? start_time],
      ['comment', sub.get('comment') ?? ''],
      ['__state_ran__', true],
      ['__run_num__', this.parts.nextNumber() + 1],
    ])
    identify(ret, low)
    return ret
  }
}

function identify(ret: Dict, low: LowChunk): void {
  for (const key of ['__sls__', '__id__', 'name']) ret.set(key, low.get(key) ?? null)
}

function notRunResult(result: boolean, comment: string, number: number): StateRet {
  const { start_time, duration } = noTime()
  return resultDict([
    ['changes', new Map()],
    ['result', result],
    ['duration', duration],
    ['start_time', start_time],
    ['comment', comment],
    ['__state_ran__', false],
    ['__run_num__', number],
  ])
}
