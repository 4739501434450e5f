// Requests to the minion daemon: enable, disable, postpone, skip and run jobs, and reload the schedule.
import { dirname } from 'node:path/posix'
import { type Dict, decodeBytes, dictFrom, PyError, parseTime, str, truthy, type Value } from '../../../../data/mod.ts'
import { deserialize, type FunctionContext, option, SerializerError } from '../../../../sdk/mod.ts'
import type { Given } from './item.ts'
import { allJobs, askSchedule, locate, scheduleIn } from './jobs.ts'

const isTest = (given: Given): boolean => truthy(given.get('test') ?? false)

interface JobCommand {
  func: string
  answer: string
  /** Whether the job must be enabled or disabled afterwards. */
  enabled: boolean
  done: string
  failed: string
  change?: string
}

/** Send a request about one job. Without an answer the comment is empty. */
async function command(
  ctx: FunctionContext,
  name: string,
  data: Record<string, Value>,
  { func, answer, enabled, done, failed, change }: JobCommand,
): Promise<Dict> {
  const changes: Dict = new Map()
  const report = (result: boolean, comment: Value): Dict =>
    dictFrom({ comment, result, ...(change !== undefined && { changes }) })
  const place = await locate(ctx, name)
  if (place === undefined) return report(false, `Job ${name} does not exist.`)
  const persist = change === undefined ? {} : { persist: 'where' in place ? false : data['persist']! }
  const now = scheduleIn(await askSchedule(ctx, { name, ...data, ...place, func, ...persist }, answer))
  if (now === undefined) return report(true, [])
  const job = now.get(name)
  if (!(job instanceof Map) || truthy(job.get('enabled') ?? false) !== enabled) return report(false, failed)
  if (change !== undefined) changes.set(name, change)
  return report(true, done)
}

export function switchJob(ctx: FunctionContext, name: string, given: Given, on: boolean): Promise<Dict> | Dict {
  const word = on ? 'enable' : 'disable'
  // as in Salt, enable reads the option `test`, disable reads the keyword
  const test = on ? option(ctx.opts, 'test') : isTest(given)
  const comment = `Job: ${name} would be ${word}d in schedule.`
  if (test) return dictFrom({ comment, result: name !== '', changes: new Map() })
  return command(
    ctx,
    name,
    { persist: given.has('persist') ? given.get('persist')! : true },
    {
      func: `${word}_job`,
      answer: `${word}d_job_complete`,
      enabled: on,
      done: `${on ? 'Enabled' : 'Disabled'} Job ${name} in schedule.`,
      failed: `Failed to ${word} job ${name} in schedule.`,
      change: `${word}d`,
    },
  )
}

export async function switchSchedule(ctx: FunctionContext, given: Given, on: boolean): Promise<Dict> {
  const word = on ? 'enable' : 'disable'
  const report = (result: boolean, comment: Value, changes: Dict = new Map()): Dict =>
    dictFrom({ comment, changes, result })
  if (isTest(given)) return report(true, `Schedule would be ${word}d.`)
  const data = { func: word, persist: given.has('persist') ? given.get('persist')! : true }
  const now = scheduleIn(await askSchedule(ctx, data, `${word}d_complete`))
  if (now === undefined) return report(true, [])
  if (!now.has('enabled') || truthy(now.get('enabled')!) !== on) {
    return report(false, `Failed to ${word} schedule on minion.`)
  }
  return report(true, `${on ? 'Enabled' : 'Disabled'} schedule on minion.`, dictFrom({ schedule: `${word}d` }))
}

export async function saveSchedule(ctx: FunctionContext, given: Given): Promise<Dict> {
  if (isTest(given)) return dictFrom({ comment: 'Schedule would be saved.', result: true })
  const answer = await askSchedule(ctx, { func: 'save_schedule' }, 'saved')
  if (answer === undefined) return dictFrom({ comment: [], result: true })
  const done = truthy(answer?.get('complete') ?? false)
  return dictFrom({ comment: done ? 'Schedule (non-pillar items) saved.' : 'Failed to save schedule.', result: done })
}

const isReadable = (time: string, format: string): boolean => parseTime(time, format) !== undefined

const FORMAT = '%Y-%m-%dT%H:%M:%S'
const formatOf = (given: Given): string => {
  const format = given.get('time_fmt') ?? null
  return truthy(format) ? str(format) : FORMAT
}

const refused = (comment: string): Dict => dictFrom({ comment, result: false })
const UNREADABLE = 'Date string could not be parsed.'

export function postponeJob(
  ctx: FunctionContext,
  name: string,
  time: string,
  newTime: string,
  given: Given,
): Promise<Dict> | Dict {
  const time_fmt = formatOf(given)
  if (!name) return refused('Job name is required.')
  if (!time) return refused('Job current time is required.')
  if (!isReadable(time, time_fmt)) return refused(UNREADABLE)
  if (!newTime) return refused('Job new_time is required.')
  if (!isReadable(newTime, time_fmt)) return refused(UNREADABLE)
  if (option(ctx.opts, 'test')) {
    return dictFrom({ comment: `Job: ${name} would be postponed in schedule.`, result: true })
  }
  return command(
    ctx,
    name,
    { time, new_time: newTime, time_fmt },
    {
      func: 'postpone_job',
      answer: 'postpone_job_complete',
      enabled: true,
      done: `Postponed Job ${name} in schedule.`,
      failed: `Failed to postpone job ${name} in schedule.`,
    },
  )
}

export function skipJob(ctx: FunctionContext, name: string, time: string, given: Given): Promise<Dict> | Dict {
  const time_fmt = formatOf(given)
  if (time && !isReadable(time, time_fmt)) return refused(UNREADABLE)
  if (option(ctx.opts, 'test')) {
    return dictFrom({ comment: `Job: ${name} would be skipped in schedule.`, result: name !== '' && time !== '' })
  }
  return command(
    ctx,
    name,
    { time, time_fmt },
    {
      func: 'skip_job',
      answer: 'skip_job_complete',
      enabled: true,
      done: `Added Skip Job ${name} in schedule.`,
      failed: `Failed to skip job ${name} in schedule.`,
    },
  )
}

export async function runJob(ctx: FunctionContext, name: string, force: boolean): Promise<Dict> {
  const report = (result: boolean, comment: string): Dict => dictFrom({ comment, result })
  const job = (await allJobs(ctx)).get(name)
  if (!(job instanceof Map)) return report(false, `Job ${name} does not exist.`)
  if (!truthy(job.get('enabled') ?? true) && !force) return report(true, `Job ${name} is disabled.`)
  const heard = truthy(await ctx.call('event.fire', [dictFrom({ name, func: 'run_job' }), 'manage_schedule']))
  return heard
    ? report(true, `Scheduling Job ${name} on minion.`)
    : report(false, `Failed to run job ${name} on minion.`)
}

export async function nextFireTime(ctx: FunctionContext, name: string): Promise<Dict> {
  const report: Dict = new Map<Value, Value>([['result', name !== '']])
  if (!name) report.set('comment', 'Job name is required.')
  const answer = await askSchedule(ctx, { name, func: 'get_next_fire_time' }, 'next_fire_time_complete')
  if (answer === undefined) {
    // Salt's error if there is no answer
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
        dictFrom({ func: 'reload', schedule: saved }),
        'manage_schedule',
        `Reloaded ${where}`,
        `Failed to reload ${where}`,
      )
    } else {
      comments.push('Failed to reload schedule on minion.  Saved file is empty or invalid.')
      result = false
    }
  }
  return dictFrom({ comment: comments, result })
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
