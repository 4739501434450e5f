// Calls of returners, Brine's and users' own, from a minion or a master. A returner that fails is logged, and the others still
// run.
import { didYouMean, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { contains, type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { returnerTable } from '../loader/mod.ts'
import { type FunctionContext, hintAbout, type JobCache, type ReturnerFunctions } from '../sdk/mod.ts'

type Name = keyof ReturnerFunctions

/** Return the functions of a returner; undefined if it does not exist. */
export async function returnerOf(ctx: FunctionContext, name: string): Promise<ReturnerFunctions | undefined> {
  if (contains(option(ctx.opts, 'disable_returners'), name)) return undefined
  const { functionScope, mayHaveModules, userPlugins } = await import('../pybridge/mod.ts')
  const own = mayHaveModules(ctx.opts, 'returners')
    ? await userPlugins(functionScope(ctx), 'returners', [name], Object.keys(returnerTable))
    : undefined
  const plugin = own?.get(name)
  if (!plugin) return Object.hasOwn(returnerTable, name) ? (await returnerTable[name]!()).default.functions : undefined
  const calls = ['returner', 'event_return', 'save_load', 'get_load', 'get_jid', 'get_fun', 'get_jids', 'get_minions']
  const entries = calls
    .filter((fun) => plugin.has(fun))
    .map((fun) => [fun, (asking: FunctionContext, ...args: Value[]) => plugin.call(functionScope(asking), fun, args)])
  return Object.fromEntries(entries) as ReturnerFunctions
}

/** Return the names of returners in a job: a list, or text with commas. */
export function returnerNames(value: Value | undefined): string[] {
  const words = value === undefined || value === null ? [] : isList(value) ? value.map(str) : str(value).split(',')
  return [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))]
}

/** The outcome of a call of a returner. */
export type ReturnerOutcome = 'ok' | 'missing' | 'error'

/** Hands something to a returner. */
export async function handTo<F extends Name>(
  ctx: FunctionContext,
  name: string,
  fun: F,
  ...args: Parameters<NonNullable<ReturnerFunctions[F]>> extends [unknown, ...infer Rest] ? Rest : never
): Promise<ReturnerOutcome> {
  try {
    const found = (await returnerOf(ctx, name))?.[fun] as ((...all: unknown[]) => unknown) | undefined
    if (found) await found(ctx, ...args)
    else report(ctx, `The returner ${name}.${fun} is not available`, didYouMean(name, Object.keys(returnerTable)))
    return found ? 'ok' : 'missing'
  } catch (error) {
    report(ctx, `The returner ${name}.${fun} failed: ${toError(error).message}`)
    return 'error'
  }
}

/** Log an error, and add it to the hints of the job, which its caller sees. */
function report(ctx: FunctionContext, text: string, hint?: string): void {
  ctx.log('error', text)
  ctx.hint(hintAbout('error', { text, hint }, ctx.opts))
}

/** Pass the return of a minion to returners; `tell` receives the outcome of each. */
export async function handReturn(
  ctx: FunctionContext,
  names: readonly string[],
  ret: Dict,
  tell: (name: string, outcome: ReturnerOutcome) => void = () => undefined,
): Promise<void> {
  const whole: Dict = new Map<Value, Value>([...ret, ['id', option(ctx.opts, 'id')]])
  for (const name of new Set(names)) tell(name, await handTo(ctx, name, 'returner', whole))
}

/** Pass the return of a scheduled job to its returners and to those of the schedule. */
export async function handScheduled(ctx: FunctionContext, job: Dict, ret: Dict): Promise<void> {
  const names = [job.get('returner'), ctx.opts.get('schedule_returner')].flatMap((value) => returnerNames(value))
  if (names.length === 0) return
  for (const [option, name] of [
    ['return_config', 'ret_config'],
    ['return_kwargs', 'ret_kwargs'],
  ] as const) {
    if (job.has(option)) ret.set(name, job.get(option)!)
  }
  await handReturn(ctx, names, ret)
}

/** A returner as a job cache. */
export async function jobCacheOf(ctx: FunctionContext, name: string): Promise<JobCache | undefined> {
  const found = await returnerOf(ctx, name)
  if (!found?.get_jid) return undefined
  const dicts = (values: Iterable<[Value, Value]>): Map<string, Dict> =>
    new Map([...values].flatMap(([key, value]) => (isDict(value) ? [[str(key), value] as const] : [])))
  return {
    job: async (jid) => {
      const load = await found.get_load?.(ctx, jid)
      return load && load.size > 0 ? load : undefined
    },
    returns: async (jid) => dicts(await found.get_jid!(ctx, jid)),
    jobs: async () => dicts((await found.get_jids?.(ctx)) ?? []),
  }
}
