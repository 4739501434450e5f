// Settings of git: set to values, or not set.
import {
  type Dict,
  dictFrom,
  equals,
  isFailure,
  PyError,
  quote,
  repr,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import type { ConfigSetOptions, ConfigUnsetOptions } from './arguments.ts'
import { Report, said, unknownKeywords } from './report.ts'

type Place = Omit<ConfigUnsetOptions, 'value_regex'>

/** Return `global` and `all`, and the fault of the call. */
function scopeOf(place: Place, ...known: string[]): { global: Value; all: Value; fault: string | undefined } {
  const rest = new Map([...place.kwargs].filter(([name]) => !known.includes(name)))
  const global = place.kwargs.get('global') ?? false
  const unplaced = !truthy(global) && !place.repo
  const fault = unplaced ? "Non-global config options require the 'repo' argument to be set" : undefined
  return { global, all: place.kwargs.get('all') ?? false, fault: unknownKeywords(rest) ?? fault }
}

const accessOf = ({ repo, user, password, output_encoding }: Place): Record<string, Value> => ({
  cwd: repo,
  user,
  password,
  output_encoding,
})

export async function configSet(ctx: StateContext, options: ConfigSetOptions): Promise<StateReturn> {
  const { name, value, multivar } = options
  const report = new Report(ctx, name)
  if (value !== null && multivar !== null) return report.failed("Only one of 'value' and 'multivar' is permitted")
  const { global, fault } = scopeOf(options, 'global')
  if (fault !== undefined) return report.failed(fault)
  if (value === null && multivar === null) {
    throw new PyError(
      'UnboundLocalError',
      "cannot access local variable 'desired' where it is not associated with a value",
    )
  }
  const wanted = value === null ? textsOf(multivar) : [str(value)]
  const shown = value === null ? repr(wanted) : `'${str(value)}'`
  const key = `${truthy(global) ? 'Global key ' : ''}'${name}'`
  const access = { ...accessOf(options), key: name, global }
  const before = await ctx.call('git.config_get', [], { ...access, all: true, ignore_retcode: true })
  if (equals(wanted, before)) return report.end(true, `${key} is already set to ${shown}`)
  const verb = before === null ? 'added as' : 'set to'
  if (ctx.test) {
    report.changes.set('old', before).set('new', wanted)
    return report.foreseen(`${key} would be ${verb} ${shown}`)
  }
  const failing = `Failed to set ${truthy(global) ? 'global key ' : ''}'${name}' to ${shown}`
  let after: Value
  try {
    const given = value === null ? { multivar: wanted } : { value: str(value) }
    after = await ctx.call('git.config_set', [], { ...access, ...given })
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(`${failing}: ${said(error)}`)
  }
  if (!equals(before, after)) {
    const change: Dict = dictFrom({ old: before, new: after })
    report.changes.set(name, change)
  }
  if (!equals(after, wanted)) return report.failed(failing)
  return report.end(true, `${key} was ${verb} ${shown}`)
}

const textsOf = (values: Value): string[] => (Array.isArray(values) ? values.map(str) : str(values).split(','))

const listing = (matches: Iterable<[Value, Value]>): string =>
  Array.from(matches, ([name, values]) => `${str(name)} (${(values as string[]).join(', ')})`).join('; ')

export async function configUnset(ctx: StateContext, options: ConfigUnsetOptions): Promise<StateReturn> {
  const { name, value_regex } = options
  const report = new Report(ctx, name)
  const { global, all, fault } = scopeOf(options, 'global', 'all')
  if (fault !== undefined) return report.failed(fault)
  const key = `^${name.replace(/^\^+/, '').replace(/\$+$/, '')}$`
  const access = { ...accessOf(options), key, ignore_retcode: true, global }
  const matching = async (regex: string | null): Promise<Dict> =>
    ctx.call('git.config_get_regexp', [], { ...access, value_regex: regex })
  const matches = await matching(value_regex)
  if (matches.size === 0) return report.end(true, 'No matching keys are set')
  const several = [...matches].filter(([, values]) => (values as Value[]).length > 1)
  if (!truthy(all) && several.length > 0) {
    const what =
      value_regex === null
        ? 'Multivar(s) matched by the key expression'
        : 'Multiple values are matched by value_regex for the following keys'
    return report.failed(`${what} (set 'all' to True to force removal): ${listing(several)}`)
  }
  if (ctx.test) {
    for (const [found, values] of matches) report.changes.set(found, values)
    return report.foreseen(`${matches.size} key(s) would have value(s) unset`)
  }
  const before = value_regex === null ? matches : await matching(null)
  const failed: string[] = []
  for (const found of matches.keys()) {
    try {
      await ctx.call('git.config_unset', [], { ...accessOf(options), key: name, value_regex, all, global })
    } catch (error) {
      if (!isFailure(error)) throw error
      ctx.log('error', `Failed to unset ${quote(str(found))}: ${said(error)}`)
      failed.push(str(found))
    }
  }
  if (failed.length > 0) {
    const names = failed.join(', ')
    return report.failed(
      `Error(s) occurred unsetting values for the following keys (see the minion log for details): ${names}`,
    )
  }
  const after = await matching(null)
  for (const [found, values] of before) {
    const left = after.get(found)
    // Salt looks the key up once more after it is gone, which fails
    if (left === undefined) throw new PyError('KeyError', repr(found))
    const gone = (values as Value[]).filter((item) => !(left as Value[]).includes(item))
    if (gone.length > 0) report.changes.set(found, gone)
  }
  const remaining = value_regex === null ? after : await matching(value_regex)
  if (remaining.size > 0) return report.failed(`Failed to unset value(s): ${listing(remaining)}`)
  return report.end(true, 'Value(s) successfully unset')
}
