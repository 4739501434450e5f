// Looks up jobs: those in the job cache, and those that are running.
import { shownText } from '../../../base/mod.ts'
import {
  type Dict,
  decodeMsgpack,
  EncodedDict,
  type EncodedEntry,
  fnmatch,
  isDict,
  isList,
  misuse,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, type Bound, defineRunner, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'
import { formatJob, isFindJob, isTimed, jobEntry, resultOf } from './runner/format.ts'
import { packedList } from './runner/packed-list.ts'
import { type JobSource, jobSource } from './runner/source.ts'

const words = (value: Value): string[] =>
  (isList(value) ? value.map(str) : str(value).split(',')).map((word) => word.trim())

/** Return whether a text matches one of the globs; every text matches if there are none. */
const matchesAny = (texts: Value, globs: readonly string[]): boolean =>
  globs.length === 0 || words(texts).some((text) => globs.some((glob) => fnmatch(text, glob)))

const globsOf = (globs: readonly string[] | null): string[] =>
  (globs ?? []).map((glob) => glob.trim()).filter((glob) => glob !== '')

async function tell(ctx: MasterContext, wanted: boolean, message: string): Promise<void> {
  if (wanted) await ctx.progress(new Map([['message', message]]))
}

/** Put data into a dict with the outputter that shows it, if there is one. */
const withOutputter = (outputter: Value, data: Value): Value =>
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
      jobs.set(jid, shown)
    }
  }
  const source = await jobSource(ctx)
  for (const [jid, job] of jobs) job.set('Returned', [...(await source.returns(jid)).keys()])
  return new Map(jobs)
}

/** Greatest number of minion ids in a log line. */
const MOST_NAMED = 10

/** Log the reason why there is no return. The exit status is 0, as in Salt. */
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

const jid = arg.text('Job id')
const ext_source = arg.text('Job cache to read. Default: the configured one', { optional: true })
const outputter = arg.text('Outputter that shows the result', { optional: true })
const display_progress = arg.flag('Fire progress events', { default: false })

const lookupArgs = {
  jid,
  ext_source,
  returned: arg.flag('Include the minions that returned', { default: true }),
  missing: arg.flag('Include the minions that did not return', { default: false }),
  display_progress,
}

async function lookup(ctx: MasterContext, args: Bound<typeof lookupArgs>): Promise<Value> {
  const { jid, ext_source, returned, missing, display_progress } = args
  const source = await jobSource(ctx, ext_source)
  await tell(ctx, display_progress, `Querying returner: ${source.name}`)
  const found: Dict = new Map()
  let out: Value = null
  const returns = await source.returns(jid)
  if (returned) await ctx.logHints(returns)
  for (const [id, data] of returns) {
    await tell(ctx, display_progress, id)
    if (returned) found.set(id, data.get('return') ?? null)
    out ??= data.get('out') ?? null
  }
  if (missing) {
    const job = await source.job(jid)
    const notes = ctx.jobs.notes(jid)
    for (const id of job?.minions ?? []) {
      const reason = notes.get(id)?.reason
      const text = 'Minion did not return'
      if (!returns.has(id)) found.set(id, reason === undefined ? text : `${text}: ${reason}`)
    }
  }
  if (found.size === 0 && returns.size === 0) await explainNothing(ctx, source, jid)
  return withOutputter(out, found)
}

async function listed(ctx: MasterContext, jid: string, ext_source: string | null): Promise<Dict> {
  const source = await jobSource(ctx, ext_source)
  const job = await source.job(jid)
  const results = new Map<Value, Value>([...(await source.returns(jid))].map(([id, data]) => [id, resultOf(data)]))
  if (results.size === 0) await explainNothing(ctx, source, jid)
  return new Map<Value, Value>([['jid', jid], ...formatJob(jid, job?.load, job?.minions), ['Result', results]])
}

async function printed(ctx: MasterContext, jid: string, ext_source: string | null): Promise<Dict> {
  const job = await listed(ctx, jid, ext_source)
  job.delete('jid')
  return new Map([[jid, job]])
}

const searchArgs = {
  search_metadata: arg.any('Dict of metadata, of which one value must match; other types match nothing', {
    optional: true,
  }),
  search_function: arg.words('Globs of functions: a list, or text with commas', { optional: true }),
  search_target: arg.words('Globs of targets: a list, or text with commas', { optional: true }),
  start_time: arg.text('Earliest start time, such as `2015, Mar 16 19:00`', { optional: true }),
  end_time: arg.text('Latest start time', { optional: true }),
}

type Search = Bound<typeof searchArgs>

function parseTime(text: string): number {
  const time = Date.parse(`${text.replace(',', '')} UTC`)
  const plain = Number.isNaN(time) ? Date.parse(text) : time
  if (Number.isNaN(plain)) throw misuse(`'${text}' is not a time`)
  return plain
}

/** Return the test whether a job matches a search; undefined if the search has no condition. */
function matching({
  search_metadata,
  search_function,
  search_target,
  start_time,
  end_time,
}: Search): ((job: Dict) => boolean) | undefined {
  const [functions, targets] = [globsOf(search_function), globsOf(search_target)]
  const isOpen = !truthy(search_metadata) && functions.length + targets.length === 0
  if (isOpen && !start_time && !end_time) return undefined
  return (job) => {
    if (truthy(search_metadata)) {
      const own = job.get('Metadata')
      if (own === undefined || !isDict(own) || !isDict(search_metadata)) return false
      if (![...search_metadata].some(([key, value]) => own.get(key) === value)) return false
    }
    if (!matchesAny(job.get('Target') ?? '', targets)) return false
    if (!matchesAny(job.get('Function') ?? '', functions)) return false
    if (!start_time && !end_time) return true
    const started = parseTime(str(job.get('StartTime') ?? ''))
    return !(start_time && started < parseTime(start_time)) && !(end_time && started > parseTime(end_time))
  }
}

async function search(ctx: MasterContext, request: Search, ext_source: string | null): Promise<EncodedDict> {
  const source = await jobSource(ctx, ext_source)
  const isWanted = matching(request)
  const packed = isWanted ? undefined : source.packed?.()
  const whole = packed && packedList(packed)
  if (whole) return whole
  const found: EncodedEntry[] = []
  for (const [jid, load] of await source.jobs()) {
    if (!isTimed(jid) || (isWanted && !isWanted(formatJob(jid, load)))) continue
    found.push(jobEntry(jid, load, source.hasLastingLoads))
  }
  return new EncodedDict(found)
}

/** Return the running functions of the master, each noted in a file. */
async function running(ctx: MasterContext): Promise<Value[]> {
  const folder = `${option(ctx.opts, 'cachedir')}/proc`
  if ((await ctx.host.stat(folder))?.type !== 'directory') return []
  const jids = await ctx.host.list(folder)
  return Promise.all(
    jids.map(async (jid) => decodeMsgpack(await ctx.host.read(`${folder}/${jid}`), { dialect: 'bus' })),
  )
}

export default defineRunner({
  name: 'jobs',
  doc: 'Look up jobs and their returns.',
  functions: {
    active: masterFn({
      doc: 'Return the running jobs with their minions.',
      args: { display_progress },
      examples: ['salt-run jobs.active'],
      run: (ctx, { display_progress }) => active(ctx, display_progress),
    }),
    lookup_jid: masterFn({
      doc: 'Return the returns of a job.',
      args: lookupArgs,
      examples: ['salt-run jobs.lookup_jid 20130916125524463507'],
      run: lookup,
    }),
    list_job: masterFn({
      doc: 'Return a job: its function, target, minions and returns.',
      args: { jid, ext_source, display_progress },
      examples: ['salt-run jobs.list_job 20130916125524463507'],
      run: async (ctx, { jid, ext_source, display_progress }) => {
        const { name } = await jobSource(ctx, ext_source)
        await tell(ctx, display_progress, `Querying returner: ${name}`)
        return listed(ctx, jid, ext_source)
      },
    }),
    print_job: masterFn({
      doc: 'Return a job and its returns under its job id.',
      args: { jid, ext_source },
      examples: ['salt-run jobs.print_job 20130916125524463507'],
      run: (ctx, { jid, ext_source }) => printed(ctx, jid, ext_source),
    }),
    list_jobs: masterFn({
      doc: 'Return all jobs, or only the jobs that match a search.',
      args: {
        ext_source,
        outputter,
        ...searchArgs,
        display_progress,
      },
      examples: ["salt-run jobs.list_jobs search_function='test.*' search_target='localhost'"],
      run: async (ctx, { outputter, ext_source, display_progress, ...request }) => {
        const { name } = await jobSource(ctx, ext_source)
        await tell(ctx, display_progress, `Querying returner ${name} for jobs.`)
        const found = await search(ctx, request, ext_source)
        return truthy(outputter) ? withOutputter(outputter, found.unpack()) : found
      },
    }),
    list_jobs_filter: masterFn({
      doc: 'Return the last jobs.',
      args: {
        count: arg.count('Greatest number of jobs'),
        filter_find_job: arg.flag('Leave out jobs of `saltutil.find_job`', { default: true }),
        ext_source,
        outputter,
        display_progress,
      },
      examples: ['salt-run jobs.list_jobs_filter 50'],
      run: async (ctx, { count, filter_find_job, ext_source, outputter }) => {
        const all = await (await jobSource(ctx, ext_source)).jobs()
        const jobs = [...all].reverse().filter(([, job]) => !filter_find_job || !isFindJob(job))
        const shown = jobs.slice(0, count).map(([jid, job]) => {
          const { StartTime, ...rest } = Object.fromEntries(formatJob(jid, job))
          return new Map<Value, Value>([...Object.entries(rest), ['JID', jid], ['StartTime', StartTime ?? '']])
        })
        return withOutputter(outputter, shown)
      },
    }),
    exit_success: masterFn({
      doc: 'Return for each minion of a job whether its result is true.',
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
      doc: 'Return the last job that matches a search.',
      args: {
        ext_source,
        outputter,
        metadata: searchArgs.search_metadata,
        function: searchArgs.search_function,
        target: searchArgs.search_target,
        display_progress,
      },
      examples: ["salt-run jobs.last_run function='cmd.run'"],
      run: async (ctx, { ext_source, metadata, function: fun, target }) => {
        const request = { search_metadata: metadata, search_function: fun, search_target: target }
        const found = await search(ctx, { ...request, start_time: null, end_time: null }, ext_source)
        const last = [...found.keys].sort().at(-1)
        return last === undefined ? false : printed(ctx, last, ext_source)
      },
    }),
    progress: masterFn({
      doc: 'Return the state of each minion of a job: published, running, returned, or the reason why there is no return.',
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
      doc: 'Return the running functions of the master.',
      examples: ['salt-run jobs.master'],
      run: (ctx) => running(ctx),
    }),
  },
})
