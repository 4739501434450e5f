// Returners: destinations of returns, jobs and events besides the master's own store. They run on minions and on
// masters, with the context of functions. A returner that can also be queried is a job cache.
import type { Dict, Value } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'

type Answer<T> = T | Promise<T>

export interface ReturnerFunctions {
  /** Store the return of one minion. */
  returner?(ctx: FunctionContext, ret: Dict): Answer<unknown>
  /** Takes events of the master's bus, each with `tag` and `data`. */
  event_return?(ctx: FunctionContext, events: readonly Dict[]): Answer<unknown>
  /** Store the load of a job before it is published. */
  save_load?(ctx: FunctionContext, jid: string, load: Dict, minions: readonly string[]): Answer<unknown>
  get_load?(ctx: FunctionContext, jid: string): Answer<Dict>
  /** Return the returns of a job by minion id. */
  get_jid?(ctx: FunctionContext, jid: string): Answer<Dict>
  /** The last return of each minion for a function. */
  get_fun?(ctx: FunctionContext, fun: string): Answer<Dict>
  /** The loads of all jobs by number. */
  get_jids?(ctx: FunctionContext): Answer<Map<string, Dict>>
  get_minions?(ctx: FunctionContext): Answer<Value[]>
}

export interface ReturnerModule {
  readonly name: string
  readonly doc: string
  readonly virtual?: string
  readonly functions: ReturnerFunctions
}

export function defineReturner(declaration: ReturnerModule): ReturnerModule {
  return declaration
}

/**
 * Return the options of a returner: `redis.host` and the like from the minion, its pillar or the master, from the
 * alternative set that the job names (`ret_config`), overridden by options in the job (`ret_kwargs`).
 */
export async function returnerOptions<Name extends string>(
  ctx: FunctionContext,
  returner: string,
  defaults: Readonly<Record<Name, Value>>,
  ret?: Dict,
): Promise<Record<Name, Value>> {
  const own = ret?.get('ret_kwargs')
  const config = ret?.get('ret_config')
  const found = {} as Record<Name, Value>
  for (const [name, fallback] of Object.entries(defaults) as Array<[Name, Value]>) {
    const given = own instanceof Map ? own.get(name) : undefined
    found[name] = given ?? (await configured(ctx, returner, config ?? null, name)) ?? fallback
  }
  return found
}

/**
 * Return an option from a mapping under the returner's name or from a separate option; the alternative set precedes the
 * usual one.
 */
async function configured(ctx: FunctionContext, returner: string, config: Value, name: string) {
  const isNamed = config !== null && config !== ''
  for (const place of [...(isNamed ? [`${String(config)}.${returner}`] : []), returner]) {
    const whole = await ctx.call('config.option', [place])
    const value = (whole instanceof Map ? whole.get(name) : undefined) ?? (await firstOf(ctx, [`${place}.${name}`]))
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

async function firstOf(ctx: FunctionContext, names: readonly string[]): Promise<Value | undefined> {
  for (const name of names) {
    const value = await ctx.call('config.option', [name])
    if (value !== null && value !== '') return value
  }
  return undefined
}
