// One state run at a time: a second run waits in a queue, or is refused with the names of the running functions.
import { isInt, numberOf, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Further, jobId } from './options.ts'
import { COMPILER_ERROR } from './retcode.ts'

const WAIT_MS = 200

/** Return the other state runs of this minion, as `saltutil.is_running` reports them. */
async function activeRuns(ctx: FunctionContext): Promise<Map<Value, Value>[]> {
  if (!ctx.has('saltutil.is_running')) return []
  const active = await ctx.call('saltutil.is_running', ['state.*'])
  return Array.isArray(active) ? active.filter((job): job is Map<Value, Value> => job instanceof Map) : []
}

/** Return one sentence for each run in progress. */
export async function runningTexts(ctx: FunctionContext, concurrent: boolean): Promise<string[]> {
  if (concurrent) return []
  const own = ctx.opts.get('jid') ?? null
  const texts: string[] = []
  for (const job of await activeRuns(ctx)) {
    const part = (key: string): string => str(job.get(key) ?? null)
    if (own !== null && part('jid') === str(own)) continue
    texts.push(
      `The function "${part('fun')}" is running as PID ${part('pid')} and was started at ${jobTime(part('jid'))} with jid ${part('jid')}`,
    )
  }
  return texts
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Return the time that a job id encodes. */
function jobTime(jid: string): string {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})/.exec(jid)
  if (!parts) return ''
  const [, year, month, day, hour, minute, second, micros] = parts
  return `${year}, ${MONTHS[Number(month) - 1]} ${day} ${hour}:${minute}:${second}.${micros}`
}

/** Return the texts of conflicting runs, or undefined if this run may start. A number as `queue` is the greatest number of runs to wait behind. */
export async function conflictOf(ctx: FunctionContext, queue: Value, kwargs: Further): Promise<string[] | undefined> {
  const option = queue ?? (ctx.has('config.option') ? await ctx.call('config.option', ['state_queue', false]) : false)
  const most = option === true ? Number.POSITIVE_INFINITY : isInt(option) ? (numberOf(option) ?? 0) : 0
  if (most > 0 && (await waited(ctx, most, jobId(kwargs)))) return undefined
  const conflict = await runningTexts(ctx, truthy(kwargs.get('concurrent') ?? false))
  if (conflict.length === 0) return undefined
  ctx.memory.set('retcode', COMPILER_ERROR)
  return conflict
}

/** Return the runs that began before this one. A run that waited for later ones would never end when these wait for it. */
async function earlierRuns(ctx: FunctionContext, own: string | null): Promise<Map<Value, Value>[]> {
  const active = await activeRuns(ctx)
  return own === null ? active : active.filter((job) => str(job.get('jid') ?? null) < own)
}

async function waited(ctx: FunctionContext, most: number, own: string | null): Promise<boolean> {
  let earlier = await earlierRuns(ctx, own)
  if (earlier.length >= most) return false
  while (earlier.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    earlier = await earlierRuns(ctx, own)
  }
  return true
}
