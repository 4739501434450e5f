// Calls runner and wheel functions as steps, one at a time or several at once.
import { type Dict, isDict, isList, numberOf, SaltError, str, type Value } from '../../../../data/mod.ts'
import { display, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import { isDry, orchestrationOf } from './published.ts'

type Family = 'runner' | 'wheel'

const TITLES: Readonly<Record<Family, string>> = { runner: 'Runner', wheel: 'Wheel' }

async function call(
  ctx: StateContext,
  family: Family,
  name: string,
  kwargs: ReadonlyMap<string, Value>,
): Promise<Dict> {
  const all = new Map<string, Value>([...kwargs, ['__orchestration_jid__', orchestrationOf(ctx)], ['__env__', ctx.env]])
  if (family === 'runner') all.set('full_return', true)
  return (await ctx.call(`saltutil.${family}`, [name], all)) as Dict
}

export async function runOne(
  ctx: StateContext,
  family: Family,
  name: string,
  given: ReadonlyMap<string, Value>,
): Promise<StateReturn> {
  const title = `${TITLES[family]} function '${name}'`
  if (isDry(ctx)) return { name, result: null, changes: {}, comment: `${title} would be executed.` }
  const kwargs = new Map(given)
  if (family === 'runner' && ctx.master) kwargs.set('__pub_user', ctx.master.user)
  const out = await call(ctx, family, name, kwargs)
  const value = out.get('return') ?? null
  const isRefused = isDict(value) && value.has('Error')
  const success = !isRefused && out.get('success') !== false
  const comment = `${title} ${success ? 'executed' : 'failed'}.`
  return { name, changes: { return: value }, result: success, comment, __jid__: out.get('jid') ?? null }
}

/** Merge a list of dicts into one dict. */
function repacked(config: Value): Dict {
  const parts = isList(config) ? config.filter(isDict) : isDict(config) ? [config] : []
  return new Map(parts.flatMap((part) => [...part]))
}

function configsOf(runners: Value): Map<string, Dict> | undefined {
  if (typeof runners === 'string') return new Map([[runners, new Map([['name', runners]])]])
  if (!isDict(runners)) return undefined
  return new Map(
    [...runners].map(([id, config]): [string, Dict] => [str(id), new Map([['name', id], ...repacked(config)])]),
  )
}

export async function runSeveral(ctx: StateContext, name: string, runners: Value): Promise<StateReturn> {
  const configs = configsOf(runners)
  const refused = (comment: string): StateReturn => ({ name, result: false, changes: {}, comment })
  if (!configs) return refused('The runners parameter must be a string or dict.')
  if (isDry(ctx)) {
    const comment = `Runner functions ${[...configs.keys()].map((id) => `'${id}'`).join(', ')} would be executed.`
    return { name, result: null, changes: {}, comment }
  }
  const ended = await Promise.allSettled(
    [...configs.values()].map((config) => {
      const kwarg = config.get('kwarg')
      const kwargs = kwarg instanceof Map ? [...kwarg] : []
      const user: Array<[string, Value]> = ctx.master ? [['__pub_user', ctx.master.user]] : []
      const all = new Map([...kwargs.map(([key, value]): [string, Value] => [str(key), value]), ...user])
      return call(ctx, 'runner', str(config.get('name')!), all)
    }),
  )
  const failure = ended.find((end): end is PromiseRejectedResult => end.status === 'rejected')
  if (failure && !(failure.reason instanceof SaltError)) throw failure.reason
  if (failure) {
    const comment = `One of the runners raised an exception: ${failure.reason.message}`
    return { ...refused(comment), success: false }
  }
  const runs = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  return summary(ctx, name, new Map([...configs.keys()].map((id, index) => [id, runs[index]!])))
}

const isOrchestration = (value: Value): value is Dict =>
  isDict(value) && value.get('outputter') === 'highstate' && value.has('data')

function summary(ctx: StateContext, name: string, runs: ReadonlyMap<string, Dict>): StateReturn {
  const returns = new Map([...runs].map(([id, run]): [string, Value] => [id, run.get('return') ?? null]))
  const failed = [...runs].filter(([id, run]) => hasFailed(returns.get(id)!, run)).map(([id]) => id)
  const done = 'All runner functions executed successfully.'
  const result = failed.length === 0
  if ([...returns.values()].every(isOrchestration)) {
    const texts = failed.map((id) => {
      const printed = display('nested', returns.get(id)!, ctx.opts, { terminal: false, log: () => {} })
      return `Runner ${id} failed with return value:\n${printed.replace(/^/gm, '  ')}`
    })
    const changes = new Map<Value, Value>()
    for (const [id, value] of returns) {
      const own = changesIn(isDict(value) ? (value.get('data') ?? null) : null)
      if (!isDict(own) || own.size > 0) changes.set(id, own)
    }
    return { name, result, changes, comment: result ? done : texts.join('\n') }
  }
  const label = failed.length === 1 ? `Runner ${failed[0]} failed.` : `Runners ${failed.join(', ')} failed.`
  return { name, result, changes: { ret: new Map<Value, Value>(returns) }, comment: result ? done : label }
}

function hasFailed(value: Value, run: Dict): boolean {
  if (run.get('success') === false) return true
  return isDict(value) && (numberOf(value.get('exit_code') ?? 0) ?? 0) !== 0
}

/** Return the changes of all nested states. */
function changesIn(value: Value): Value {
  if (!isDict(value)) return new Map()
  const changes = value.get('changes')
  if (changes !== undefined) {
    return isDict(changes) && changes.get('out') === 'highstate' && changes.has('ret') ? changes.get('ret')! : changes
  }
  const found: Dict = new Map()
  for (const [key, inner] of value) {
    const own = changesIn(inner)
    if (!isDict(own) || own.size > 0) found.set(key, own)
  }
  return found
}
