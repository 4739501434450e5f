// States of jobs that run once.
import { contains, type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  type Result,
  reportOn,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

type Request = Bound<typeof job>

const jobsOf = (answer: Dict): Dict[] => (answer.get('jobs') ?? []) as Dict[]

async function present(ctx: StateContext, request: Request): Promise<StateReturn> {
  const { name, timespec, tag, user, unique_tag } = request
  const ret = reportOn(name)
  const job = request.job || name
  if (ctx.test) return ret(null, `job ${job} added and will run on ${timespec}`)
  if (unique_tag) {
    if (!tag) return ret(false, 'no tag provided and unique_tag is set to True')
    const same = jobsOf(await ctx.call('at.jobcheck', [], { tag }))
    if (same.length > 0) return ret(true, `atleast one job with tag ${tag} exists.`)
  }
  if (user && !truthy(await ctx.call('user.info', [user]))) {
    return ret(false, `user ${user} does not exists`)
  }
  const as = user ? ` as ${user}` : ''
  const answer = (await ctx.call('at.at', [timespec, job], { tag, ...(user && { runas: user }) })) as Dict
  const [first] = jobsOf(answer)
  const error = answer.get('error')
  const comment = error === undefined ? `job ${job} added and will run${as} on ${timespec}` : str(error)
  return ret(error === undefined, comment, first ?? {})
}

const removedBy = (answer: Dict): Value[] => (answer.get('jobs') as Dict).get('removed') as Value[]

async function absent(ctx: StateContext, name: string, jobid: Value, kwargs: Map<string, Value>): Promise<StateReturn> {
  const ret = reportOn(name)
  if (kwargs.has('limit')) return ret(false, `limit parameter not supported ${name}`)
  if (ctx.test) return ret(null, 'removed ? job(s)')
  if (truthy(jobid)) {
    const found = jobsOf(await ctx.call('at.atq', [jobid]))
    if (found.length === 0) return ret(true, `job with id ${str(jobid)} not present`)
    if (found.length > 1) return ret(false, `more than one job was return for job with id ${str(jobid)}`)
    const removed = removedBy(await ctx.call('at.atrm', [jobid]))
    const isGone = contains(removed, jobid)
    const id = `job with id ${str(jobid)}`
    return ret(isGone, isGone ? `${id} was removed` : `failed to remove ${id}`, { removed })
  }
  const which: Value[] =
    kwargs.size === 0 ? ['all'] : jobsOf(await ctx.call('at.jobcheck', [], kwargs)).map((job) => str(job.get('job')!))
  const removed = removedBy(await ctx.call('at.atrm', which))
  const changes: Result = removed.length > 0 ? { removed } : {}
  return ret(true, `removed ${removed.length} job(s)`, changes)
}

const job = {
  name: arg.text('Command, unless `job` is set'),
  timespec: arg.text('Time in the syntax of `at`'),
  tag: arg.text('Tag of the job', { optional: true }),
  user: arg.text('User that runs the job', { optional: true }),
  job: arg.text('Command', { optional: true }),
  unique_tag: arg.flag('Whether to add the job only when no queued job has the tag', { default: false }),
}

/** Add the job that `watch` describes, because a watched state changed. */
async function watched(ctx: StateContext, name: string, kwargs: ReadonlyMap<string, Value>): Promise<StateReturn> {
  if (kwargs.get('sfun') !== 'watch') return reportOn(name)(false, '')
  const text = (key: string): string | null => {
    const value = kwargs.get(key) ?? null
    return value === null ? null : str(value)
  }
  const [tag, user, command] = [text('tag'), text('user'), text('job')]
  const unique_tag = truthy(kwargs.get('unique_tag') ?? false)
  return present(ctx, { name, timespec: str(kwargs.get('timespec') ?? null), tag, user, job: command, unique_tag })
}

export default defineState({
  name: 'at',
  doc: 'Manage jobs that run once.',
  when: async ({ host }) => (await host.which('at')) !== undefined || 'at module could not be loaded',
  functions: {
    present: state({ doc: 'Ensure that a job is queued.', args: job, run: present }),
    absent: state({
      doc: 'Ensure that jobs are not queued.',
      args: {
        name: arg.text('Name of the state'),
        jobid: arg.any('Job id, as number; text never matches on Linux', { optional: true }),
        kwargs: arg.open('Conditions as for at.jobcheck; all jobs without conditions'),
      },
      run: (ctx, { name, jobid, kwargs }) => absent(ctx, name, jobid, kwargs),
    }),
    watch: state({
      doc: 'Add a job when a watched state changes.',
      args: job,
      run: (_, { name }) => reportOn(name)(true, ''),
    }),
    mod_watch: state({
      doc: 'Add the job that `watch` describes.',
      args: { name: job.name, kwargs: arg.open('Arguments of `watch`') },
      run: (ctx, { name, kwargs }) => watched(ctx, name, kwargs),
    }),
  },
})
