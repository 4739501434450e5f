// Finds ignored parts of a scheduled job: unknown keys, and a missing time.
import { didYouMean, shownText } from '../base/mod.ts'
import { type Dict, str } from '../data/mod.ts'

const TIMES = ['seconds', 'minutes', 'hours', 'days', 'when', 'cron', 'once']
/** Further keys that give a job a run. */
const RUNS = ['run_explicit', 'run_on_start']
const KEYS = new Set([
  ...[...TIMES, ...RUNS, 'once_fmt', 'until', 'after', 'range', 'splay', 'enabled', 'dry_run', 'run', 'name'],
  ...['skip_explicit', 'skip_during_range', 'run_after_skip_range', 'run_missed', 'maxrunning', 'jid_include'],
  ...['function', 'func', 'fun', 'args', 'kwargs', 'metadata'],
  ...['returner', 'return_config', 'return_kwargs', 'return_job'],
])

/** Return a warning about a job with ignored keys or without a time; undefined for any other job. */
export function ignoredIn(name: string, job: Dict): string | undefined {
  const unknown = [...job.keys()].map((key) => str(key)).filter((key) => !KEYS.has(key) && !key.startsWith('_'))
  const isTimed = [...TIMES, ...RUNS].some((key) => job.has(key))
  if (isTimed && unknown.length === 0) return undefined
  const hints = unknown.map((key) => ` Unknown key '${shownText(key)}'. ${didYouMean(key, KEYS) ?? ''}`.trimEnd())
  const problem = isTimed ? 'has keys that are ignored.' : `never runs: it has none of ${TIMES.join(', ')}.`
  return `Scheduled job "${shownText(name)}" ${problem}${hints.join('')}`
}
