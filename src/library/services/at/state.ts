// Jobs that run once, at a time.
import { contains, type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineState,
  type Result,
  reportOn,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

interface Wish {
  name: Value
  timespec: Value
  tag: Value
  user: Value
  job: Value
  unique_tag: Value
}

const jobsOf = (answer: Value): Dict[] => ((answer as Dict).get('jobs') ?? []) as Dict[]

async function present(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name, timespec, tag, user, unique_tag } = wish
  const ret = reportOn(name)
  const job = truthy(wish.job) ? wish.job : name
  if (ctx.test) return ret(null, `job ${str(job)} added and will run on ${str(timespec)}`)
  if (truthy(unique_tag)) {
    if (!truthy(tag)) return ret(false, 'no tag provided and unique_tag is set to True')
    const same = jobsOf(await ctx.call('at.jobcheck', [], { tag }))
    if (same.length > 0) return ret(true, `atleast one job with tag ${str(tag)} exists.`)
  }
  if (truthy(user) && !truthy(await ctx.call('user.info', [user]))) {
    return ret(false, `user ${str(user)} does not exists`)
  }
  const as = truthy(user) ? ` as ${str(user)}` : ''
  const answer = (await ctx.call('at.at', [timespec, job], { tag, ...(truthy(user) && { runas: user }) })) as Dict
  const [first] = jobsOf(answer)
  const error = answer.get('error')
  const comment = error === undefined ? `job ${str(job)} added and will run${as} on ${str(timespec)}` : str(error)
  return ret(error === undefined, comment, first ?? {})
}

const removedBy = (answer: Value): Value[] => ((answer as Dict).get('jobs') as Dict).get('removed') as Value[]

async function absent(ctx: StateContext, name: string, jobid: Value, kwargs: Dict): Promise<StateReturn> {
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
    kwargs.size === 0
      ? ['all']
      : jobsOf(await ctx.call('at.jobcheck', [], kwargs as Map<string, Value>)).map((job) => str(job.get('job')!))
  const removed = removedBy(await ctx.call('at.atrm', which))
  const changes: Result = removed.length > 0 ? { removed } : {}
  return ret(true, `removed ${removed.length} job(s)`, changes)
}

const job = {
  name: arg.any('The command, unless `job` is'),
  timespec: arg.any('When it runs, as `at` reads it'),
  tag: arg.any('A tag to find it by', { optional: true }),
  user: arg.any('Whom it runs as', { optional: true }),
  job: arg.any('The command', { optional: true }),
  unique_tag: arg.flag('Add it only when no job has the tag', { default: false }),
}

/** A watched change adds the job that `watch` describes. */
async function watched(ctx: StateContext, name: Value, kwargs: Dict): Promise<StateReturn> {
  if (kwargs.get('sfun') !== 'watch') return reportOn(name)(false, '')
  const given = (key: string, fallback: Value = null): Value => kwargs.get(key) ?? fallback
  return present(ctx, {
    name,
    timespec: given('timespec'),
    tag: given('tag'),
    user: given('user'),
    job: given('job'),
    unique_tag: given('unique_tag', false),
  })
}

export default defineState({
  name: 'at',
  doc: 'Keep jobs that run once.',
  when: async ({ host }) => (await host.which('at')) !== undefined || 'at module could not be loaded',
  functions: {
    present: state({ doc: 'A job waits.', args: job, run: (ctx, wish) => present(ctx, wish) }),
    absent: state({
      doc: 'Jobs do not wait.',
      args: {
        name: arg.text('A name for the state'),
        jobid: arg.any('The id of a job', { optional: true }),
        kwargs: arg.open('Conditions as at.jobcheck takes them; all jobs without any'),
      },
      run: (ctx, { name, jobid, kwargs }) => absent(ctx, name, jobid, kwargs),
    }),
    watch: state({
      doc: 'A job is added when something watched changes.',
      args: job,
      run: (_, { name }) => reportOn(name)(true, ''),
    }),
    mod_watch: state({
      doc: 'Add the job that `watch` describes.',
      args: { name: job.name, kwargs: arg.open('What `watch` was given') },
      run: (ctx, { name, kwargs }) => watched(ctx, name, kwargs),
    }),
  },
})
