// Calls the function of one low chunk, and reports what came of it. A failure becomes a failed result; only arguments
// that no function takes end the whole run, as in Salt.
import { after, BrineError, type Later, type Log, namedLog, type Position, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, dictUpdate, equals, float, numberOf, str, strip, truthy, type Value } from '../../data/mod.ts'
import { readOnlyHost } from '../../host/mod.ts'
import { loggerName, type Registry } from '../../loader/mod.ts'
import { bind, type Keywords, type StateContext, type StepMemory, toValue } from '../../sdk/mod.ts'
import { lowTag, required } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'
import type { Reporter } from '../report/reporter.ts'
import { type Frame, traceback } from '../report/traceback.ts'
import { CallContext } from './call-context.ts'
import { boundArguments, type CallData, callData, slips, UnknownKeyword } from './call-data.ts'
import { Checks } from './checks.ts'
import { stopwatch } from './clock.ts'
import { GlobalConditions } from './global-conditions.ts'
import { describeResult, logChunk, logEnd } from './log-result.ts'
import { masked } from './mask.ts'
import type { ParallelStates } from './parallel.ts'
import { Refresher } from './refresh.ts'
import { pauseOf, readRetry, retryPreview } from './retry.ts'
import { Slots } from './slots.ts'
import { dictOf, type RunSurroundings, type StateRet } from './surroundings.ts'
import { underUmask } from './umask.ts'
import { unify } from './unify.ts'
import { nearState, verifyData } from './verify-data.ts'

export interface CallerParts {
  nextNumber(): number
  instanceId: string
  parallel: ParallelStates
  reporter: Reporter
  /** Where a state was written, or one of its arguments. */
  placeOf(low: LowChunk, argument?: string): Position | undefined
}

export class StateCaller {
  private readonly run: RunSurroundings
  private readonly parts: CallerParts
  private readonly checks: Checks
  private readonly slots: Slots
  private readonly conditions: GlobalConditions
  private readonly refresher: Refresher
  private readonly logs = new Map<string, Log>()
  /** Functions that cannot change anything, made when the first state is tried. */
  private dry: Registry | undefined

  constructor(run: RunSurroundings, parts: CallerParts) {
    this.run = run
    this.parts = parts
    const { functions, grains, log } = run
    this.checks = new Checks(functions, functions.ctx.host, grains, log)
    this.slots = new Slots(functions, log)
    this.conditions = new GlobalConditions(functions)
    this.refresher = new Refresher(run)
  }

  get isTest(): boolean {
    return option(this.run.opts, 'test')
  }

  call(low: LowChunk, chunks: readonly LowChunk[], running: Dict, attempt = 1): Later<StateRet> {
    const { steps } = this.run
    if (steps && attempt === 1 && !truthy(low.get('__prereq__') ?? false)) {
      return this.callStep(low, chunks, running, steps)
    }
    return after(this.callOnce(low, chunks, running, attempt), unify)
  }

  private async callStep(
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: Dict,
    steps: StepMemory,
  ): Promise<StateRet> {
    const tag = lowTag(low)
    const known = steps.recall(tag)
    if (known) return known.set('__run_num__', this.parts.nextNumber())
    const place = this.parts.placeOf(low)
    steps.begun(tag, place && `${place.file}:${place.line}`)
    const ret = unify(await steps.during(tag, async () => this.callOnce(low, chunks, running, 1)))
    // one that runs beside others ends later
    if (!this.parts.parallel.has(tag)) steps.ended(tag, ret)
    return ret
  }

  private callOnce(low: LowChunk, chunks: readonly LowChunk[], running: Dict, attempt: number): Later<Value> {
    const elapsed = stopwatch()
    return after(verifyData(low, this.run.states), (errors) => {
      if (errors.length > 0) return this.refused(low, errors)
      const isTrial = truthy(low.get('__prereq__') ?? false)
      const full = `${str(low.get('state')!)}.${str(low.get('fun')!)}`
      const data = this.dataOf(full, low)
      logChunk(this.run.log, full, low)
      return after(this.perform(data, low, chunks, running), (result) => {
        logEnd(this.run.log, full, low, elapsed)
        if (!(result instanceof Map)) return result
        if (!isTrial) return this.completed(result, low, chunks, running, { elapsed, attempt })
        low.set('__prereq__', false)
        return result
      })
    })
  }

  /** A result with what the engine knows about it; the state is called again where it is to be. */
  private completed(
    result: Dict,
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: Dict,
    { elapsed, attempt }: { elapsed: ReturnType<typeof stopwatch>; attempt: number },
  ): Later<Value> {
    result.set('__sls__', low.get('__sls__') ?? null)
    result.set('__run_num__', this.parts.nextNumber())
    if (truthy(low.get('no_log') ?? false)) for (const key of ['comment', 'changes']) mask(result, key)
    this.logResult(result, low)
    return after(this.refresher.after(low, result), () => {
      const { start_time, duration } = elapsed()
      result.set('start_time', start_time)
      result.set('duration', duration)
      result.set('__id__', required(low, '__id__'))
      return low.has('retry') && !low.has('parallel') ? this.retried(result, low, chunks, running, attempt) : result
    })
  }

  private logResult(result: Dict, low: LowChunk): void {
    const text = describeResult(result)
    if (result.get('result') === false) this.parts.reporter.log('error', { text, at: this.parts.placeOf(low) })
    else this.run.log('info', text)
  }

  private async refused(low: LowChunk, errors: readonly string[]): Promise<StateRet> {
    const ret = dictOf([
      ['result', false],
      ['name', low.get('name') ?? null],
      ['changes', new Map()],
      ['comment', errors.map((error) => `${error}\n`).join('')],
      ['__run_num__', this.parts.nextNumber()],
    ])
    const [brief] = errors
    const text = describeResult(ret)
    this.parts.reporter.tell('error', {
      text,
      brief,
      at: this.parts.placeOf(low),
      hint: nearState(low, this.run.states),
    })
    await this.refresher.after(low, ret)
    return ret
  }

  private dataOf(full: string, low: LowChunk): CallData {
    try {
      const data = callData(full, this.run.states.get(full)!, low)
      for (const [written, meant] of slips(data)) {
        const text = `${full} has no option '${written}'; ignored`
        const at = this.parts.placeOf(low, written)
        this.parts.reporter.tell('warning', { text, at, hint: `Did you mean '${meant}'?` })
      }
      return data
    } catch (error) {
      if (error instanceof UnknownKeyword) error.at ??= this.parts.placeOf(low, error.keyword)
      throw error
    }
  }

  /** Conditions, the function, and `check_cmd`. */
  private perform(data: CallData, low: LowChunk, chunks: readonly LowChunk[], running: Dict): Later<Value> {
    if (this.isConditional(low)) return this.performChecked(data, low, chunks, running)
    const failed = (thrown: unknown): StateRet => this.failed(thrown, data, low)
    try {
      const ret = this.execute(data, low, chunks, running)
      return ret instanceof Promise ? ret.catch(failed) : ret
    } catch (thrown) {
      return failed(thrown)
    }
  }

  /** Whether there is more to a state than its function: a condition, a check, another user. */
  private isConditional(low: LowChunk): boolean {
    if (Checks.isWanted(low) || low.has('check_cmd')) return true
    return low.has('runas') || low.has('runas_password') || low.has('password') || this.memory.has('runas')
  }

  private get memory(): Dict {
    return this.run.functions.ctx.memory
  }

  private async performChecked(
    data: CallData,
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: Dict,
  ): Promise<Value> {
    const { memory } = this
    memory.set('runas', low.get('runas') ?? null)
    const password =
      low.get('state') === 'cmd' ? (low.get('password') ?? low.get('runas_password')) : low.get('runas_password')
    memory.set('runas_password', password ?? null)
    try {
      const unmet = Checks.isWanted(low) ? await this.unmetCondition(low) : undefined
      const ret = unmet ?? (await this.execute(data, low, chunks, running))
      if (low.has('check_cmd') && !this.checksItself(data, low)) {
        dictUpdate(ret as Dict, await this.checks.checkCmd(low))
      }
      return ret
    } catch (thrown) {
      return this.failed(thrown, data, low)
    } finally {
      memory.delete('runas')
      memory.delete('runas_password')
    }
  }

  /** What stands for the result of a state whose `onlyif`, `unless` or `creates` speak against it. */
  private async unmetCondition(low: LowChunk): Promise<Dict | undefined> {
    if (this.run.states.has(`${str(low.get('state')!)}.mod_run_check`)) return undefined
    const ret = dictOf([
      ['result', false],
      ['name', low.get('name')!],
      ['changes', new Map()],
    ])
    dictUpdate(ret, await this.checks.conditions(low))
    return ret.get('result') === false ? undefined : ret
  }

  private checksItself({ declaration }: CallData, low: LowChunk): boolean {
    return this.run.states.has(`${str(low.get('state')!)}.mod_run_check_cmd`) && 'check_cmd' in declaration.args
  }

  private execute(data: CallData, low: LowChunk, chunks: readonly LowChunk[], running: Dict): Later<Value> {
    if (this.run.mocked) return mockedResult(data, low)
    return after(this.conditions.refusal(data.full, str(low.get('state')!), low.get('name')!), (unmet) => {
      if (unmet) return unmet
      const isTrial = truthy(low.get('__prereq__') ?? false)
      if (isTrial || !truthy(low.get('parallel') ?? false)) return this.invoke(data, low, chunks, running)
      return this.parts.parallel.begin(lowTag(low), nameOf(data, low), () =>
        this.keptParallel(low, () => this.runParallel(data, low, chunks, running)),
      )
    })
  }

  private invoke(data: CallData, low: LowChunk, chunks: readonly LowChunk[], running: Dict): Later<Value> {
    const { slots } = this
    const isPlain = !slots.mayBeIn(data.given) && !slots.mayBeIn(data.further)
    if (!isPlain || low.has('provider') || low.has('__umask__')) return this.invokePrepared(data, low, chunks, running)
    const ctx = this.contextFor(low, chunks, running, data)
    return after(data.declaration.run(ctx, boundArguments(data) as never), toValue)
  }

  /** The same with slots filled, and with the provider and the umask that the state names. */
  private async invokePrepared(
    data: CallData,
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: Dict,
  ): Promise<Value> {
    await this.slots.fill(data.given)
    await this.slots.fill(data.further)
    const functions = low.has('provider') ? await this.providing(low) : undefined
    const ctx = this.contextFor(low, chunks, running, data, functions)
    const call = () => data.declaration.run(ctx, boundArguments(data) as never)
    return toValue(await underUmask(low.get('__umask__') ?? null, call))
  }

  /** The same, noted as a step where steps are kept. */
  private async keptParallel(low: LowChunk, run: () => Promise<StateRet>): Promise<StateRet> {
    const { steps } = this.run
    if (!steps) return run()
    const tag = lowTag(low)
    const ret = await steps.during(tag, run)
    const kept = new Map(ret)
    for (const key of ['__sls__', '__id__', 'name']) kept.set(key, ret.get(key) ?? low.get(key) ?? null)
    steps.ended(tag, kept)
    return ret
  }

  /** A state beside others: its own time, its own attempts. */
  private async runParallel(
    data: CallData,
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: Dict,
  ): Promise<StateRet> {
    const elapsed = stopwatch()
    const once = async (): Promise<Value> => {
      try {
        return await this.invoke(data, low, chunks, running)
      } catch (thrown) {
        return this.failed(thrown, data, low)
      }
    }
    let ret = asDict(await once())
    const { start_time, duration } = elapsed()
    ret.set('start_time', start_time)
    ret.set('duration', duration)
    ret.set('__parallel__', true)
    if (!low.has('retry')) return ret
    const retry = readRetry(low.get('retry')!, this.run.log)
    if (this.isTest) {
      ret.set('comment', `${shownComment(ret)}  ${retryPreview(retry)}`)
      return ret
    }
    for (let attempt = 1; attempt <= retry.attempts && !equals(retry.until, ret.get('result') ?? null); attempt++) {
      const pause = pauseOf(retry)
      await this.sleep(pause)
      const next = asDict(await once())
      const comment = shownComment(next)
      const line = comment === '' ? '' : attemptLine(attempt, next, comment)
      next.set('comment', `${str(ret.get('comment') ?? '')}\n${line}`)
      next.set('duration', sum(ret.get('duration'), pause * 1000))
      if (attempt === 1) next.set('start_time', start_time)
      ret = next
    }
    return ret
  }

  private async retried(
    ret: StateRet,
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: Dict,
    attempt: number,
  ): Promise<StateRet> {
    const retry = readRetry(low.get('retry')!, this.run.log)
    if (this.isTest) {
      ret.set('comment', `${shownComment(ret)}  ${retryPreview(retry)}`)
      return ret
    }
    if (equals(retry.until, ret.get('result') ?? null) || retry.attempts <= attempt) return ret
    const pause = pauseOf(retry)
    this.run.log('info', `State result does not match retry until value, state will be re-run in ${pause} seconds`)
    await this.sleep(pause)
    const next = await this.call(low, chunks, running, attempt + 1)
    const line = attemptLine(attempt, ret, str(ret.get('comment') ?? null))
    next.set('comment', `${line}\n${shownComment(next)}`)
    next.set('duration', sum(next.get('duration'), (numberOf(ret.get('duration') ?? 0) ?? 0) + pause * 1000))
    if (attempt === 1) next.set('start_time', ret.get('start_time')!)
    return next
  }

  private async sleep(seconds: number): Promise<void> {
    await this.run.functions.call('test.sleep', [seconds])
  }

  private failed(thrown: unknown, data: CallData, low: LowChunk): StateRet {
    const error = toError(thrown)
    const at = this.parts.placeOf(low)
    if (error instanceof BrineError && error.hint !== undefined && !truthy(low.get('no_log') ?? false)) {
      this.parts.reporter.tell('error', { text: `${data.full}: ${error.reason}`, at, hint: error.hint })
    }
    const frames: Frame[] = at ? [{ ...at, in: data.full }] : []
    return dictOf([
      ['result', false],
      ['name', nameOf(data, low)],
      ['changes', new Map()],
      ['comment', `An exception occurred in this state: ${traceback(error, frames)}`],
    ])
  }

  /** Whether a state must change nothing: in a dry run, and when only its changes are asked for. */
  private isDry(low: LowChunk): boolean {
    return truthy(low.get('__prereq__') ?? false) || this.isTest
  }

  private functionsFor(low: LowChunk): Registry {
    return this.isDry(low) ? this.dryFunctions() : this.run.functions
  }

  /** The functions that a state with the option `provider` works with. */
  private async providing(low: LowChunk): Promise<Registry | undefined> {
    const providers = providersOf(low)
    return providers.size > 0 ? this.functionsFor(low).providing(providers) : undefined
  }

  private contextFor(
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: Dict,
    data?: CallData,
    functions = this.functionsFor(low),
  ): StateContext {
    const test = this.isDry(low)
    return new CallContext(functions.ctx, {
      log: this.logOf(str(low.get('state')!)),
      test,
      low,
      running,
      lowstate: chunks,
      env: this.environmentOf(low, data),
      instanceId: this.parts.instanceId,
      hasState: this.hasState,
      callState: this.callState,
    })
  }

  /** The log under the name of a state module. */
  private logOf(module: string): Log {
    const known = this.logs.get(module)
    if (known) return known
    const log = namedLog(this.run.functions.ctx.log, loggerName('states', module))
    this.logs.set(module, log)
    return log
  }

  private readonly hasState = (name: string): boolean => this.run.states.has(name)

  private readonly callState = (ctx: StateContext, name: string, kwargs: Keywords): Promise<Dict> =>
    this.callOther(ctx, name, kwargs)

  /** Caches may be written in a dry run; they are no part of what states are about. */
  private dryFunctions(): Registry {
    if (this.dry) return this.dry
    const cachedir = strip(option(this.run.opts, 'cachedir'))
    const { functions } = this.run
    const host = readOnlyHost(functions.ctx.host, (path) => cachedir !== '' && path.startsWith(`${cachedir}/`))
    const opts: Dict = new Map([...functions.ctx.opts, ['test', true]])
    this.dry = functions.with({ host, opts })
    return this.dry
  }

  private environmentOf(low: LowChunk, data?: CallData): string {
    const isLocked = option(this.run.opts, 'lock_saltenv')
    const env = data?.given.get('env') ?? data?.further.get('env')
    if (!isLocked && low.has('saltenv')) return str(low.get('saltenv')!)
    if (!isLocked && typeof env === 'string') return env
    return str(low.get('__env__') ?? 'base')
  }

  private async callOther(ctx: StateContext, name: string, kwargs: Keywords): Promise<Dict> {
    const module = name.slice(0, name.indexOf('.'))
    await this.run.states.load(module)
    const declaration = this.run.states.get(name)
    if (!declaration) throw new Error(this.run.states.missing(name))
    const keywords = kwargs instanceof Map ? kwargs : new Map(Object.entries(kwargs))
    const bound = bind(declaration, name.slice(module.length + 1), [], keywords)
    return asDict(toValue(await declaration.run(ctx, bound as never)))
  }

  /** The context of a call, for hooks of a module. */
  hookContext(low: LowChunk, chunks: readonly LowChunk[], running: Dict): StateContext {
    return this.contextFor(low, chunks, running)
  }
}

function mask(result: Dict, key: string): void {
  const value = result.get(key)
  if (value !== undefined) result.set(key, masked(value))
}

const asDict = (value: Value): Dict => (value instanceof Map ? value : unify(value))

const shownComment = (ret: Dict): string => {
  const comment = ret.get('comment') ?? ''
  return truthy(comment) ? str(comment) : ''
}

const attemptLine = (attempt: number, ret: Dict, comment: string): string =>
  `Attempt ${attempt}: Returned a result of "${str(ret.get('result') ?? null)}", with the following comment: "${comment}"`

const sum = (duration: Value | undefined, more: number): Value =>
  float(Math.round(((numberOf(duration ?? 0) ?? 0) + more) * 1000) / 1000)

function nameOf({ given }: CallData, low: LowChunk): Value {
  const name = given.get('name') ?? null
  return truthy(name) ? name : (low.get('name') ?? low.get('__id__') ?? null)
}

function mockedResult(data: CallData, low: LowChunk): StateRet {
  return dictOf([
    ['name', nameOf(data, low)],
    ['comment', 'Not called, mocked'],
    ['changes', new Map()],
    ['result', true],
  ])
}

/** By virtual name: one for the state's own module, or a list of dicts. */
function providersOf(low: LowChunk): Map<string, string> {
  const given = low.get('provider') ?? null
  if (!truthy(given)) return new Map()
  const dicts = Array.isArray(given) ? given : [new Map([[low.get('state')!, given]])]
  const pairs = dicts.flatMap((dict) => (dict instanceof Map ? [...dict] : []))
  return new Map(pairs.map(([module, name]) => [str(module), str(name)]))
}
