// Shows the effect of a run without running it: top data, high data, low chunks and their graph.
import { type Dict, misuse, PyError, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isSshTarget, option, type StateRun } from '../../../../sdk/mod.ts'
import { type Further, needPillar, openRun, type RunChoice, splitInput } from './options.ts'
import { conflictOf } from './queue.ts'
import { failCompilation, setRetcode } from './retcode.ts'

export interface ShowArgs {
  test?: Value
  queue: Value
  kwargs: Further
}

/** Open a run that is only read, or return the texts of conflicting runs. */
async function openForReading(
  ctx: FunctionContext,
  { test, queue, kwargs }: ShowArgs,
  choice: Pick<RunChoice, 'fallsBackToBase' | 'takesPillar'> = {},
): Promise<StateRun | string[]> {
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const run = await openRun(ctx, { kwargs, ...(test !== undefined && { test }), ...choice })
  needPillar(ctx, run, kwargs)
  return run
}

const OF_SLS = { fallsBackToBase: true }

const slsMatches = (run: StateRun, mods: Value) => new Map([[str(option(run.opts, 'saltenv')), splitInput(mods)]])

export async function showTop(ctx: FunctionContext, args: ShowArgs): Promise<Value> {
  const run = await openForReading(ctx, args, { takesPillar: false })
  if (Array.isArray(run)) return run
  const top = await run.top()
  const errors = run.verifyTop(top)
  if (errors.length > 0) return failCompilation(ctx, errors)
  return new Map<Value, Value>(await run.topMatches(top))
}

async function highOfTop(run: StateRun): Promise<Value> {
  const top = await run.top()
  const errors = run.verifyTop(top)
  const rendered = await run.highstate(await run.topMatches(top))
  errors.push(...rendered.errors)
  return errors.length > 0 ? errors : rendered.high
}

export async function showHighstate(ctx: FunctionContext, args: ShowArgs): Promise<Value> {
  const run = await openForReading(ctx, args)
  if (Array.isArray(run)) return run
  const high = await highOfTop(run)
  setRetcode(ctx, high)
  return high
}

export async function graphHighstate(ctx: FunctionContext, args: ShowArgs): Promise<Value> {
  const run = await openForReading(ctx, args)
  if (Array.isArray(run)) return run
  const high = await highOfTop(run)
  if (!(high instanceof Map)) return high
  await run.low(high)
  return run.graph()
}

export async function showLowstate(ctx: FunctionContext, args: ShowArgs): Promise<Value[]> {
  const run = await openForReading(ctx, args, { takesPillar: false })
  if (Array.isArray(run)) return run
  const { high, errors } = await run.highstate(await run.topMatches(await run.top()))
  errors.push(...run.reconcileExtend(high), ...run.verifyHigh(high), ...run.requisiteIn(high))
  run.exclude(high)
  if (errors.length > 0) return errors
  const low = await run.low(high)
  return low.errors.length > 0 ? low.errors : low.chunks
}

/** Return the SLS files that the chunks of the highstate come from. */
export async function showStates(ctx: FunctionContext, args: ShowArgs): Promise<Value> {
  const chunks = await showLowstate(ctx, args)
  const names = new Set<Value>()
  for (const chunk of chunks) {
    if (!(chunk instanceof Map)) {
      setRetcode(ctx, chunks)
      return chunks
    }
    names.add(chunk.get('__sls__') ?? null)
  }
  return [...names]
}

export async function showUsage(ctx: FunctionContext, { queue, kwargs }: ShowArgs): Promise<Value> {
  const conflict = await conflictOf(ctx, queue, kwargs)
  if (conflict) return conflict
  const run = await openRun(ctx, { kwargs, takesOptions: false })
  const top = await run.top()
  const errors = run.verifyTop(top)
  const usage = new Map<Value, Value>()
  if (errors.length === 0) {
    const matches = await run.topMatches(top)
    for (const saltenv of await run.environments()) {
      const names = await run.slsNames(saltenv)
      const isUsed = (name: string): boolean => matches.get(saltenv)?.includes(name) ?? false
      const used = names.filter(isUsed)
      const unused = names.filter((name) => !isUsed(name))
      const counts: Array<[Value, Value]> = [
        ['used', used],
        ['unused', unused],
        ['count_all', names.length],
        ['count_used', used.length],
        ['count_unused', unused.length],
      ]
      usage.set(saltenv, new Map(counts))
    }
  }
  const ret = errors.length > 0 ? errors : usage
  setRetcode(ctx, ret)
  return ret
}

/** The errors of high data. Salt checks more of it for targets without minions than on a minion. */
function verified(ctx: FunctionContext, run: StateRun, high: Dict): string[] {
  if (!isSshTarget(ctx.opts)) return run.verifyHigh(high)
  const errors = [...run.reconcileExtend(high), ...run.verifyHigh(high)]
  if (errors.length > 0) return errors
  errors.push(...run.requisiteIn(high))
  run.exclude(high)
  return errors
}

export async function showSls(ctx: FunctionContext, mods: Value, args: ShowArgs): Promise<Value> {
  const run = await openForReading(ctx, args, OF_SLS)
  if (Array.isArray(run)) return run
  const { high, errors } = await run.highstate(slsMatches(run, mods))
  errors.push(...verified(ctx, run, high))
  return errors.length > 0 ? failCompilation(ctx, errors) : high
}

export async function showLowSls(ctx: FunctionContext, mods: Value, args: ShowArgs): Promise<Value[]> {
  const run = await openForReading(ctx, args, OF_SLS)
  if (Array.isArray(run)) return run
  const { high, errors } = await run.highstate(slsMatches(run, mods))
  errors.push(...verified(ctx, run, high))
  if (errors.length > 0) return failCompilation(ctx, errors)
  const low = await run.low(high)
  return low.errors.length > 0 ? failCompilation(ctx, low.errors) : low.chunks
}

export async function graphSls(ctx: FunctionContext, mods: Value, args: ShowArgs): Promise<Value> {
  const high = await showSls(ctx, mods, args)
  if (!(high instanceof Map)) return high
  const run = await openRun(ctx, { kwargs: args.kwargs })
  await run.low(high)
  return run.graph()
}

export async function idExists(
  ctx: FunctionContext,
  ids: readonly string[],
  mods: Value,
  args: ShowArgs,
): Promise<boolean> {
  const known = new Set<Value>()
  for (const chunk of await showLowSls(ctx, mods, args)) {
    if (!(chunk instanceof Map)) throw new PyError('TypeError', "string indices must be integers, not 'str'")
    known.add(chunk.get('__id__') ?? null)
  }
  return ids.every((id) => known.has(id.trim()))
}

/** Do a dry run, and explain why the states of an ID would run or not. */
export async function explainId(ctx: FunctionContext, id: string, mods: Value, args: ShowArgs): Promise<Value[]> {
  const run = await openForReading(ctx, { ...args, test: true }, { fallsBackToBase: mods !== null })
  if (Array.isArray(run)) return run
  const matches = mods === null ? await run.topMatches(await run.top()) : slsMatches(run, mods)
  const { high, errors } = await run.highstate(matches)
  if (errors.length > 0) return failCompilation(ctx, errors)
  const running = await run.callHigh(high)
  if (!(running instanceof Map)) return failCompilation(ctx, running)
  const explanations = run.explain(id, running)
  if (explanations.length === 0) throw misuse(`No state of the run has the ID '${id}'`)
  return explanations
}
