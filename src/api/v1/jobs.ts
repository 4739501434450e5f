// Jobs: `/v1/jobs`. Reading equals the runner functions `jobs.list_jobs` and `jobs.list_job`; a user always may see the jobs that the
// user began.
import { createHash } from 'node:crypto'
import { createRoute, z } from '@hono/zod-openapi'
import { type Dict, isDict, isList, str, truthy, type Value } from '../../data/mod.ts'
import type { JobFact, JobFilter } from '../../store/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App, V1Call } from './call.ts'
import { timeText, toJson } from './json.ts'
import { BadFields, refusals } from './problems.ts'
import {
  Any,
  answer,
  body,
  cursorOf,
  FunctionName,
  globShape,
  Jid,
  line,
  MinionId,
  pageOf,
  paging,
  placeShape,
  TargetType,
  Time,
  timeShape,
} from './shapes.ts'

const States = z.enum(['running', 'done', 'failed']).openapi({
  description:
    'A job is running while minions have not returned, for at most an hour after the last return; then it failed',
})

export const JobSummary = z
  .object({
    jid: z.string(),
    function: z.string(),
    target: z.string(),
    targetType: z.string(),
    user: z.string(),
    started: Time,
    state: States,
    counts: z.object({ minions: z.int(), returned: z.int(), failed: z.int(), missing: z.int() }),
  })
  .openapi('JobSummary')

const MinionOfJob = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'succeeded', 'failed']),
  returned: Time.nullable(),
  reason: z.string().nullable().openapi({ description: 'Why there is no return, as far as the master knows' }),
})

const Job = JobSummary.extend({
  args: z.array(Any),
  kwargs: z.record(z.string(), Any),
  returner: z.string().nullable().openapi({ description: 'Returners that the job named' }),
  metadata: z.record(z.string(), Any).nullable(),
  cancelable: z.boolean().openapi({ description: 'Whether the job is running' }),
  minions: z.array(MinionOfJob).openapi({ description: 'The minions that were meant, at most 10000 of them' }),
}).openapi('Job')

/** Return the summary of a job. */
export const summaryOf = ({ jid, fun, target, targetType, user, made, state, total, returned, failed }: JobFact) => ({
  jid,
  function: fun,
  target,
  targetType,
  user,
  started: timeText(made),
  state,
  counts: { minions: total, returned, failed, missing: Math.max(0, total - returned) },
})

const tags = ['Jobs']

const list = createRoute({
  method: 'get',
  path: '/v1/jobs',
  operationId: 'listJobs',
  summary: 'List jobs, newest first',
  description:
    'Equals the runner function `jobs.list_jobs`. Without the right for it, the list has the jobs of the caller.',
  tags,
  request: {
    query: z.strictObject({
      function: globShape(200).optional().openapi({ description: 'A function or a glob', example: 'state.*' }),
      user: line(256).optional(),
      target: globShape(1000).optional().openapi({ description: 'A target as it was written, or a glob' }),
      minion: MinionId.optional().openapi({ description: 'A minion that was meant' }),
      since: timeShape.optional(),
      until: timeShape.optional(),
      state: States.optional(),
      ...paging,
    }),
  },
  responses: { 200: answer(pageOf(JobSummary).openapi('JobList'), 'A page of jobs'), ...refusals(400, 401) },
})

const one = createRoute({
  method: 'get',
  path: '/v1/jobs/{jid}',
  operationId: 'getJob',
  summary: 'Show a job and the state of each minion',
  description: 'Equals the runner function `jobs.list_job`.',
  tags,
  request: { params: z.object({ jid: Jid }) },
  responses: { 200: answer(Job, 'The job'), ...refusals(400, 401, 403, 404) },
})

const MOST_IDS = 10_000

const LONGEST_TIMEOUT = 86_400

const NewJob = z
  .strictObject({
    target: z.union([z.string().min(1).max(10_000), z.array(line(255)).min(1).max(MOST_IDS)]),
    targetType: TargetType.default('glob'),
    function: FunctionName,
    args: z.array(Any).max(1000).optional(),
    kwargs: z.record(z.string().max(200), Any).optional(),
    returner: z.string().max(200).optional().openapi({ description: 'Returners, with commas between them' }),
    metadata: z.record(z.string().max(200), Any).optional(),
    batch: z
      .string()
      .regex(/^\d{1,6}(\.\d{1,3})?%?$/, 'is no number and no percentage')
      .optional()
      .openapi({
        description:
          'Run the job on so many minions at a time, such as `5` or `10%`. The master drives the batch; all of it has one job id. `counts` of the job grow with the minions that got it',
        example: '10%',
      }),
    timeout: z
      .number()
      .min(0)
      .max(LONGEST_TIMEOUT)
      .optional()
      .openapi({ description: 'Seconds after which a batch asks minions that have not returned whether they work' }),
  })
  .openapi('NewJob')

const Begun = z.object({ jid: z.string(), minions: z.array(z.string()) }).openapi('BegunJob')

const Location = z.object({ Location: z.string().openapi({ description: 'The path of the job' }) })

const begin = createRoute({
  method: 'post',
  path: '/v1/jobs',
  operationId: 'beginJob',
  summary: 'Begin a job',
  description:
    'The caller needs the right to call the function on all minions that the target means. A request that is sent again with the same Idempotency-Key within a day gets the first answer, and begins no second job.',
  tags,
  request: {
    headers: z.object({
      'idempotency-key': z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/, 'has 1 to 255 visible characters')
        .optional()
        .openapi({ description: 'A text that the caller chose for this request' }),
    }),
    body: body(NewJob),
  },
  responses: {
    202: { ...answer(Begun, 'The job has begun'), headers: Location },
    ...refusals(400, 401, 403, 409, 413, 415, 422),
  },
})

const stop = createRoute({
  method: 'post',
  path: '/v1/jobs/{jid}/stop',
  operationId: 'stopJob',
  summary: 'Stop a job on the minions that have not returned',
  description:
    'Begins a job of `saltutil.term_job` or `saltutil.kill_job`; the caller needs the right for it on these minions.',
  tags,
  request: {
    params: z.object({ jid: Jid }),
    body: body(z.strictObject({ signal: z.enum(['term', 'kill']).default('term') }).openapi('StopJob')),
  },
  responses: {
    202: { ...answer(Begun, 'The job that stops it'), headers: Location },
    ...refusals(400, 401, 403, 404, 409),
  },
})

const seconds = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text) / 1000

/** Return a job that the caller may see: one that the caller started, or any with the right to a runner function. */
export async function visibleJob(call: V1Call, jid: string, fun = 'jobs.list_job'): Promise<JobFact> {
  const { ledger } = call.service.master.access.stores.jobs
  const fact = ledger.fact(jid)
  if (!ledger.isOwn(jid, call.owner)) await call.need('runner', fun, { jid })
  if (!fact) throw new HttpError(404, 'There is no such job')
  return fact
}

export function addJobRoutes(site: V1App, service: ApiService): void {
  const { jobs } = service.master.access.stores
  site.openapi(list, async (c) => {
    const { function: fun, user, target, minion, since, until, state, limit, cursor } = c.req.valid('query')
    const { call } = c.var
    const isAll = await call.may('runner', 'jobs.list_jobs')
    const [from, to] = [seconds(since), seconds(until)]
    const filter: JobFilter = {
      ...(fun !== undefined && { fun }),
      ...(user !== undefined && { user }),
      ...(target !== undefined && { target }),
      ...(minion !== undefined && { minion }),
      ...(state !== undefined && { state }),
      ...(from !== undefined && { since: from }),
      ...(to !== undefined && { until: to }),
      ...(!isAll && { owner: call.owner }),
    }
    const page = await jobs.ledger.page(filter, limit, placeShape(cursor, 1)?.[0])
    return c.json(
      { items: page.jobs.map(summaryOf), next: page.next === undefined ? null : cursorOf([page.next]) },
      200,
    )
  })
  site.openapi(one, async (c) => {
    const { jid } = c.req.valid('param')
    const fact = await visibleJob(c.var.call, jid)
    return c.json({ ...summaryOf(fact), ...detailsOf(service, jid), cancelable: fact.state === 'running' }, 200)
  })
  site.openapi(begin, async (c) => {
    const key = c.req.valid('header')['idempotency-key']
    const { call } = c.var
    if (key === undefined) return begunAnswer(await beginJob(call, c.req.valid('json')), service.settings.prefix)
    return once(call, key, await c.req.text(), () => beginJob(call, c.req.valid('json')))
  })
  site.openapi(stop, async (c) => {
    const { jid } = c.req.valid('param')
    const { signal } = c.req.valid('json')
    await visibleJob(c.var.call, jid)
    const missing = openMinions(service, jid)
    if (missing.length === 0) throw new HttpError(409, 'All minions of the job have returned')
    const fun = `saltutil.${signal}_job`
    const begun = await c.var.call.run({ client: 'local_async', tgt: missing, tgt_type: 'list', fun, arg: [jid] })
    return begunAnswer(begunOf(begun), service.settings.prefix)
  })
}

type Begun = z.infer<typeof Begun>

const begunAnswer = (begun: Begun, prefix: string) => answerOf({ status: 202, body: JSON.stringify(begun) }, prefix)

/** The answer of a request that began a job, new or kept. */
function answerOf({ status, body }: { status: number; body: string }, prefix: string) {
  const headers = new Headers({ 'Content-Type': 'application/json' })
  headers.set('Location', `${prefix}/v1/jobs/${encodeURIComponent(JSON.parse(body).jid)}`)
  // the schema of the route describes it
  return new Response(body, { status, headers }) as never
}

async function beginJob(
  call: V1Call,
  { target, targetType, function: fun, returner, batch, timeout }: z.infer<typeof NewJob>,
): Promise<Begun> {
  const given = call.body
  const chunk: Record<string, Value> = { client: 'local_async', fun, arg: given.get('args') ?? [] }
  chunk['tgt'] = target
  chunk['tgt_type'] = Array.isArray(target) ? 'list' : targetType
  if (given.has('kwargs')) chunk['kwarg'] = given.get('kwargs')!
  if (given.has('metadata')) chunk['metadata'] = given.get('metadata')!
  if (returner !== undefined) chunk['ret'] = returner
  if (timeout !== undefined) chunk['timeout'] = timeout
  if (batch === undefined) return begunOf(await call.run(chunk))
  if (Number.parseFloat(batch) === 0) throw new BadFields([{ field: 'batch', reason: 'has no minions' }])
  return begunOf(await call.beginBatch({ ...chunk, batch }))
}

function begunOf(answer: Value): Begun {
  const jid = isDict(answer) ? answer.get('jid') : undefined
  if (!isDict(answer) || jid === undefined) {
    throw new BadFields([{ field: 'target', reason: 'means no minion that this master knows' }], 422)
  }
  const minions = answer.get('minions') ?? []
  return { jid: str(jid), minions: isList(minions) ? minions.map(str) : [] }
}

/** Begin a job once, however often the same request comes with the same key. */
async function once(call: V1Call, key: string, request: string, begin: () => Promise<Begun>): Promise<never> {
  const { answers, settings } = call.service
  const owner = `${call.session.eauth}\0${call.user}`
  const digest = createHash('sha256').update(request).digest('hex')
  const known = await answers.claim(owner, key, digest)
  if (known === 'other') throw new HttpError(422, 'The Idempotency-Key belongs to another request')
  if (known === 'running') throw new HttpError(409, 'A request with this Idempotency-Key is being worked on')
  if (known !== 'new') return answerOf(known, settings.prefix)
  try {
    const answer = { status: 202, type: 'application/json', body: JSON.stringify(await begin()) }
    await answers.keep(owner, key, digest, answer)
    return answerOf(answer, settings.prefix)
  } finally {
    // a key with a stored answer is not released
    await answers.release(owner, key)
  }
}

/** Return the request of a job and the progress of each minion. */
function detailsOf({ master }: ApiService, jid: string) {
  const { jobs } = master.access.stores
  const job = jobs.job(jid)
  const outcomes = new Map(jobs.ledger.outcomes(jid).map((outcome) => [outcome.id, outcome]))
  const ids = [...new Set([...(job?.minions ?? []), ...outcomes.keys()])].sort().slice(0, MOST_IDS)
  const load: Dict = job?.load ?? new Map()
  const notes = outcomes.size < ids.length ? jobs.notes(jid) : undefined
  const minions = ids.map((id) => {
    const outcome = outcomes.get(id)
    const state = !outcome ? ('waiting' as const) : outcome.isFailed ? ('failed' as const) : ('succeeded' as const)
    const reason = outcome ? null : (notes?.get(id)?.reason ?? null)
    return { id, state, returned: outcome ? timeText(outcome.came) : null, reason }
  })
  const metadata = load.get('metadata') ?? null
  const returner = load.get('ret') ?? ''
  return {
    ...argumentsOf(load),
    returner: truthy(returner) ? (isList(returner) ? returner.map(str).join(',') : str(returner)) : null,
    metadata: isDict(metadata) ? (toJson(metadata) as Record<string, unknown>) : null,
    minions,
  }
}

function openMinions({ master }: ApiService, jid: string): string[] {
  const { jobs } = master.access.stores
  const returned = new Set(jobs.ledger.outcomes(jid).map(({ id }) => id))
  return (jobs.job(jid)?.minions ?? []).filter((id) => !returned.has(id)).slice(0, MOST_IDS)
}

/** Positional arguments and keywords of a load, which carries keywords as a marked mapping. */
function argumentsOf(load: Dict): { args: unknown[]; kwargs: Record<string, unknown> } {
  const all = load.get('arg') ?? []
  const args: unknown[] = []
  const kwargs: Record<string, unknown> = Object.create(null)
  for (const given of isList(all) ? all : [all]) {
    if (!isDict(given) || given.get('__kwarg__') !== true) args.push(toJson(given))
    else for (const [name, value] of given) if (name !== '__kwarg__') kwargs[str(name)] = toJson(value)
  }
  return { args, kwargs }
}
