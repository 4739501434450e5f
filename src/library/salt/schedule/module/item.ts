// Builds a job of the schedule from the arguments of a user, or a refusal.
import { didYouMean, withHint } from '../../../../base/mod.ts'
import {
  type Dict,
  isList,
  keyError,
  OrderedDict,
  str,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { tellsTime } from './when.ts'

/** Arguments of a job that are read, and those of the functions that add it. */
const ARGUMENTS = new Set([
  ...['function', 'job_args', 'job_kwargs', 'return_job', 'metadata', 'maxrunning', 'enabled', 'jid_include', 'splay'],
  ...['name', 'persist', 'offline', 'test', 'where'],
])

export type Given = ReadonlyMap<string, Value>

const INTERVALS = ['seconds', 'minutes', 'hours', 'days']
const TIMES = [...INTERVALS, 'when', 'cron', 'once', 'run_on_start']
const FURTHER =
  'range when once once_fmt cron returner after return_config return_kwargs until run_on_start skip_during_range'.split(
    ' ',
  )

/** Return whether an interval is given together with a time. */
export const hasConflict = (given: Given): boolean =>
  INTERVALS.some((interval) => given.has(interval)) && (given.has('when') || given.has('cron'))

export const BOTH_TIMES = 'Unable to use "when" and "cron" options together.  Ignoring.'
export const hasBothTimes = (given: Given): boolean => given.has('when') && given.has('cron')

/** Add hints about ignored arguments, and about a job without a time. */
export function hintAtIgnored(ctx: FunctionContext, name: string, given: Given): void {
  const known = new Set([...ARGUMENTS, ...INTERVALS, ...FURTHER])
  for (const key of given.keys()) {
    if (known.has(key) || key.startsWith('__')) continue
    ctx.hint({ level: 'warning', text: withHint(`The argument '${key}' is ignored.`, didYouMean(key, known)) })
  }
  if (TIMES.some((key) => given.has(key))) return
  const text = `The job '${name}' never runs: it has none of ${TIMES.join(', ')}.`
  ctx.hint({ level: 'warning', text })
}

const refusal = (comment: string): Dict => new Map<Value, Value>([['comment', comment]]).set('result', false)

/** Return whether an item is a refusal: its `result` is false. */
export const isRefusal = (item: Dict): boolean => item.has('result') && !truthy(item.get('result')!)

export function buildItem(name: string, given: Given): Dict {
  if (!name) return refusal('Job name is required.')
  const fun = given.get('function')
  if (fun === undefined) throw keyError('function')
  if (hasConflict(given)) {
    return refusal('Unable to use "seconds", "minutes", "hours", or "days" with "when" or "cron" options.')
  }
  if (hasBothTimes(given)) return refusal(BOTH_TIMES)
  const item: Dict = new OrderedDict()
  item.set('function', fun)
  const copy = (key: string, as = key): void => {
    if (given.has(key)) item.set(as, given.get(key)!)
  }
  for (const key of [...INTERVALS, 'return_job', 'metadata']) copy(key)
  if (given.has('job_args') && !Array.isArray(given.get('job_args'))) {
    return refusal('job_args is not a list. please correct and try again.')
  }
  copy('job_args', 'args')
  if (given.has('job_kwargs') && !(given.get('job_kwargs') instanceof Map)) {
    return refusal('job_kwargs is not a dict. please correct and try again.')
  }
  copy('job_kwargs', 'kwargs')
  item.set('maxrunning', given.get('maxrunning') ?? 1)
  item.set('name', name)
  item.set('enabled', given.has('enabled') ? given.get('enabled')! : true)
  item.set('jid_include', given.has('jid_include') ? given.get('jid_include')! : true)
  if (given.has('splay')) item.set('splay', splayOf(given.get('splay')!))
  const unreadable = unreadableTime(given)
  if (unreadable !== undefined) return refusal(`Schedule item ${unreadable} for "when" in invalid.`)
  for (const key of FURTHER) copy(key)
  return item
}

/** Return the bounds of a splay in Salt's order. */
function splayOf(splay: Value): Value {
  if (!(splay instanceof Map)) return splay
  const ordered: Dict = new OrderedDict()
  for (const key of ['start', 'end']) {
    const bound = splay.get(key)
    if (bound === undefined) throw keyError(key)
    ordered.set(key, bound)
  }
  return ordered
}

function unreadableTime(given: Given): string | undefined {
  if (!given.has('when')) return undefined
  const when = given.get('when')!
  for (const time of isList(when) ? when : [when]) {
    const text = textOf(time)
    if (text === undefined) throw typeError(`Parser must be a string or character stream, not ${typeName(time)}`)
    if (!tellsTime(text)) return str(time)
  }
  return undefined
}
