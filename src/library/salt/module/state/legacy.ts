// The old form of module.run: the name of the state is the function, and its other arguments are the function's. Names
// that a state uses itself (name, fun, state, saltenv, names) have the prefix `m_`.
import { toError } from '../../../../base/mod.ts'
import { str, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { type Spec, specOf } from './call.ts'
import { succeeded } from './outcome.ts'

const TAKEN = new Set(['name', 'fun', 'names', 'state', 'saltenv'])

const written = (parameter: string): string => (TAKEN.has(parameter) ? `m_${parameter}` : parameter)

interface Arguments {
  args: Value[]
  kwargs: ReadonlyMap<string, Value>
}

/** Return the arguments of the call, or a text with the problem. */
function argumentsOf(spec: Spec, given: ReadonlyMap<string, Value>): Arguments | string {
  const args: Value[] = []
  const missing: string[] = []
  for (const parameter of spec.args) {
    const fallback = spec.defaults.get(parameter)
    // `names` with a default keeps its default
    const renamed = fallback !== undefined && parameter === 'names' ? undefined : given.get(written(parameter))
    const value = (TAKEN.has(parameter) ? undefined : given.get(parameter)) ?? renamed ?? fallback
    if (value === undefined) missing.push(written(parameter))
    else args.push(value)
  }
  if (missing.length > 0) return `The following arguments are missing: ${missing.join(' ')}`
  const more = spec.rest === undefined ? undefined : given.get(written(spec.rest))
  if (more !== undefined) {
    if (!Array.isArray(more)) return `'${spec.rest}' must be a list.`
    args.push(...more)
  }
  const keywords = spec.open === undefined ? undefined : (given.get('kwargs') ?? given.get(spec.open))
  if (keywords === undefined) return { args, kwargs: new Map() }
  if (!(keywords instanceof Map)) return `'kwargs' must be a dict.`
  return { args, kwargs: keywords as Map<string, Value> }
}

export async function legacyRun(ctx: StateContext, given: ReadonlyMap<string, Value>): Promise<StateReturn> {
  const name = str(given.get('name') ?? null)
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    changes,
    comment,
    result,
  })
  if (!ctx.has(name)) return report(false, `Module function ${name} is not available`)
  if (ctx.test) return report(null, `Module function ${name} is set to execute`)
  const prepared = argumentsOf(await specOf(ctx, name), given)
  if (typeof prepared === 'string') return report(false, prepared)
  let answer: Value
  try {
    answer = await ctx.call(name, prepared.args, prepared.kwargs)
  } catch (error) {
    return report(false, `Module function ${name} threw an exception. Exception: ${toError(error).message}`)
  }
  return report(succeeded(answer), `Module function ${name} executed`, { ret: answer })
}
