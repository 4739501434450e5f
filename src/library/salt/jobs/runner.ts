// Jobs of the past and those that run.

import { shownText } from '../../../base/mod.ts'
import {
  type Dict,
  decodeMsgpack,
  fnmatch,
  isDict,
  isList,
  numberOf,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'
import { formatJob, isFindJob, resultOf, timeOf } from './runner/format.ts'
import { type JobSource, jobSource } from './runner/source.ts'

const words = (value: Value): string[] =>
  isList(value)
    ? value.map(str)
    : str(value)
        .split(',')
        .map((word) => word.trim())

async function tell(ctx: MasterContext, wanted: Value, message: string): Promise<void> {
  if (truthy(wanted)) await ctx.progress(new Map([['message', message]]))
}

/** A function that wants its answer shown in a certain way puts it into a dict with the outputter. */
const dressed = (outputter: Value, data: Value): Value =>
  truthy(outputter)
    ? new Map<Value, Value>([
        ['outputter', outputter],
        ['data', data],
      ])
    : data

async function active(ctx: MasterContext, display_progress: boolean): Promise<Dict> {
  const jobs = new Map<string, Dict>()
  for await (const { id, data } of ctx.run({ tgt: '*', fun: 'saltutil.running' })) {
    await tell(ctx, display_progress, `Received reply from minion ${id}`)
    const running = data?.get('return') ?? null
    for (const job of isList(running) ? running : []) {
      if (!isDict(job)) continue
      const jid = str(job.get('jid') ?? '')
      const shown = jobs.get(jid) ?? formatJob(jid, job).set('Running', []).set('Returned', [])
      ;(shown.get('Running') as Value[]).push(new Map([[id, job.get('pid') ?? null]]))
      jobs.set(jid, shown as Dict)
    }
  }
  const source = await jobSource(ctx)
  for (const [jid, job] of jobs) job.set('Returned', [...(await source.returns(jid)).keys()])
  return new Map(jobs)
}

/** Ids that a line about a job names. */
const MOST_NAMED = 10

/** Say in the log why there is no return to show, which the value does not tell. The exit status is 0, as in Salt. */
async function explainNothing(ctx: MasterContext, source: JobSource, jid: string): Promise<void> {
  const job = await source.job(jid)
  if (job === undefined) {
    ctx.log(
      'warning',
      `Job ${shownText(jid)} is not known: it is no job of this master, or older than keep_jobs_seconds`,
    )
    return
  }
  const ids = job.minions ?? []
  const named = ids.slice(0, MOST_NAMED).join(', ') + (ids.length > MOST_NAMED ? ', …' : '')
  const published = ids.length > 0 ? `, which was published for ${named}` : ''
  ctx.log('warning', `No minion has returned job ${jid}${published}. See: salt-run jobs.progress ${jid}`)
}

interface Lookup {
  ext_source: Value
  returned: Value
  missing: Value
  display_progress: Value
}

async function lookup(
  ctx: MasterContext,
  jid: string,
  { ext_source, returned, missing, display_progress }: Lookup,
): Promise<Value> {
  const source = await jobSource(ctx, ext_source)
  await tell(ctx, display_progress, `Querying returner: ${source.name}`)
  const found: Dict = new Map()
  let out: Value = null
  const returns = await source.returns(jid)
  if (truthy(returned)) await ctx.logHints(returns)
  for (const [id, data] of returns) {
    await tell(ctx, display_progress, id)
    if (truthy(returned)) found.set(id, data.get('return') ?? null)
    out ??= data.get('out') ?? null
  }
  if (truthy(missing)) {
    const job = await source.job(jid)
    for (const id of job?.minions ?? []) if (!returns.has(id)) found.set(id, 'Minion did not return')
  }
  if (found.size === 0 && returns.size === 0) await explainNothing(ctx, source, jid)
  return dressed(out, found)
}

async function listed(ctx: MasterContext, jid: string, ext_source: Value): Promise<Dict> {
  const source = await jobSource(ctx, ext_source)
  const job = await source.job(jid)
  const results = new Map<Value, Value>([...(await source.returns(jid))].map(([id, data]) => [id, resultOf(data)]))
  if (results.size === 0) await explainNothing(ctx, source, jid)
  return new Map<Value, Value>([['jid', jid], ...formatJob(jid, job?.load, job?.minions), ['Result', results]])
}

async function printed(ctx: MasterContext, jid: string, ext_source: Value): Promise<Dict> {
  const { jid: _jid, ...rest } = Object.fromEntries((await listed(ctx, jid, ext_source)) as Map<string, Value>)
  return new Map([[jid, new Map<Value, Value>(Object.entries(rest))]])
}

interface Search {
  search_metadata: Value
  search_function: Value
  search_target: Value
  start_time: Value
  end_time: Value
}

/** A time as people write it; without a date that can be read nothing is found. */
function moment(text: Value): number {
  const time = Date.parse(`${str(text).replace(',', '')} UTC`)
  const plain = Number.isNaN(time) ? Date.parse(str(text)) : time
  if (Number.isNaN(plain)) throw new SaltError('SaltInvocationError', `'${str(text)}' is not a time`)
  return plain
}

function isWanted(
  job: Dict,
  { search_metadata, search_function, search_target, start_time, end_time }: Search,
): boolean {
  if (truthy(search_metadata)) {
    const own = job.get('Metadata')
    if (own === undefined || !isDict(own) || !isDict(search_metadata)) return false
    if (![...search_metadata].some(([key, value]) => own.get(key) === value)) return false
  }
  if (truthy(search_target)) {
    const targets = words(job.get('Target') ?? '')
    if (!targets.some((target) => words(search_target).some((glob) => fnmatch(target, glob)))) return false
  }
  if (truthy(search_function)) {
    const functions = words(job.get('Function') ?? '')
    if (!functions.some((name) => words(search_function).some((glob) => fnmatch(name, glob)))) return false
  }
  const started = moment(job.get('StartTime') ?? '')
  if (truthy(start_time) && started < moment(start_time)) return false
  return !truthy(end_time) || started <= moment(end_time)
}

async function search(ctx: MasterContext, wish: Search, ext_source: Value): Promise<Dict> {
  const found: Dict = new Map()
  for (const [jid, load] of await (await jobSource(ctx, ext_source)).jobs()) {
    if (timeOf(jid) === '') continue
    const job = formatJob(jid, load)
    if (isWanted(job, wish)) found.set(jid, job)
  }
  return found
}

/** Calls of the master's own functions are noted in files while they run. */
async function running(ctx: MasterContext): Promise<Value[]> {
  const folder = `${option(ctx.opts, 'cachedir')}/proc`
  if ((await ctx.host.stat(folder))?.type !== 'directory') return []
  const jids = await ctx.host.list(folder)
  return Promise.all(
    jids.map(async (jid) => decodeMsgpack(await ctx.host.read(`${folder}/${jid}`), { dialect: 'bus' })),
  )
}

const jid = arg.text("The job's number")
const ext_source = arg.any('Another job cache', { optional: true })
const outputter = arg.any('How the answer is to be shown', { optional: true })
const display_progress = arg.flag('Whether progress is told as events', { default: false })

export default defineRunner({
  name: 'jobs',
  doc: 'Jobs of the past and those that run.',
  functions: {
    active: masterFn({
      doc: 'The jobs that run now, with the minions that work on them.',
      args: { display_progress },
      examples: ['salt-run jobs.active'],
      run: (ctx, { display_progress }) => active(ctx, display_progress),
    }),
    lookup_jid: masterFn({
      doc: 'What minions returned for a job.',
      args: {
        jid,
        ext_source,
        returned: arg.flag('Those that returned', { default: true }),
        missing: arg.flag('Also those that did not', { default: false }),
        display_progress,
      },
      examples: ['salt-run jobs.lookup_jid 20130916125524463507'],
      run: (ctx, { jid, ...wish }) => lookup(ctx, jid, wish),
    }),
    list_job: masterFn({
      doc: 'One job: what it was, who was meant, and what came back.',
      args: { jid, ext_source, display_progress },
      examples: ['salt-run jobs.list_job 20130916125524463507'],
      run: async (ctx, { jid, ext_source, display_progress }) => {
        const { name } = await jobSource(ctx, ext_source)
        await tell(ctx, display_progress, `Querying returner: ${name}`)
        return listed(ctx, jid, ext_source)
      },
    }),
    print_job: masterFn({
      doc: 'One job under its number, with what came back.',
      args: { jid, ext_source },
      examples: ['salt-run jobs.print_job 20130916125524463507'],
      run: (ctx, { jid, ext_source }) => printed(ctx, jid, ext_source),
    }),
    list_jobs: masterFn({
      doc: 'Jobs, all or those that match what is searched for.',
      args: {
        ext_source,
        outputter,
        search_metadata: arg.any('Metadata that they have', { optional: true }),
        search_function: arg.any('Globs of their function', { optional: true }),
        search_target: arg.any('Globs of their target', { optional: true }),
        start_time: arg.text('Started after this', { optional: true }),
        end_time: arg.text('Started before this', { optional: true }),
        display_progress,
      },
      examples: ["salt-run jobs.list_jobs search_function='test.*' search_target='localhost'"],
      run: async (ctx, { outputter, ext_source, display_progress, ...wish }) => {
        const { name } = await jobSource(ctx, ext_source)
        await tell(ctx, display_progress, `Querying returner ${name} for jobs.`)
        return dressed(outputter, await search(ctx, wish, ext_source))
      },
    }),
    list_jobs_filter: masterFn({
      doc: 'The last jobs.',
      args: {
        count: arg.any('How many'),
        filter_find_job: arg.flag('Without questions for jobs', { default: true }),
        ext_source,
        outputter,
        display_progress,
      },
      examples: ['salt-run jobs.list_jobs_filter 50'],
      run: async (ctx, { count, filter_find_job, ext_source, outputter }) => {
        const most = numberOf(count) ?? 0
        const all = await (await jobSource(ctx, ext_source)).jobs()
        const jobs = [...all].reverse().filter(([, job]) => !filter_find_job || !isFindJob(job))
        const shown = jobs.slice(0, most).map(([jid, job]) => {
          const { StartTime, ...rest } = Object.fromEntries(formatJob(jid, job) as Map<string, Value>)
          return new Map<Value, Value>([...Object.entries(rest), ['JID', jid], ['StartTime', StartTime!]])
        })
        return dressed(outputter, shown)
      },
    }),
    exit_success: masterFn({
      doc: 'Which minions returned something.',
      args: { jid, ext_source },
      examples: ['salt-run jobs.exit_success 20160520145827701627'],
      run: async (ctx, { jid, ext_source }) => {
        const source = await jobSource(ctx, ext_source)
        const results = await source.returns(jid)
        const ids = new Set([...((await source.job(jid))?.minions ?? []), ...results.keys()])
        return new Map<Value, Value>([...ids].map((id) => [id, truthy(results.get(id)?.get('return') ?? null)]))
      },
    }),
    last_run: masterFn({
      doc: 'The last job that matches.',
      args: {
        ext_source,
        outputter,
        metadata: arg.any('Metadata that it has', { optional: true }),
        function: arg.any('Globs of its function', { optional: true }),
        target: arg.any('Globs of its target', { optional: true }),
        display_progress,
      },
      examples: ["salt-run jobs.last_run function='cmd.run'"],
      run: async (ctx, { ext_source, metadata, function: fun, target }) => {
        const wish = { search_metadata: metadata, search_function: fun, search_target: target }
        const found = await search(ctx, { ...wish, start_time: null, end_time: null }, ext_source)
        const last = [...found.keys()].map(str).sort().at(-1)
        return last === undefined ? false : printed(ctx, last, ext_source)
      },
    }),
    progress: masterFn({
      doc: 'What is known about each minion of a job: published, running, returned, or why there is no return.',
      args: { jid },
      examples: ['salt-run jobs.progress 20130916125524463507'],
      run: (ctx, { jid }) =>
        new Map<Value, Value>(
          ctx.jobs
            .progress(jid)
            .map(({ id, state, reason }) => [id, reason === undefined ? state : `${state}: ${reason}`]),
        ),
    }),
    master: masterFn({
      doc: 'The functions of the master that run now.',
      args: {},
      examples: ['salt-run jobs.master'],
      run: (ctx) => running(ctx),
    }),
  },
})
