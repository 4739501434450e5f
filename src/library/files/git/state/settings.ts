// Settings of git have values, or are not there.
import { type Dict, equals, PyError, quote, repr, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { isCommandError, Report, said, unknownKeywords } from './report.ts'

interface Place {
  name: string
  repo: Value
  user: Value
  password: Value
  output_encoding: Value
  kwargs: Map<string, Value>
}

interface SetWish extends Place {
  value: Value
  multivar: Value
}

interface UnsetWish extends Place {
  value_regex: Value
}

/** `global` and `all`, and what is wrong with the call. */
function scopeOf(place: Place, ...known: string[]): { global: Value; all: Value; fault: string | undefined } {
  const rest = new Map([...place.kwargs].filter(([name]) => !known.includes(name)))
  const global = place.kwargs.get('global') ?? false
  const unplaced = !truthy(global) && !truthy(place.repo)
  const fault = unplaced ? "Non-global config options require the 'repo' argument to be set" : undefined
  return { global, all: place.kwargs.get('all') ?? false, fault: unknownKeywords(rest) ?? fault }
}

const accessOf = ({ repo, user, password, output_encoding }: Place): Record<string, Value> => ({
  cwd: repo,
  user,
  password,
  output_encoding,
})

export async function configSet(ctx: StateContext, wish: SetWish): Promise<StateReturn> {
  const { name, value, multivar } = wish
  const report = new Report(ctx, name)
  if (value !== null && multivar !== null) return report.failed("Only one of 'value' and 'multivar' is permitted")
  const { global, fault } = scopeOf(wish, 'global')
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
  const access = { ...accessOf(wish), key: name, global }
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
    if (!isCommandError(error)) throw error
    return report.failed(`${failing}: ${said(error)}`)
  }
  if (!equals(before, after)) {
    const change: Dict = new Map<Value, Value>([
      ['old', before],
      ['new', after],
    ])
    report.changes.set(name, change)
  }
  if (!equals(after, wanted)) return report.failed(failing)
  return report.end(true, `${key} was ${verb} ${shown}`)
}

const textsOf = (values: Value): string[] =>
  Array.isArray(values) ? (values as Value[]).map((item) => str(item)) : str(values).split(',')

const listing = (matches: Iterable<[Value, Value]>): string =>
  Array.from(matches, ([name, values]) => `${str(name)} (${(values as string[]).join(', ')})`).join('; ')

export async function configUnset(ctx: StateContext, wish: UnsetWish): Promise<StateReturn> {
  const { name, value_regex } = wish
  const report = new Report(ctx, name)
  const { global, all, fault } = scopeOf(wish, 'global', 'all')
  if (fault !== undefined) return report.failed(fault)
  const key = `^${name.replace(/^\^+/, '').replace(/\$+$/, '')}$`
  const matching = async (regex: Value): Promise<Dict> =>
    (await ctx.call('git.config_get_regexp', [], {
      ...accessOf(wish),
      key,
      value_regex: regex,
      ignore_retcode: true,
      global,
    })) as Dict
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
      await ctx.call('git.config_unset', [], { ...accessOf(wish), key: name, value_regex, all, global })
    } catch (error) {
      if (!isCommandError(error)) throw error
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
