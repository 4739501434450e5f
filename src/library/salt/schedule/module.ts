// The schedule of the minion. A running minion is asked over its event bus; without one there are no jobs, but the file
// it will read can be changed (`offline`).
import { type Dict, PyDatetime, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, dumpYaml, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
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

interface Listing {
  show_all: boolean
  show_disabled: boolean
  where: Value
  return_yaml: boolean
  offline: Value
}

async function list(ctx: FunctionContext, listing: Listing): Promise<Value> {
  const { show_all: showAll, show_disabled: showDisabled, where, offline } = listing
  const { jobs, saved } = await listJobs(ctx, { showAll, showDisabled, where, offline })
  if (!listing.return_yaml) return jobs
  for (const [name, job] of jobs) if (job instanceof Map) job.set('saved', saved.has(name))
  return dumpYaml(new Map([['schedule', jobs]]), { default_flow_style: false })
}

async function isEnabled(ctx: FunctionContext, name: Value): Promise<Value> {
  const jobs = (await ctx.call('schedule.list', [], { show_all: false, return_yaml: false })) as Dict
  return truthy(name) ? (jobs.get(name) ?? new Map()) : (jobs.get('enabled') ?? true)
}

async function status(ctx: FunctionContext, name: Value, format: string): Promise<Value> {
  const answer = await askSchedule(ctx, { func: 'job_status', name, fire_event: true }, 'job_status_complete')
  if (!answer) return null
  const data = answer.get('data')
  const shown = (value: Value): Value => (value instanceof PyDatetime ? value.strftime(format) : value)
  return new Map([...(data instanceof Map ? data : [])].map(([key, value]) => [key, shown(value)]))
}

const name = arg.any('The job')
const kwargs = arg.open('Further options: test, persist, offline')
const job = arg.open('The job: function, seconds, when, cron, job_args, …')
const target = arg.text('The other minions')

export default defineModule({
  name: 'schedule',
  doc: 'The schedule of the minion.',
  functions: {
    list: reads({
      doc: 'The jobs there are.',
      calledAs: 'list_',
      args: {
        show_all: arg.boolean("Salt's own jobs too", { default: false }),
        show_disabled: arg.boolean('Disabled jobs too', { default: true }),
        where: arg.any('Only those of opts or pillar', { optional: true }),
        return_yaml: arg.boolean('As YAML text', { default: true }),
        offline: arg.any('Those of the file, when no minion is running', { default: false }),
      },
      returns: ret.any('YAML text, or a dict'),
      example: 'schedule.list show_all=True',
      run: list,
    }),
    is_enabled: reads({
      doc: 'A job that is there, or whether the schedule is enabled.',
      args: { name: arg.any('The job', { optional: true }) },
      returns: ret.any('The job, or whether'),
      example: 'schedule.is_enabled name=job_name',
      run: (ctx, { name }) => isEnabled(ctx, name),
    }),
    purge: changes({
      doc: 'Remove all jobs.',
      args: { kwargs },
      returns: ret.dict('What became of them'),
      example: 'schedule.purge',
      run: (ctx, { kwargs }) => purgeJobs(ctx, kwargs),
    }),
    delete: changes({
      doc: 'Remove a job.',
      args: { name, kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.delete job1',
      run: (ctx, { name, kwargs }) => deleteJob(ctx, name, kwargs),
    }),
    build_schedule_item: reads({
      doc: 'A job as the scheduler wants it.',
      args: { name, kwargs: job },
      returns: ret.dict('The job, or why it cannot be one'),
      example: "schedule.build_schedule_item job1 function='test.ping' seconds=3600",
      run: (_ctx, { name, kwargs }) => buildItem(name, kwargs),
    }),
    add: changes({
      doc: 'Add a job.',
      args: { name, kwargs: job },
      returns: ret.dict('What became of it'),
      example: "schedule.add job1 function='test.ping' seconds=3600",
      run: (ctx, { name, kwargs }) => addJob(ctx, name, kwargs),
    }),
    modify: changes({
      doc: 'Change a job.',
      args: { name, kwargs: job },
      returns: ret.dict('What became of it'),
      example: "schedule.modify job1 function='test.ping' seconds=3600",
      run: (ctx, { name, kwargs }) => modifyJob(ctx, name, kwargs),
    }),
    run_job: changes({
      doc: 'Run a job now.',
      args: { name, force: arg.boolean('Even when it is disabled', { default: false }) },
      returns: ret.dict('What became of it'),
      example: 'schedule.run_job job1 force=True',
      run: (ctx, { name, force }) => runJob(ctx, name, force),
    }),
    enable_job: changes({
      doc: 'Switch a job on.',
      args: { name, kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.enable_job job1',
      run: (ctx, { name, kwargs }) => switchJob(ctx, name, kwargs, true),
    }),
    disable_job: changes({
      doc: 'Switch a job off.',
      args: { name, kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.disable_job job1',
      run: (ctx, { name, kwargs }) => switchJob(ctx, name, kwargs, false),
    }),
    save: changes({
      doc: 'Write the jobs to the file of the minion.',
      args: { kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.save',
      run: (ctx, { kwargs }) => saveSchedule(ctx, kwargs),
    }),
    enable: changes({
      doc: 'Switch the schedule on.',
      args: { kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.enable',
      run: (ctx, { kwargs }) => switchSchedule(ctx, kwargs, true),
    }),
    disable: changes({
      doc: 'Switch the schedule off.',
      args: { kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.disable',
      run: (ctx, { kwargs }) => switchSchedule(ctx, kwargs, false),
    }),
    reload: changes({
      doc: 'Read the jobs of pillar and file anew.',
      calledAs: 'reload_',
      args: {},
      returns: ret.dict('What became of it'),
      example: 'schedule.reload',
      run: (ctx) => reloadSchedule(ctx),
    }),
    move: changes({
      doc: 'Move a job to other minions.',
      args: { name, target, kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.move jobname target',
      run: (ctx, { name, target, kwargs }) => spreadJob(ctx, name, target, kwargs, true),
    }),
    copy: changes({
      doc: 'Copy a job to other minions.',
      args: { name, target, kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.copy jobname target',
      run: (ctx, { name, target, kwargs }) => spreadJob(ctx, name, target, kwargs, false),
    }),
    postpone_job: changes({
      doc: 'Let a run of a job be later.',
      args: { name, current_time: arg.any('When it would run'), new_time: arg.any('When it runs'), kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.postpone_job job current_time new_time',
      run: (ctx, { name, current_time, new_time, kwargs }) => postponeJob(ctx, name, current_time, new_time, kwargs),
    }),
    skip_job: changes({
      doc: 'Leave out a run of a job.',
      args: { name, current_time: arg.any('When it would run'), kwargs },
      returns: ret.dict('What became of it'),
      example: 'schedule.skip_job job time',
      run: (ctx, { name, current_time, kwargs }) => skipJob(ctx, name, current_time, kwargs),
    }),
    show_next_fire_time: reads({
      doc: 'When a job runs next.',
      args: { name, kwargs },
      returns: ret.dict('The time'),
      example: 'schedule.show_next_fire_time job_name',
      run: (ctx, { name }) => nextFireTime(ctx, name),
    }),
    job_status: reads({
      doc: 'What the scheduler knows about a job.',
      args: { name, time_fmt: arg.text('How times are written', { default: '%Y-%m-%dT%H:%M:%S' }) },
      returns: ret.any('A dict; None without a running minion'),
      example: 'schedule.job_status job_name',
      run: (ctx, { name, time_fmt }) => status(ctx, name, time_fmt),
    }),
  },
})
