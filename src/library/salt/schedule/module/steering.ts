// Switching jobs and the whole schedule on and off, postponing and skipping: requests to the running minion.
import { dirname } from 'node:path/posix'
import { type Dict, decodeBytes, PyError, parseTime, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { deserialize, type FunctionContext, option, SerializerError } from '../../../../sdk/mod.ts'
import type { Given } from './item.ts'
import { allJobs, askSchedule, locate, scheduleIn } from './jobs.ts'

const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))
const isTest = (given: Given): boolean => truthy(given.get('test') ?? false)

interface JobCommand {
  func: string
  answer: string
  /** Whether the job must be on or off afterwards. */
  enabled: boolean
  done: string
  failed: string
  change?: string
}

/** A request about one job; without an answer nothing is said. */
async function command(
  ctx: FunctionContext,
  name: Value,
  data: Record<string, Value>,
  { func, answer, enabled, done, failed, change }: JobCommand,
): Promise<Dict> {
  const changes: Dict = new Map()
  const report = (result: boolean, comment: Value): Dict =>
    dict({ comment, result, ...(change !== undefined && { changes }) })
  const place = await locate(ctx, name)
  if (place === undefined) return report(false, `Job ${str(name)} does not exist.`)
  const persist = change === undefined ? {} : { persist: 'where' in place ? false : data['persist']! }
  const now = scheduleIn(await askSchedule(ctx, { name, ...data, ...place, func, ...persist }, answer))
  if (now === undefined) return report(true, [])
  const job = now.get(name)
  if (!(job instanceof Map) || truthy(job.get('enabled') ?? false) !== enabled) return report(false, failed)
  if (change !== undefined) changes.set(name, change)
  return report(true, done)
}

export function switchJob(ctx: FunctionContext, name: Value, given: Given, on: boolean): Promise<Dict> | Dict {
  const word = on ? 'enable' : 'disable'
  // enabling looks at the minion's option, disabling at the keyword
  const test = on ? option(ctx.opts, 'test') : isTest(given)
  const comment = `Job: ${str(name)} would be ${word}d in schedule.`
  if (test) return dict({ comment, result: truthy(name), changes: new Map() })
  return command(
    ctx,
    name,
    { persist: given.has('persist') ? given.get('persist')! : true },
    {
      func: `${word}_job`,
      answer: `${word}d_job_complete`,
      enabled: on,
      done: `${on ? 'Enabled' : 'Disabled'} Job ${str(name)} in schedule.`,
      failed: `Failed to ${word} job ${str(name)} in schedule.`,
      change: `${word}d`,
    },
  )
}

export async function switchSchedule(ctx: FunctionContext, given: Given, on: boolean): Promise<Dict> {
  const word = on ? 'enable' : 'disable'
  const report = (result: boolean, comment: Value, changes: Dict = new Map()): Dict =>
    dict({ comment, changes, result })
  if (isTest(given)) return report(true, `Schedule would be ${word}d.`)
  const data = { func: word, persist: given.has('persist') ? given.get('persist')! : true }
  const now = scheduleIn(await askSchedule(ctx, data, `${word}d_complete`))
  if (now === undefined) return report(true, [])
  if (!now.has('enabled') || truthy(now.get('enabled')!) !== on) {
    return report(false, `Failed to ${word} schedule on minion.`)
  }
  return report(true, `${on ? 'Enabled' : 'Disabled'} schedule on minion.`, dict({ schedule: `${word}d` }))
}

export async function saveSchedule(ctx: FunctionContext, given: Given): Promise<Dict> {
  if (isTest(given)) return dict({ comment: 'Schedule would be saved.', result: true })
  const answer = await askSchedule(ctx, { func: 'save_schedule' }, 'saved')
  if (answer === undefined) return dict({ comment: [], result: true })
  const done = truthy(answer?.get('complete') ?? false)
  return dict({ comment: done ? 'Schedule (non-pillar items) saved.' : 'Failed to save schedule.', result: done })
}

const isReadable = (time: Value, format: string): boolean =>
  textOf(time) !== undefined && parseTime(textOf(time)!, format) !== undefined

const FORMAT = '%Y-%m-%dT%H:%M:%S'
const formatOf = (given: Given): string => {
  const format = given.get('time_fmt') ?? null
  return truthy(format) ? str(format) : FORMAT
}

const refused = (comment: string): Dict => dict({ comment, result: false })
const UNREADABLE = 'Date string could not be parsed.'

export function postponeJob(
  ctx: FunctionContext,
  name: Value,
  time: Value,
  newTime: Value,
  given: Given,
): Promise<Dict> | Dict {
  const time_fmt = formatOf(given)
  if (!truthy(name)) return refused('Job name is required.')
  if (!truthy(time)) return refused('Job current time is required.')
  if (!isReadable(time, time_fmt)) return refused(UNREADABLE)
  if (!truthy(newTime)) return refused('Job new_time is required.')
  if (!isReadable(newTime, time_fmt)) return refused(UNREADABLE)
  if (option(ctx.opts, 'test')) {
    return dict({ comment: `Job: ${str(name)} would be postponed in schedule.`, result: true })
  }
  return command(
    ctx,
    name,
    { time, new_time: newTime, time_fmt },
    {
      func: 'postpone_job',
      answer: 'postpone_job_complete',
      enabled: true,
      done: `Postponed Job ${str(name)} in schedule.`,
      failed: `Failed to postpone job ${str(name)} in schedule.`,
    },
  )
}

export function skipJob(ctx: FunctionContext, name: Value, time: Value, given: Given): Promise<Dict> | Dict {
  const time_fmt = formatOf(given)
  if (truthy(time) && !isReadable(time, time_fmt)) return refused(UNREADABLE)
  if (option(ctx.opts, 'test')) {
    return dict({ comment: `Job: ${str(name)} would be skipped in schedule.`, result: truthy(name) && truthy(time) })
  }
  return command(
    ctx,
    name,
    { time, time_fmt },
    {
      func: 'skip_job',
      answer: 'skip_job_complete',
      enabled: true,
      done: `Added Skip Job ${str(name)} in schedule.`,
      failed: `Failed to skip job ${str(name)} in schedule.`,
    },
  )
}

export async function runJob(ctx: FunctionContext, name: Value, force: boolean): Promise<Dict> {
  const report = (result: boolean, comment: string): Dict => dict({ comment, result })
  const job = (await allJobs(ctx)).get(name)
  if (!(job instanceof Map)) return report(false, `Job ${str(name)} does not exist.`)
  if (!truthy(job.get('enabled') ?? true) && !force) return report(true, `Job ${str(name)} is disabled.`)
  const heard = truthy(await ctx.call('event.fire', [dict({ name, func: 'run_job' }), 'manage_schedule']))
  return heard
    ? report(true, `Scheduling Job ${str(name)} on minion.`)
    : report(false, `Failed to run job ${str(name)} on minion.`)
}

export async function nextFireTime(ctx: FunctionContext, name: Value): Promise<Dict> {
  const report: Dict = new Map<Value, Value>([['result', truthy(name)]])
  if (!truthy(name)) report.set('comment', 'Job name is required.')
  const answer = await askSchedule(ctx, { name, func: 'get_next_fire_time' }, 'next_fire_time_complete')
  if (answer === undefined) {
    // how Salt says that there is no answer
    const message = "cannot access local variable 'event_ret' where it is not associated with a value"
    throw new PyError('UnboundLocalError', message, { hint: 'No minion is running here' })
  }
  const time = answer?.get('next_fire_time')
  return time === undefined
    ? report.set('comment', 'next fire time not available.')
    : report.set('next_fire_time', time)
}

export async function reloadSchedule(ctx: FunctionContext): Promise<Dict> {
  const comments: string[] = []
  let result = true
  const fire = async (data: Dict, tag: string, done: string, failed: string): Promise<void> => {
    const heard = truthy(await ctx.call('event.fire', [data, tag]))
    comments.push(heard ? done : failed)
    result &&= heard
  }
  if (ctx.pillar.has('schedule')) {
    const where = 'schedule from pillar on minion.'
    await fire(new Map(), 'pillar_refresh', `Reloaded ${where}`, `Failed to reload ${where}`)
  }
  const include = dirname(option(ctx.opts, 'default_include'))
  const path = `${option(ctx.opts, 'config_dir')}/${include}/schedule.conf`
  if ((await ctx.host.stat(path))?.type === 'file') {
    const saved = await readSaved(ctx, path, comments)
    const schedule = saved instanceof Map ? saved.get('schedule') : undefined
    if (schedule !== undefined && truthy(schedule)) {
      const where = 'schedule on minion from schedule.conf.'
      await fire(
        dict({ func: 'reload', schedule: saved }),
        'manage_schedule',
        `Reloaded ${where}`,
        `Failed to reload ${where}`,
      )
    } else {
      comments.push('Failed to reload schedule on minion.  Saved file is empty or invalid.')
      result = false
    }
  }
  return dict({ comment: comments, result })
}

async function readSaved(ctx: FunctionContext, path: string, comments: string[]): Promise<Value> {
  try {
    return await deserialize('yaml', decodeBytes(await ctx.host.read(path)))
  } catch (error) {
    if (!(error instanceof SerializerError)) throw error
    comments.push(`Unable to read existing schedule file: ${error.message}`)
    return null
  }
}
