// The schedule of the minion. Functions ask the minion daemon over its event bus. Without a daemon there are no jobs, but
// `offline` reads and changes its file.
import { type Dict, PyDatetime, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, dumpYaml, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { addJob, deleteJob, modifyJob, purgeJobs } from './module/changing.ts'
import { buildItem } from './module/item.ts'
import { askSchedule, listJobs } from './module/jobs.ts'
import { spreadJob } from './module/spreading.ts'
import {
  nextFireTime,
  postponeJob,
  reloadSchedule,
  runJob,
  saveSchedule,
  skipJob,
  switchJob,
  switchSchedule,
} from './module/steering.ts'

const listArgs = {
  show_all: arg.boolean('Include the internal jobs of Salt', { default: false }),
  show_disabled: arg.boolean('Include disabled jobs', { default: true }),
  where: arg.text('Source of the jobs: `opts` or `pillar`. Default: both', { optional: true }),
  return_yaml: arg.boolean('Return YAML text in place of a dict', { default: true }),
  offline: arg.flag('Return the jobs of the file, without a minion daemon', { default: false }),
}

async function list(ctx: FunctionContext, listing: Bound<typeof listArgs>): Promise<Value> {
  const { show_all: showAll, show_disabled: showDisabled, where, offline } = listing
  const { jobs, saved } = await listJobs(ctx, { showAll, showDisabled, where, offline })
  if (!listing.return_yaml) return jobs
  for (const [name, job] of jobs) if (job instanceof Map) job.set('saved', saved.has(name))
  return dumpYaml(new Map([['schedule', jobs]]), { default_flow_style: false })
}

async function isEnabled(ctx: FunctionContext, name: string | null): Promise<Value> {
  const jobs = (await ctx.call('schedule.list', [], { show_all: false, return_yaml: false })) as Dict
  return name ? (jobs.get(name) ?? new Map()) : (jobs.get('enabled') ?? true)
}

async function status(ctx: FunctionContext, name: string, format: string): Promise<Value> {
  const answer = await askSchedule(ctx, { func: 'job_status', name, fire_event: true }, 'job_status_complete')
  if (!answer) return null
  const data = answer.get('data')
  const shown = (value: Value): Value => (value instanceof PyDatetime ? value.strftime(format) : value)
  return new Map([...(data instanceof Map ? data : [])].map(([key, value]) => [key, shown(value)]))
}

const name = arg.text('Name of the job')
const current_time = arg.text('Time of the run, such as `2017-12-01T15:00:00`')
const outcome = ret.dict('`result`, `comment` and `changes`')
const kwargs = arg.open('`test`, `persist` and `offline`')
const job = arg.open('Options of the job: `function`, `seconds`, `when`, `cron`, `job_args`, …')
const target = arg.text('Target: a glob of minion ids')

export default defineModule({
  name: 'schedule',
  doc: 'Manage the schedule of the minion.',
  functions: {
    list: reads({
      doc: 'Return the scheduled jobs.',
      calledAs: 'list_',
      args: listArgs,
      returns: ret.any('YAML text, or a dict'),
      example: 'schedule.list show_all=True',
      run: list,
    }),
    is_enabled: reads({
      doc: 'Return a job, or whether the schedule is enabled.',
      args: { name: arg.text('Name of the job. Default: the whole schedule', { optional: true }) },
      returns: ret.any('Job, or a boolean'),
      example: 'schedule.is_enabled name=job_name',
      run: (ctx, { name }) => isEnabled(ctx, name),
    }),
    purge: changes({
      doc: 'Remove all jobs.',
      args: { kwargs },
      returns: outcome,
      run: (ctx, { kwargs }) => purgeJobs(ctx, kwargs),
    }),
    delete: changes({
      doc: 'Remove a job.',
      args: { name, kwargs },
      returns: outcome,
      example: 'schedule.delete job1',
      run: (ctx, { name, kwargs }) => deleteJob(ctx, name, kwargs),
    }),
    build_schedule_item: reads({
      doc: 'Build the item of a job for the scheduler.',
      args: { name, kwargs: job },
      returns: ret.dict('Item; `result` False and a `comment` if the options are not valid'),
      example: "schedule.build_schedule_item job1 function='test.ping' seconds=3600",
      run: (_ctx, { name, kwargs }) => buildItem(name, kwargs),
    }),
    add: changes({
      doc: 'Add a job.',
      args: { name, kwargs: job },
      returns: outcome,
      example: "schedule.add job1 function='test.ping' seconds=3600",
      run: (ctx, { name, kwargs }) => addJob(ctx, name, kwargs),
    }),
    modify: changes({
      doc: 'Change a job.',
      args: { name, kwargs: job },
      returns: outcome,
      example: "schedule.modify job1 function='test.ping' seconds=3600",
      run: (ctx, { name, kwargs }) => modifyJob(ctx, name, kwargs),
    }),
    run_job: changes({
      doc: 'Run a job now.',
      args: { name, force: arg.boolean('Run the job even if it is disabled', { default: false }) },
      returns: outcome,
      example: 'schedule.run_job job1 force=True',
      run: (ctx, { name, force }) => runJob(ctx, name, force),
    }),
    enable_job: changes({
      doc: 'Enable a job.',
      args: { name, kwargs },
      returns: outcome,
      example: 'schedule.enable_job job1',
      run: (ctx, { name, kwargs }) => switchJob(ctx, name, kwargs, true),
    }),
    disable_job: changes({
      doc: 'Disable a job.',
      args: { name, kwargs },
      returns: outcome,
      example: 'schedule.disable_job job1',
      run: (ctx, { name, kwargs }) => switchJob(ctx, name, kwargs, false),
    }),
    save: changes({
      doc: 'Save the jobs to the file of the minion.',
      args: { kwargs },
      returns: outcome,
      run: (ctx, { kwargs }) => saveSchedule(ctx, kwargs),
    }),
    enable: changes({
      doc: 'Enable the schedule.',
      args: { kwargs },
      returns: outcome,
      run: (ctx, { kwargs }) => switchSchedule(ctx, kwargs, true),
    }),
    disable: changes({
      doc: 'Disable the schedule.',
      args: { kwargs },
      returns: outcome,
      run: (ctx, { kwargs }) => switchSchedule(ctx, kwargs, false),
    }),
    reload: changes({
      doc: 'Reload the jobs of the pillar and of the file.',
      calledAs: 'reload_',
      returns: outcome,
      run: (ctx) => reloadSchedule(ctx),
    }),
    move: changes({
      doc: 'Move a job to other minions.',
      args: { name, target, kwargs },
      returns: outcome,
      example: 'schedule.move jobname target',
      run: (ctx, { name, target, kwargs }) => spreadJob(ctx, name, target, kwargs, true),
    }),
    copy: changes({
      doc: 'Copy a job to other minions.',
      args: { name, target, kwargs },
      returns: outcome,
      example: 'schedule.copy jobname target',
      run: (ctx, { name, target, kwargs }) => spreadJob(ctx, name, target, kwargs, false),
    }),
    postpone_job: changes({
      doc: 'Postpone one run of a job.',
      args: { name, current_time, new_time: arg.text('New time of the run'), kwargs },
      returns: outcome,
      example: 'schedule.postpone_job job current_time new_time',
      run: (ctx, { name, current_time, new_time, kwargs }) => postponeJob(ctx, name, current_time, new_time, kwargs),
    }),
    skip_job: changes({
      doc: 'Skip one run of a job.',
      args: { name, current_time, kwargs },
      returns: outcome,
      example: 'schedule.skip_job job time',
      run: (ctx, { name, current_time, kwargs }) => skipJob(ctx, name, current_time, kwargs),
    }),
    show_next_fire_time: reads({
      doc: 'Return the time of the next run of a job.',
      args: { name, kwargs },
      returns: ret.dict('`result` and `next_fire_time`'),
      example: 'schedule.show_next_fire_time job_name',
      run: (ctx, { name }) => nextFireTime(ctx, name),
    }),
    job_status: reads({
      doc: 'Return the status of a job in the scheduler.',
      args: { name, time_fmt: arg.text('Format of times', { default: '%Y-%m-%dT%H:%M:%S' }) },
      returns: ret.any('Status; None without a minion daemon'),
      example: 'schedule.job_status job_name',
      run: (ctx, { name, time_fmt }) => status(ctx, name, time_fmt),
    }),
  },
})
