// One call of the function of one low chunk, with its attempts. A failure becomes a failed result; only arguments that no function
// takes end the whole run, as in Salt.
import { after, BrineError, type Later, type Position, toError } from '../../base/mod.ts'
import { type Dict, dictUpdate, maskMarked, str, truthy, type Value } from '../../data/mod.ts'
import { type TraceFrame, traceback } from '../../render/mod.ts'
import { toValue } from '../../sdk/mod.ts'
import { lowTag, required } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'
import type { Reporter } from '../report/reporter.ts'
import { asDict, type CallContexts, type CalledChunk } from './call-contexts.ts'
import { boundArguments, type CallData, callData, slips, UnknownKeyword } from './call-data.ts'
import { Checks } from './checks.ts'
import { stopwatch } from './clock.ts'
import type { GlobalConditions } from './global-conditions.ts'
import { describeResult, logChunk, logEnd } from './log-result.ts'
import { masked } from './mask.ts'
import type { ParallelStates } from './parallel.ts'
import type { Refresher } from './refresh.ts'
import { type Attempts, parallelAttempts, readRetry, retried, serialAttempts } from './retry.ts'
import type { Slots } from './slots.ts'
import { type RunSurroundings, resultDict, type StateRet } from './surroundings.ts'
import { underUmask } from './umask.ts'
import { unify } from './unify.ts'
import { nearState, verifyData } from './verify-data.ts'

/** The parts of the engine that calls use. */
export interface CallerParts {
  nextNumber(): number
  parallel: ParallelStates
  reporter: Reporter
  /** Return the place of a state, or of one of its arguments. */
  placeOf(low: LowChunk, argument?: string): Position | undefined
}

/** The shared parts of all calls of a run. */
export interface CallParts extends CallerParts {
  run: RunSurroundings
  contexts: CallContexts
  checks: Checks
  slots: Slots
  conditions: GlobalConditions
  refresher: Refresher
}

export class StateCall {
  private readonly parts: CallParts
  private readonly chunk: CalledChunk
  private readonly low: LowChunk
  /** The arguments of the current attempt. */
  private data!: CallData

  constructor(parts: CallParts, chunk: CalledChunk) {
    this.parts = parts
    this.chunk = chunk
    this.low = chunk.low
  }

  /** Call the state, with retries; return its result. */
  result(): Later<Value> {
    const elapsed = stopwatch()
    const { low } = this
    return after(verifyData(low, this.parts.run.states), (errors) => {
      if (errors.length > 0) return this.refused(errors)
      const isRetried = low.has('retry') && !low.has('parallel') && !this.isTrial
      return after(this.attempt(elapsed), (ret) =>
        isRetried && ret instanceof Map
          ? this.retry(ret, serialAttempts, async () => unify(await this.attempt()))
          : ret,
      )
    })
  }

  /** Whether only the changes of the state are computed, for `prereq`. */
  private get isTrial(): boolean {
    return truthy(this.low.get('__prereq__') ?? false)
  }

  private attempt(elapsed = stopwatch()): Later<Value> {
    const { low, isTrial } = this
    const { log } = this.parts.run
    const full = `${str(low.get('state')!)}.${str(low.get('fun')!)}`
    this.data = this.dataOf(full)
    logChunk(log, full, low)
    return after(this.perform(), (result) => {
      logEnd(log, full, low, elapsed)
      if (!(result instanceof Map)) return result
      if (!isTrial) return this.completed(result, elapsed)
      low.set('__prereq__', false)
      return result
    })
  }

  /** Return a result with the engine's fields. */
  private completed(result: Dict, elapsed: ReturnType<typeof stopwatch>): Later<Value> {
    const { low } = this
    result.set('__sls__', low.get('__sls__') ?? null)
    result.set('__run_num__', this.parts.nextNumber())
    if (truthy(low.get('no_log') ?? false)) for (const key of ['comment', 'changes']) mask(result, key)
    this.logResult(result)
    return after(this.parts.refresher.after(low, result), () => {
      const { start_time, duration } = elapsed()
      result.set('start_time', start_time)
      result.set('duration', duration)
      result.set('__id__', required(low, '__id__'))
      return result
    })
  }

  private retry(first: StateRet, attempts: Attempts, again: () => Promise<StateRet>): Promise<StateRet> {
    const { run, contexts } = this.parts
    const sleep = async (seconds: number) => void (await run.functions.call('test.sleep', [seconds]))
    const retry = readRetry(this.low.get('retry')!, run.log)
    return retried(first, { retry, attempts, again, sleep, isTest: contexts.isTest, log: run.log })
  }

  private logResult(result: Dict): void {
    const text = describeResult(result)
    if (result.get('result') === false) this.parts.reporter.log('error', { text, at: this.parts.placeOf(this.low) })
    else this.parts.run.log('info', text)
  }

  private async refused(errors: readonly string[]): Promise<StateRet> {
    const { low, parts } = this
    const ret = resultDict([
      ['result', false],
      ['name', low.get('name') ?? null],
      ['changes', new Map()],
      ['comment', errors.map((error) => `${error}\n`).join('')],
      ['__run_num__', parts.nextNumber()],
    ])
    const [brief] = errors
    const text = describeResult(ret)
    parts.reporter.tell('error', { text, brief, at: parts.placeOf(low), hint: nearState(low, parts.run.states) })
    await parts.refresher.after(low, ret)
    return ret
  }

  private dataOf(full: string): CallData {
    const { low, parts } = this
    try {
      const data = callData(full, parts.run.states.get(full)!, low)
      for (const [written, meant] of slips(data)) {
        const text = `${full} has no option '${written}'; ignored`
        const at = parts.placeOf(low, written)
        parts.reporter.tell('warning', { text, at, hint: `Did you mean '${meant}'?` })
      }
      return data
    } catch (error) {
      if (error instanceof UnknownKeyword) error.at ??= parts.placeOf(low, error.keyword)
      throw error
    }
  }

  /** Conditions, the function, and `check_cmd`. */
  private perform(): Later<Value> {
    if (this.isConditional()) return this.performChecked()
    const failed = (thrown: unknown): StateRet => this.failed(thrown)
    try {
      const ret = this.execute()
      return ret instanceof Promise ? ret.catch(failed) : ret
    } catch (thrown) {
      return failed(thrown)
    }
  }

  /** Whether the state has more than its function: a condition, a check, another user. */
  private isConditional(): boolean {
    const { low } = this
    if (Checks.isWanted(low) || low.has('check_cmd')) return true
    return low.has('runas') || low.has('runas_password') || low.has('password') || this.memory.has('runas')
  }

  private get memory(): Dict {
    return this.parts.run.functions.ctx.memory
  }

  private async performChecked(): Promise<Value> {
    const { memory, low } = this
    memory.set('runas', low.get('runas') ?? null)
    const password =
      low.get('state') === 'cmd' ? (low.get('password') ?? low.get('runas_password')) : low.get('runas_password')
    memory.set('runas_password', password ?? null)
    try {
      const unmet = Checks.isWanted(low) ? await this.unmetCondition() : undefined
      const ret = unmet ?? (await this.execute())
      if (low.has('check_cmd') && !this.checksItself()) dictUpdate(ret as Dict, await this.parts.checks.checkCmd(low))
      return ret
    } catch (thrown) {
      return this.failed(thrown)
    } finally {
      memory.delete('runas')
      memory.delete('runas_password')
    }
  }

  /** The result of a state that its `onlyif`, `unless` or `creates` keep from running. */
  private async unmetCondition(): Promise<Dict | undefined> {
    const { low } = this
    if (this.parts.run.states.has(`${str(low.get('state')!)}.mod_run_check`)) return undefined
    const ret = resultDict([
      ['result', false],
      ['name', low.get('name')!],
      ['changes', new Map()],
    ])
    dictUpdate(ret, await this.parts.checks.conditions(low))
    return ret.get('result') === false ? undefined : ret
  }

  private checksItself(): boolean {
    const name = `${str(this.low.get('state')!)}.mod_run_check_cmd`
    return this.parts.run.states.has(name) && 'check_cmd' in this.data.declaration.args
  }

  private execute(): Later<Value> {
    const { low, parts, data } = this
    if (parts.run.mocked) return this.mockedResult()
    return after(parts.conditions.refusal(data.full, str(low.get('state')!), low.get('name')!), (unmet) => {
      if (unmet) return unmet
      if (this.isTrial || !truthy(low.get('parallel') ?? false)) return this.invoke()
      return parts.parallel.begin(lowTag(low), this.name, () => this.keptParallel())
    })
  }

  private invoke(): Later<Value> {
    const { low, data } = this
    const { slots, contexts } = this.parts
    const isPlain = !slots.mayBeIn(data.given) && !slots.mayBeIn(data.further)
    if (!isPlain || low.has('provider') || low.has('__umask__')) return this.invokePrepared()
    const ctx = contexts.of(this.chunk, this.env)
    return after(data.declaration.run(ctx, boundArguments(data) as never), toValue)
  }

  /** The same with slots filled, and with the provider and the umask that the state names. */
  private async invokePrepared(): Promise<Value> {
    const { low, data } = this
    const { slots, contexts } = this.parts
    await slots.fill(data.given)
    await slots.fill(data.further)
    const functions = low.has('provider') ? await contexts.providing(low) : undefined
    const ctx = contexts.of(this.chunk, this.env, functions)
    const call = () => data.declaration.run(ctx, boundArguments(data) as never)
    return toValue(await underUmask(low.get('__umask__') ?? null, call))
  }

  /** The argument `env` of the state. */
  private get env(): Value | undefined {
    return this.data.given.get('env') ?? this.data.further.get('env')
  }

  /** Run beside other states, and record the step where steps are kept. */
  private async keptParallel(): Promise<StateRet> {
    const { steps } = this.parts.run
    if (!steps) return this.runParallel()
    const { low } = this
    const tag = lowTag(low)
    const ret = await steps.during(tag, () => this.runParallel())
    const kept = new Map(ret)
    for (const key of ['__sls__', '__id__', 'name']) kept.set(key, ret.get(key) ?? low.get(key) ?? null)
    steps.ended(tag, maskMarked(kept) as Dict)
    return ret
  }

  /** Run in parallel with other states, with separate time and attempts. */
  private async runParallel(): Promise<StateRet> {
    const elapsed = stopwatch()
    const once = async (): Promise<StateRet> => {
      try {
        return asDict(await this.invoke())
      } catch (thrown) {
        return this.failed(thrown)
      }
    }
    const ret = await once()
    const { start_time, duration } = elapsed()
    ret.set('start_time', start_time)
    ret.set('duration', duration)
    ret.set('__parallel__', true)
    return this.low.has('retry') ? this.retry(ret, parallelAttempts, once) : ret
  }

  private failed(thrown: unknown): StateRet {
    const { low, data, parts } = this
    const error = toError(thrown)
    const at = parts.placeOf(low)
    if (error instanceof BrineError && error.hint !== undefined && !truthy(low.get('no_log') ?? false)) {
      parts.reporter.tell('error', { text: `${data.full}: ${error.reason}`, at, hint: error.hint })
    }
    const frames: TraceFrame[] = at ? [{ ...at, in: data.full }] : []
    return resultDict([
      ['result', false],
      ['name', this.name],
      ['changes', new Map()],
      ['comment', `An exception occurred in this state: ${traceback(error, frames)}`],
    ])
  }

  private get name(): Value {
    const { low } = this
    const name = this.data.given.get('name') ?? null
    return truthy(name) ? name : (low.get('name') ?? low.get('__id__') ?? null)
  }

  private mockedResult(): StateRet {
    return resultDict([
      ['name', this.name],
      ['comment', 'Not called, mocked'],
      ['changes', new Map()],
      ['result', true],
    ])
  }
}

function mask(result: Dict, key: string): void {
  const value = result.get(key)
  if (value !== undefined) result.set(key, masked(value))
}
