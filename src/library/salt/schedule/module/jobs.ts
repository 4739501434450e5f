// The scheduled jobs: those of the minion daemon, or those of its file.
import { dirname, join } from 'node:path/posix'
import { PRIVATE_FILE } from '../../../../base/mod.ts'
import { type Dict, decodeBytes, deepCopy, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  deserialize,
  dumpYaml,
  type FunctionContext,
  isHostError,
  type MinionAnswer,
  option,
} from '../../../../sdk/mod.ts'

const CONF = new Set(
  [
    'name maxrunning function splay range when once once_fmt returner jid_include args kwargs _seconds seconds minutes',
    'hours days enabled return_job metadata cron until after return_config return_kwargs run_on_start',
    'skip_during_range run_after_skip_range',
  ].flatMap((line) => line.split(' ')),
)

/** Keys of a schedule that are not jobs. */
const SWITCHES = new Set(['enabled', 'skip_function', 'skip_during_range'])

export const askSchedule = (ctx: FunctionContext, data: Record<string, Value>, answer: string): Promise<MinionAnswer> =>
  ctx.askMinion({
    tag: 'manage_schedule',
    data: new Map(Object.entries(data)),
    answer: `/salt/minion/minion_schedule_${answer}`,
    wait: 30,
  })

/** Return the schedule in an answer of the minion; undefined if the minion did not complete the request. */
export function scheduleIn(answer: MinionAnswer): Dict | undefined {
  if (!answer || !truthy(answer.get('complete') ?? false)) return undefined
  return answer.get('schedule') as Dict
}

function includeDirectory(opts: Dict): string {
  const directory = opts.get('conf_dir') ?? dirname(option(opts, 'conf_file'))
  return join(str(directory), dirname(option(opts, 'default_include')))
}

async function scheduleFile(ctx: FunctionContext): Promise<string> {
  const directory = includeDirectory(ctx.opts)
  if ((await ctx.host.stat(directory)) === undefined && !ctx.host.readOnly) {
    await ctx.host.makeDirectory(directory, { parents: true })
  }
  return `${directory}/_schedule.conf`
}

async function savedJobs(ctx: FunctionContext): Promise<Dict> {
  const path = await scheduleFile(ctx)
  if ((await ctx.host.stat(path)) === undefined) return new Map()
  const held = await deserialize('yaml', decodeBytes(await ctx.host.read(path)))
  const jobs = held instanceof Map ? held.get('schedule') : undefined
  return jobs instanceof Map ? jobs : new Map()
}

export async function saveJobs(ctx: FunctionContext, jobs: Dict): Promise<void> {
  const text = await dumpYaml(new Map([['schedule', jobs]]))
  try {
    await ctx.host.write(await scheduleFile(ctx), text, { mode: PRIVATE_FILE })
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('error', `Failed to persist the updated schedule: ${error.message}`)
  }
}

export interface ListRequest {
  showAll?: boolean
  showDisabled?: boolean
  where?: string | null
  offline?: boolean
}

export async function listJobs(ctx: FunctionContext, request: ListRequest): Promise<{ jobs: Dict; saved: Dict }> {
  const { offline = false } = request
  const live = offline
    ? undefined
    : await askSchedule(ctx, { func: 'list', where: request.where ?? null }, 'list_complete')
  const saved = await savedJobs(ctx)
  const known: Dict = offline ? saved : (scheduleIn(live) ?? new Map())
  const jobs = deepCopy(known)
  for (const [name, job] of [...jobs]) {
    if (SWITCHES.has(str(name))) continue
    if (str(name).startsWith('__') && !request.showAll) jobs.delete(name)
    else if (job instanceof Map) {
      tidy(job)
      if (request.showDisabled === false && !truthy(job.get('enabled') ?? false)) jobs.delete(name)
    }
  }
  return { jobs, saved }
}

/** Remove the internal keys of the scheduler, and enable a job that does not say otherwise. */
function tidy(job: Dict): void {
  if (!job.has('enabled')) job.set('enabled', true)
  for (const [key, value] of [...job]) {
    if (!CONF.has(str(key)) || value === null || key === '_seconds') job.delete(key)
    else if (value === 'true' || value === 'false') job.set(key, value === 'true')
  }
}

/** Return all jobs by name. */
export const allJobs = async (ctx: FunctionContext, offline = false, where: string | null = null): Promise<Dict> =>
  (await listJobs(ctx, { showAll: true, offline, where })).jobs

/** Return the part of a request that says where a job is configured; undefined if the job does not exist. */
export async function locate(ctx: FunctionContext, name: string): Promise<Record<string, Value> | undefined> {
  if ((await allJobs(ctx, false, 'opts')).has(name)) return {}
  return (await allJobs(ctx, false, 'pillar')).has(name) ? { where: 'pillar' } : undefined
}
