// Applies states: the highstate, SLS files, single IDs and functions, and data given with the call.
import { toError } from '../../../../base/mod.ts'
import { type Dict, dictFrom, getItem, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isSshTarget, option, type SlsMatches, type StateRun } from '../../../../sdk/mod.ts'
import { readCache, writeCache } from './cache.ts'
import { disabledTexts } from './disabled.ts'
import { type Further, jobId, needPillar, openRun, pillarErrors, splitInput } from './options.ts'
import { conflictOf } from './queue.ts'
import { failCompilation, isSuccess, PILLAR_FAILURE, setRetcode } from './retcode.ts'

export interface ApplyArgs {
  test: Value
  queue: Value
  state_events: Value
  kwargs: Further
  /** Kinds of custom modules to sync first. */
  sync_mods?: Value
}

const PILLAR_FAILED = 'Pillar failed to render with the following messages:'

function refusePillar(ctx: FunctionContext, errors: readonly Value[]): Value[] {
  ctx.memory.set('retcode', PILLAR_FAILURE)
  return [PILLAR_FAILED, ...errors]
}

function addExclude(high: Dict, exclude: readonly Value[]): void {
  const present = high.get('__exclude__')
  high.set('__exclude__', Array.isArray(present) ? [...present, ...exclude] : [...exclude])
}

export async function applySls(
  ctx: FunctionContext,
  mods: Value,
  exclude: Value,
  { test, queue, state_events, kwargs, sync_mods = null }: ApplyArgs,
): Promise<Value> {
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const disabled = await disabledTexts(ctx, Array.isArray(mods) ? mods : [mods])
  if (disabled.length > 0) return failCompilation(ctx, disabled)
  const jid = jobId(kwargs)
  await syncModules(ctx, sync_mods, kwargs)
  const run = await openRun(ctx, { kwargs, test, stateEvents: state_events, fallsBackToBase: true, jid, mocks: true })
  const errors = pillarErrors(run, kwargs)
  if (errors.length > 0) return refusePillar(ctx, errors)
  const orchestrationJid = kwargs.get('orchestration_jid') ?? null
  const name = str(kwargs.get('cache_name') ?? 'highstate')
  const cached = truthy(kwargs.get('cache') ?? false) ? await readCache(ctx, name) : undefined
  if (cached) return run.callHigh(cached, orchestrationJid)
  const rendered = await run.highstate(new Map([[str(option(run.opts, 'saltenv')), splitInput(mods)]]))
  if (rendered.errors.length > 0) return failCompilation(ctx, rendered.errors)
  if (truthy(exclude)) addExclude(rendered.high, splitInput(exclude))
  const ret = await tersely(ctx, kwargs, await run.callHigh(rendered.high, orchestrationJid))
  setRetcode(ctx, ret, rendered.high)
  await writeCache(ctx, name, rendered.high)
  return ret
}

async function syncModules(ctx: FunctionContext, wanted: Value, kwargs: Further): Promise<void> {
  if (wanted === null) return
  const kinds = wanted === true ? ['all'] : splitInput(wanted).map(str)
  const saltenv = kwargs.get('saltenv') ?? option(ctx.opts, 'saltenv') ?? 'base'
  for (const kind of kinds.includes('all') ? ['all'] : kinds) {
    if (ctx.has(`saltutil.sync_${kind}`)) await ctx.call(`saltutil.sync_${kind}`, [], { saltenv })
    else ctx.log('warning', `Invalid custom module type '${kind}', ignoring`)
  }
}

/** Leave out successful states without changes, if the caller or the configuration wants a terse result. */
async function tersely(ctx: FunctionContext, kwargs: Further, ret: Value): Promise<Value> {
  if (!(ret instanceof Map)) return ret
  const isTerse =
    truthy(kwargs.get('terse') ?? false) || (await ctx.call('config.option', ['state_data', ''])) === 'terse'
  return isTerse ? onlyNotable(ret) : ret
}

function onlyNotable(ret: Dict): Dict {
  const isNotable = (result: Value): boolean =>
    result instanceof Map && (!truthy(result.get('result') ?? null) || truthy(result.get('changes') ?? null))
  return new Map([...ret].filter(([, result]) => isNotable(result)))
}

export async function applyHighstate(ctx: FunctionContext, args: ApplyArgs): Promise<Value> {
  const { test, queue, state_events, kwargs } = args
  if ((await disabledTexts(ctx, ['highstate'])).length > 0) {
    const name = 'Salt highstate run is disabled. To re-enable, run state.enable highstate'
    return dictFrom({ name, result: 'False', comment: 'Disabled' })
  }
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const run = await openRun(ctx, { kwargs, test, stateEvents: state_events, jid: jobId(kwargs), mocks: true })
  return runHighstate(ctx, run, kwargs)
}

/** Apply the highstate of another top file than the configured one. */
export async function applyTop(ctx: FunctionContext, top: string, args: ApplyArgs): Promise<Value> {
  const { test, queue, kwargs } = args
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const run = await openRun(ctx, { kwargs, test })
  run.opts.set('state_top', `salt://${top}`)
  if (kwargs.has('saltenv')) run.opts.set('state_top_saltenv', kwargs.get('saltenv')!)
  return runHighstate(ctx, run, kwargs)
}

async function runHighstate(ctx: FunctionContext, run: StateRun, kwargs: Further): Promise<Value> {
  const errors = pillarErrors(run, kwargs)
  if (errors.length > 0) return refusePillar(ctx, errors)
  const { ret: whole, high } = await callHighstate(ctx, run, kwargs)
  const ret = await tersely(ctx, kwargs, whole)
  setRetcode(ctx, ret, high)
  return ret
}

function nothing(comment: string): Dict {
  const result = dictFrom({ result: false, comment, name: 'No States', changes: new Map(), __run_num__: 0 })
  return new Map([['no_|-states_|-states_|-None', result]])
}

interface Highstate {
  ret: Value
  high?: Dict
}

async function callHighstate(ctx: FunctionContext, run: StateRun, kwargs: Further): Promise<Highstate> {
  const orchestrationJid = kwargs.get('orchestration_jid') ?? null
  const name = str(kwargs.get('cache_name') ?? 'highstate')
  const cached = truthy(kwargs.get('cache') ?? false) ? await readCache(ctx, name) : undefined
  if (cached) return { ret: await run.callHigh(cached, orchestrationJid), high: cached }
  const found = await matchesOf(run)
  if ('ret' in found) return found
  const matches = listedOnly(found.matches, kwargs.get('whitelist') ?? null)
  await run.loadDynamic(matches)
  const { high, errors } = await run.highstate(matches)
  const exclude = kwargs.get('exclude') ?? null
  if (truthy(exclude)) addExclude(high, splitInput(exclude))
  const all = [...found.errors, ...errors]
  if (all.length > 0) return { ret: all, high }
  if (high.size === 0) return { ret: nothing('No states found for this minion') }
  await writeCache(ctx, name, high)
  return { ret: await run.callHigh(high, orchestrationJid), high }
}

async function matchesOf(run: StateRun): Promise<{ matches: SlsMatches; errors: string[] } | { ret: Value }> {
  let top: Dict
  try {
    top = await run.top()
  } catch (thrown) {
    const error = toError(thrown)
    if (error.name === 'SaltRenderError') return { ret: nothing(`Unable to render top file: ${error.message}`) }
    return { ret: [`Traceback (most recent call last):\n${error.name}: ${error.message}\n`] }
  }
  const errors = run.verifyTop(top)
  const matches = await run.topMatches(top)
  if (matches.size > 0) return { matches, errors }
  return { ret: nothing('No Top file or master_tops data matches found. Please see master log for details.') }
}

function listedOnly(matches: SlsMatches, whitelist: Value): SlsMatches {
  if (!truthy(whitelist)) return matches
  const listed = Array.isArray(whitelist) ? whitelist : str(whitelist).split(',')
  const kept = [...matches].map(([env, names]): [string, Value[]] => [
    env,
    names.filter((name) => listed.includes(name)),
  ])
  return new Map(kept.filter(([, names]) => names.length > 0))
}

export async function applyId(ctx: FunctionContext, id: string, mods: Value, args: ApplyArgs): Promise<Value> {
  const { test, queue, state_events, kwargs } = args
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const run = await openRun(ctx, { kwargs, test, stateEvents: state_events, fallsBackToBase: true })
  const failed = pillarErrors(run, kwargs)
  if (failed.length > 0) return refusePillar(ctx, failed)
  const saltenv = str(option(run.opts, 'saltenv'))
  const { high, errors } = await run.highstate(new Map([[saltenv, splitInput(mods)]]))
  errors.push(...run.verifyHigh(high), ...run.requisiteIn(high))
  if (errors.length > 0) return failCompilation(ctx, errors)
  const low = await run.low(high)
  if (low.errors.length > 0) return failCompilation(ctx, low.errors)
  const ret: Dict = new Map()
  for (const chunk of low.chunks) {
    if (chunk.get('__id__') !== id) continue
    for (const [tag, result] of await run.callChunk(chunk, low.chunks)) ret.set(tag, result)
  }
  setRetcode(ctx, ret)
  if (ret.size > 0) return ret
  throw misuse(`No matches for ID '${id}' found in SLS '${str(mods)}' within saltenv '${saltenv}'`)
}

export async function applySingle(ctx: FunctionContext, fun: string, name: Value, args: ApplyArgs): Promise<Value> {
  const { test, queue, kwargs } = args
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const [state, called] = fun.split('.')
  if (called === undefined) return failCompilation(ctx, 'Invalid function passed')
  const low: Dict = new Map<Value, Value>([
    ...[...kwargs].filter(([key]) => !(key === 'pillar' && isSshTarget(ctx.opts))),
    ['state', state!],
    ['fun', called],
    ['__id__', name],
    ['name', name],
  ])
  const run = await openRun(ctx, { kwargs, test })
  const errors = await run.verifyLow(low)
  if (errors.length > 0) return failCompilation(ctx, errors)
  const tag = `${state}_|-${str(name)}_|-${str(name)}_|-${called}`
  const ret: Dict = new Map([[tag, await run.callLow(low)]])
  setRetcode(ctx, ret)
  return ret
}

export async function applyLow(ctx: FunctionContext, data: Value, queue: Value, kwargs: Further): Promise<Value> {
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  if (!(data instanceof Map)) return getItem(data, 'name')
  const run = await openRun(ctx, { kwargs: new Map() })
  const errors = await run.verifyLow(data)
  if (errors.length > 0) return failCompilation(ctx, errors)
  const ret = await run.callLow(data)
  if (!isSuccess(ret)) ctx.memory.set('retcode', 2)
  return ret
}

export async function applyHigh(ctx: FunctionContext, data: Value, args: ApplyArgs): Promise<Value> {
  const { test, queue, kwargs } = args
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const run = await openRun(ctx, { kwargs, test })
  const ret = await run.callHigh(data as Dict)
  setRetcode(ctx, ret, data)
  return ret
}

export async function applyTemplate(ctx: FunctionContext, path: string, args: ApplyArgs): Promise<Value> {
  const { queue, kwargs } = args
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const run = await openRun(ctx, { kwargs, takesPillar: false })
  needPillar(ctx, run, kwargs)
  const file = path.endsWith('.sls') ? path : `${path}.sls`
  const { high, errors } = await run.renderFile(file, str(kwargs.get('saltenv') ?? ''))
  if (errors.length > 0) return failCompilation(ctx, errors)
  const ret = await run.callHigh(high)
  setRetcode(ctx, ret, high)
  return ret
}

export async function applyText(ctx: FunctionContext, text: string, args: ApplyArgs): Promise<Value> {
  const { queue, kwargs } = args
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const run = await openRun(ctx, { kwargs, takesPillar: false })
  const { high, errors } = await run.renderText(text)
  const ret = errors.length > 0 ? errors : truthy(high) ? await run.callHigh(high as Dict) : high
  setRetcode(ctx, ret)
  return ret
}

/** Orchestrate as the runner of the same name does: the results are under the id of the minion. */
export async function orchestrate(
  ctx: FunctionContext,
  mods: Value,
  { exclude, test, saltenv, pillar, pillarenv }: Record<'exclude' | 'test' | 'saltenv' | 'pillar' | 'pillarenv', Value>,
): Promise<Dict> {
  if (pillar !== null && !(pillar instanceof Map)) {
    throw misuse('Pillar data must be formatted as a dictionary')
  }
  const before = ctx.memory.get('retcode') ?? 0
  const kwargs = new Map(Object.entries({ saltenv: saltenv || null, pillar, pillarenv }))
  const running = await applySls(ctx, mods, exclude, { test, queue: null, state_events: null, kwargs })
  // the returned data has the return code, not the job
  ctx.memory.set('retcode', before)
  const data: Dict = new Map([[option(ctx.opts, 'id'), running]])
  return dictFrom({ data, outputter: 'highstate', retcode: isSuccess(data) ? 0 : 1 })
}
